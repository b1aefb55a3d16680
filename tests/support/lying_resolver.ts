/** A DNS server of the tests that answers what it is told, or nothing at all. */

import { createSocket } from "node:dgram";

/** Name → addresses; `silent` swallows the question. A name that is not listed does not exist. */
export type Answers = Readonly<Record<string, readonly string[] | "silent">>;

const TYPE_A = 1;
const TYPE_AAAA = 28;

/** Listens on 127.0.0.1:53 of the namespace it runs in; gives the way to stop it. */
export async function startResolver(answers: Answers): Promise<() => void> {
  const socket = createSocket("udp4");
  socket.on("message", (query: Uint8Array, from) => {
    const { name, type, end } = readQuestion(query);
    const answer = answers[name];
    if (answer === "silent") return;
    const records = (answer ?? []).map((address) => record(address, type))
      .filter((each) => each !== null);
    const flags = answer === undefined ? [0x81, 0x83] : [0x81, 0x80];
    const head = [...query.subarray(0, 2), ...flags, 0, 1, 0, records.length, 0, 0, 0, 0];
    socket.send(
      Uint8Array.from([...head, ...query.subarray(12, end), ...records.flat()]),
      from.port,
      from.address,
    );
  });
  await new Promise<void>((resolve) => socket.bind(53, "127.0.0.1", resolve));
  return () => socket.close();
}

/** RFC 1035 §4.1.2, one question. */
function readQuestion(
  query: Uint8Array,
): { readonly name: string; readonly type: number; readonly end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(new TextDecoder().decode(query.subarray(at + 1, at + 1 + length)));
    at += length + 1;
  }
  return { name: labels.join(".").toLowerCase(), type: query[at + 2] ?? 0, end: at + 5 };
}

/** RFC 1035 §4.1.3, RFC 3596: the name points back at the question, time to live 0. */
function record(address: string, type: number): readonly number[] | null {
  const isSix = address.includes(":");
  if (type !== (isSix ? TYPE_AAAA : TYPE_A)) return null;
  const bytes = isSix ? sixBytes(address) : address.split(".").map(Number);
  return [0xc0, 0x0c, 0, type, 0, 1, 0, 0, 0, 0, 0, bytes.length, ...bytes];
}

function sixBytes(address: string): readonly number[] {
  const [head = "", tail = ""] = address.split("::");
  const groups = (part: string): string[] => part === "" ? [] : part.split(":");
  const [first, last] = [groups(head), groups(tail)];
  const zeros = Array.from({ length: 8 - first.length - last.length }, () => "0");
  return [...first, ...zeros, ...last].flatMap((group) => {
    const value = parseInt(group, 16);
    return [value >> 8, value & 255];
  });
}
