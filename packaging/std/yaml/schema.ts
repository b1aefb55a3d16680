// @ts-types="@types/js-yaml"
import * as yaml from "js-yaml";

/**
 * Which plain scalars become something other than strings. `default` also makes `Date`s of
 * timestamps and follows `<<` merge keys; `json` and `core` do neither.
 */
export type SchemaType = "failsafe" | "json" | "core" | "default";

/** Takes a schema's name and gives js-yaml's schema of that name. */
export function schemaOf(name: SchemaType): yaml.Schema {
  switch (name) {
    case "failsafe":
      return yaml.FAILSAFE_SCHEMA;
    case "json":
      return yaml.JSON_SCHEMA;
    case "core":
      return yaml.CORE_SCHEMA;
    case "default":
      return yaml.DEFAULT_SCHEMA;
  }
}
