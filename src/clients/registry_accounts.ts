/**
 * The accounts of private registries, as the one file that compose reads them from: private, there
 * only while images are pulled (SPEC §4 pull; facts: docker §8). Plain `auths`, never a credential
 * helper, which would inherit every secret.
 */

import { isLeftover } from "../model/leftover.ts";
import { Secret } from "../model/secret.ts";
import type { Ports } from "../ports.ts";

const NAME = "config.json";
const DIR_MODE = 0o700;
const FILE_MODE = 0o600;

/** One account with its values. */
export interface RegistryLogin {
  /** `registry.example.com` or `host:port`. */
  readonly host: string;
  readonly username: Secret;
  readonly password: Secret;
}

/** The file in the folder that DOCKER_CONFIG names. */
export interface RegistryAccounts {
  /** Writes the accounts. Throws DISK_FULL, FILE_UNWRITABLE. */
  write(logins: readonly RegistryLogin[]): Promise<void>;
  /** Removes them, and what a killed tick left while it wrote them; true when there were any. */
  remove(): Promise<boolean>;
}

/** Makes the store over the folder; throws nothing. `mask` hears of what is derived from secrets. */
export function createRegistryAccounts(
  { files }: Pick<Ports, "files">,
  options: { readonly dir: string; readonly mask: (secret: Secret) => void },
): RegistryAccounts {
  const path = `${options.dir}/${NAME}`;
  return {
    async write(logins): Promise<void> {
      const auths = logins.map(({ host, username, password }) => {
        const auth = base64(`${username.reveal()}:${password.reveal()}`);
        options.mask(new Secret(auth));
        return [keyOf(host), { auth }] as const;
      });
      await files.makeDir(options.dir, DIR_MODE);
      const text = JSON.stringify({ auths: Object.fromEntries(auths) });
      await files.write(path, new TextEncoder().encode(text), { mode: FILE_MODE });
    },
    async remove(): Promise<boolean> {
      const names = (await files.list(options.dir))
        .filter((name) => name === NAME || isLeftover(name));
      for (const name of names) await files.remove(`${options.dir}/${name}`);
      return names.length > 0;
    },
  };
}

/** Docker Hub's account stands under this key alone; compose looks for it nowhere else (measured). */
const HUB_KEY = "https://index.docker.io/v1/";
const HUB_HOST =
  /^(?:https?:\/\/)?(?:(?:index|registry-1|registry\.hub|hub)\.)?docker\.(?:io|com)(?:\/.*)?$/i;

/** Takes a registry as the manifest names it; gives the key that compose finds its account by. */
function keyOf(host: string): string {
  return HUB_HOST.test(host) ? HUB_KEY : host;
}

function base64(text: string): string {
  return btoa(String.fromCharCode(...new TextEncoder().encode(text)));
}
