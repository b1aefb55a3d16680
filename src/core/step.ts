/**
 * The closed list of steps that a plan is made of. A step says what will be done and why; everything
 * worth deciding was decided before it exists (SPEC §12). engine/executors.ts has one executor each.
 */

/** Action → what it is given. One line each: what it does, and why doing it twice is harmless. */
export interface StepArgs {
  /** Measures free disk against the images that are missing; changes nothing. */
  readonly preflight: { readonly sha: string };
  /** Writes the release through a staging folder; a second time replaces it with the same. */
  readonly stage: { readonly sha: string };
  /** Chooses the token for the reads; reuses a valid lease token. */
  readonly token: { readonly sha: string };
  /** Reads the pinned secrets; changes nothing. */
  readonly secrets: { readonly variables: readonly string[] };
  /** Writes the release's `.env`; the same values give the same file. */
  readonly render: { readonly sha: string };
  /** Lets compose resolve the files; changes nothing. */
  readonly validate: { readonly sha: string };
  /** Fetches the images that are missing; present ones are skipped. */
  readonly pull: { readonly sha: string };
  /** Brings the project up; what is as it should be is left alone. */
  readonly up: { readonly sha: string };
  /** Starts, recreates or unpauses named services of the applied release. */
  readonly repair: {
    readonly unpause: readonly string[];
    readonly start: readonly string[];
    readonly recreate: readonly string[];
  };
  /** Watches the services until they are healthy or are not; changes nothing. */
  readonly health: { readonly sha: string };
  /** Points `current` at the release and keeps the list of what runs with it. */
  readonly commit: { readonly sha: string };
  /** Removes releases that are no longer kept; what is gone stays gone. */
  readonly prune: { readonly keep: number };
  /** Takes the project down by its labels. */
  readonly down: { readonly volumes: boolean };
  /** Removes the releases from disk, and the secrets with them. */
  readonly forget: Readonly<Record<never, never>>;
  /** Looks whether anything of the project is left; changes nothing. */
  readonly gone: Readonly<Record<never, never>>;
}

/** The name of a step. */
export type Action = keyof StepArgs;

/** A step of one action. */
export type StepOf<A extends Action> = {
  readonly action: A;
  readonly args: StepArgs[A];
  /** Why the step runs, for a person. */
  readonly reason: string;
};

/** Any step. */
export type Step = { readonly [A in Action]: StepOf<A> }[Action];

/** Takes an action, its arguments and the reason; gives the step. */
export function step<A extends Action>(action: A, args: StepArgs[A], reason: string): StepOf<A> {
  return { action, args, reason };
}
