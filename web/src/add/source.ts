import { useState } from "preact/hooks";
import { encodingOf, Unreadable } from "../../../server/read/lists/reading.ts";

/** Text to read links from. */
export type Source = {
  /** Name of the file; null for typed or pasted text. */
  name: string | null;
  text: string;
  /** Sentences about how the text was decoded. */
  notes: string[];
};

const MIB = 1024 * 1024;
const MOST_MIB = 50;

/** @throws Unreadable if the file is too large or not text */
export async function readFile(file: File): Promise<Source> {
  const { name } = file;
  if (file.size > MOST_MIB * MIB) {
    throw new Unreadable(`“${name}” is larger than ${MOST_MIB} MB. Split it into several files.`);
  }
  const bytes = new Uint8Array(await file.arrayBuffer().catch(() => refuse(name)));
  return { name, ...decode(name, bytes) };
}

function refuse(name: string): never {
  throw new Unreadable(`“${name}” could not be read. Is it a folder, or was it moved?`);
}

function decode(name: string, bytes: Uint8Array): Omit<Source, "name"> {
  const encoding = encodingOf(`“${name}”`, bytes);
  if (encoding !== "utf-8") {
    const notes = ["The file is in UTF-16. It was read as such."];
    return { text: new TextDecoder(encoding).decode(bytes), notes };
  }
  try {
    return { text: new TextDecoder("utf-8", { fatal: true }).decode(bytes), notes: [] };
  } catch {
    const notes = ["The file is not in UTF-8. It was read as Windows-1252."];
    return { text: new TextDecoder("windows-1252").decode(bytes), notes };
  }
}

/** `127.0.0.1:22080/x`, `nas.local:5000`, `[::1]/x`: an address without a scheme, or a host with a port. */
const BARE_ADDRESS =
  /^(?:(?:localhost|\d{1,3}(?:\.\d{1,3}){3}|\[[\da-f:.]+\])(?::\d{1,5})?|[\p{L}\p{N}.-]+:\d{1,5})(?=[/?#]|$)/iu;

/** Whether only a scheme is missing, which for such hosts is more often http than https. */
export const isBareAddress = (url: string) => BARE_ADDRESS.test(url) && !/\s/.test(url);

/** Puts `http://` before each of the addresses wherever it stands without a scheme. */
export function withHttp(text: string, addresses: string[]): string {
  const escaped = [...new Set(addresses)].map((url) => url.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  const found = new RegExp(`(?<![^\\s"',;])(?:${escaped.join("|")})(?![^\\s"',;])`, "g");
  return text.replace(found, (url) => `http://${url}`);
}

/** Unfinished input, which outlives a reload. */
type Draft = Source & { owner: string };

const KEY = "stillup-draft";
/** Characters, well below the browsers' limits. */
const MOST_KEPT = 2_000_000;

const NO_SOURCE: Source = { name: null, text: "", notes: [] };

/** The text that the user entered last. Text that is too long for the session storage does not outlive a reload. */
export function useDraft(owner: string) {
  const [draft, setDraft] = useState(() => readDraft(owner));
  return {
    draft,
    keep(source: Partial<Source>) {
      const next = { ...NO_SOURCE, ...source };
      setDraft(next);
      writeDraft({ ...next, owner });
    },
  };
}

function readDraft(owner: string): Source {
  try {
    const kept = JSON.parse(sessionStorage.getItem(KEY) ?? "null") as Draft | null;
    return kept?.owner === owner ? { ...NO_SOURCE, ...kept } : NO_SOURCE;
  } catch {
    return NO_SOURCE;
  }
}

/** Storage may be disabled or full. */
function writeDraft(draft: Draft) {
  try {
    if (draft.text === "" || draft.text.length > MOST_KEPT) sessionStorage.removeItem(KEY);
    else sessionStorage.setItem(KEY, JSON.stringify(draft));
  } catch {
    sessionStorage.removeItem(KEY);
  }
}

/** Once everything is added, nothing of it is left to enter again. */
export const dropDraft = () => sessionStorage.removeItem(KEY);
