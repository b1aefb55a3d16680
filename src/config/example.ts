/**
 * packaging/config.example.yaml, rendered from the table of keys (SPEC §6). Required keys are given,
 * all others stand commented out with their default, so that the file as it is is a valid config.
 */

import { readConfig } from "./parse.ts";
import { KEY_PATHS, type KeyPath, KEYS } from "./schema.ts";

const HEAD = `\
# Config of monky-deployd: /etc/monky-deployd/config.yaml
#
# What is commented out shows the default, or an example where there is none.
# Unknown keys are errors. After a change: monky-deployd config check
`;

/** Gives the example file's text. */
export function renderExample(): string {
  const blocks: string[] = [HEAD];
  let section = "";
  for (const path of KEY_PATHS) {
    const dot = path.indexOf(".");
    const inside = path.slice(0, Math.max(dot, 0));
    // A section is commented out as a whole: formatters unindent comments below an empty map.
    const margin = inside === "" ? "" : "#   ";
    const lines = [`${margin}# ${remark(path)}`, `${margin}${entry(path, path.slice(dot + 1))}`];
    if (inside !== "" && inside !== section) lines.unshift(`# ${inside}:`);
    const joined = inside !== "" && inside === section;
    section = inside;
    blocks.push(`${joined ? "#\n" : "\n"}${lines.join("\n")}\n`);
  }
  return blocks.join("");
}

/** Takes a key; gives its default as YAML writes it, null when it is required or may be absent. */
export function defaultText(path: KeyPath): string | null {
  const { fallback, kind } = KEYS[path];
  if (fallback.is === "derived") return fallback.template;
  if (fallback.is !== "value") return null;
  const reading = kind.read(fallback.value);
  // Each row pairs a kind with its own values; a path that is any key cannot say so in types.
  return "value" in reading ? (kind.show as (value: unknown) => string)(reading.value) : null;
}

function remark(path: KeyPath): string {
  const { doc, fallback, example } = KEYS[path];
  switch (fallback.is) {
    case "required":
      return `${doc} Required.`;
    case "none":
      return `${doc} No default.`;
    case "derived":
      return `${doc} Default: ${fallback.template}`;
    case "value":
      return example === null ? doc : `${doc} Default: ${defaultText(path)}`;
  }
}

function entry(path: KeyPath, name: string): string {
  const { fallback, example } = KEYS[path];
  if (fallback.is === "required") return `${name}: ${example}`;
  return `${path.includes(".") ? "" : "# "}${name}: ${
    example ?? (fallback.is === "derived" ? derivedExample(path) : defaultText(path))
  }`;
}

/** A derived default as it comes out for the required keys' examples. */
function derivedExample(path: KeyPath): string {
  const given = KEY_PATHS.filter((one) => KEYS[one].fallback.is === "required");
  const reading = readConfig(given.map((one) => `${one}: ${KEYS[one].example}\n`).join(""));
  return "problems" in reading ? "" : reading.effective.get(path) ?? "";
}
