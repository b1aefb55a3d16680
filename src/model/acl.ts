/**
 * POSIX ACLs as `getfacl --numeric` prints them (acl(5)): who may do what with a file, and what files
 * that are made in a folder inherit. Pure.
 */

/** One entry. */
interface Entry {
  readonly inherited: boolean;
  readonly kind: "user" | "group" | "mask" | "other";
  /** Null: the owner's entry, or one that names nobody. */
  readonly id: number | null;
  readonly bits: string;
}

/** The ACL of one file or folder. */
export interface Acl {
  readonly path: string;
  readonly ownerUid: number;
  readonly entries: readonly Entry[];
}

/** What a user needs: reading a file, passing through a folder. */
export type Access = "r" | "x";

/** Takes the text of getfacl, with its headers; gives the ACLs in its order; what is no ACL is left out. */
export function parseAcls(text: string): readonly Acl[] {
  return text.split(/\n\n+/).flatMap((block) => {
    const path = /^# file: (.*)$/m.exec(block)?.[1];
    const owner = /^# owner: (\d+)$/m.exec(block)?.[1];
    if (path === undefined || owner === undefined) return [];
    return [{ path, ownerUid: Number(owner), entries: block.split("\n").flatMap(entryOf) }];
  });
}

function entryOf(line: string): readonly Entry[] {
  const [, inherited, kind, id, bits] =
    /^(default:)?(user|group|mask|other):(\d*):([r-][w-][x-])/.exec(line) ?? [];
  if (kind === undefined || bits === undefined) return [];
  return [{
    inherited: inherited !== undefined,
    kind: kind as Entry["kind"],
    id: id === undefined || id === "" ? null : Number(id),
    bits,
  }];
}

/**
 * Says whether the user has the access by its own right: as the owner, by an entry of its own below
 * the mask, or as everybody. What its groups give is not known here and counts as no.
 */
export function allows(acl: Acl, uid: number, access: Access): boolean {
  if (uid === 0) return true;
  if (acl.ownerUid === uid) return has(find(acl, false, "user", null), access);
  const own = find(acl, false, "user", uid);
  if (own !== undefined) return has(own, access) && underMask(acl, false, access);
  return has(find(acl, false, "other", null), access);
}

/** Says whether a file made in the folder can be read by the user, whoever makes it. */
export function inherits(acl: Acl, uid: number, access: Access): boolean {
  if (uid === 0) return true;
  return has(find(acl, true, "user", uid), access) && underMask(acl, true, access);
}

function underMask(acl: Acl, inherited: boolean, access: Access): boolean {
  const mask = find(acl, inherited, "mask", null);
  return mask === undefined || has(mask, access);
}

function find(
  { entries }: Acl,
  inherited: boolean,
  kind: Entry["kind"],
  id: number | null,
): Entry | undefined {
  return entries.find((each) =>
    each.inherited === inherited && each.kind === kind && each.id === id
  );
}

function has(entry: Entry | undefined, access: Access): boolean {
  return entry?.bits.includes(access) ?? false;
}
