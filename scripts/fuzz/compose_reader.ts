/** Reads many env files with the real docker compose, each as one service's `env_file`. */

/** What one file gave: name → value. */
export type EnvFile = Readonly<Record<string, string>>;

/** What is read, and with what. */
export interface ReadOptions {
  /** Absolute path of the compose plugin. */
  readonly plugin: string;
  /** A folder that exists and belongs to the caller. */
  readonly dir: string;
  /** The environment of compose itself, which beats the files. */
  readonly env?: Readonly<Record<string, string>>;
}

/**
 * Takes the texts of env files, gives what compose reads in each, in their order.
 *
 * @throws Error when compose refuses one of them; its message holds compose's last line
 */
export async function readWithCompose(
  texts: readonly string[],
  options: ReadOptions,
): Promise<EnvFile[]> {
  const services: Record<string, unknown> = {};
  for (const [index, text] of texts.entries()) {
    await Deno.writeTextFile(`${options.dir}/${index}.env`, text);
    services[`s${index}`] = { image: "x", network_mode: "none", env_file: [`${index}.env`] };
  }
  await Deno.writeTextFile(`${options.dir}/c.yml`, JSON.stringify({ services }));
  const model = await resolve(["--env-file", "/dev/null"], options);
  return texts.map((_, index) => environmentOf(model, `s${index}`));
}

/**
 * Runs `config` on `c.yml` of the folder, gives the resolved model.
 *
 * @param flags put before `config`
 * @throws Error when compose refuses the file
 */
export async function resolve(flags: readonly string[], options: ReadOptions): Promise<unknown> {
  const { code, stdout, stderr } = await new Deno.Command(options.plugin, {
    args: ["-p", "fuzz", "-f", `${options.dir}/c.yml`, ...flags, "config", "--format", "json"],
    clearEnv: true,
    env: { PATH: "/usr/bin:/bin", HOME: options.dir, ...options.env },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).output();
  if (code === 0) return JSON.parse(new TextDecoder().decode(stdout));
  throw new Error(new TextDecoder().decode(stderr).trim().split("\n").at(-1));
}

/** Takes a resolved model, gives the environment of one service; `config` doubles every dollar. */
export function environmentOf(model: unknown, service: string): EnvFile {
  const { services } = model as {
    services: Record<string, { environment?: Record<string, string | null> }>;
  };
  const entries = Object.entries(services[service]?.environment ?? {});
  return Object.fromEntries(
    entries.map(([name, value]) => [name, (value ?? "").replaceAll("$$", "$")]),
  );
}
