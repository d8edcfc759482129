import { useState } from "preact/hooks";
import { FORMATS, type Format } from "../../../server/links/imports/formats.ts";
import {
  encodingOf,
  HEAD,
  newReading,
  type Reading,
  Unreadable,
} from "../../../server/links/imports/reading.ts";
import { type Pace, STRIDE } from "./import-ledger.ts";

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

export const MOST_ITEMS = 1_000_000;

/**
 * Reads the first million links of a text, in steps.
 * @throws Unreadable
 */
export async function readList(format: Format, text: string, pace: Pace): Promise<Reading> {
  const reading = newReading();
  const reader = await FORMATS[format].open(reading, text.slice(0, HEAD));
  for (let at = 0; at < text.length && reading.items.length < MOST_ITEMS; at += STRIDE) {
    reader.write(text.slice(at, at + STRIDE));
    await pace.rest(Math.min(1, (at + STRIDE) / text.length));
  }
  if (reading.items.length < MOST_ITEMS) reader.end();
  reading.items.length = Math.min(reading.items.length, MOST_ITEMS);
  return reading;
}

/** Unfinished input, which outlives a reload. */
type Draft = Omit<Source, "notes"> & { owner: string };

const KEY = "stillup-draft";
/** Characters, well below the browsers' limits. */
const MOST_KEPT = 2_000_000;

/** The text that the user entered last. Text that is too long for the session storage does not outlive a reload. */
export function useDraft(owner: string) {
  const [draft, setDraft] = useState(() => readDraft(owner));
  return {
    draft,
    keep(text: string, name: string | null = null) {
      setDraft({ text, name });
      writeDraft({ text, name, owner });
    },
  };
}

function readDraft(owner: string): Omit<Source, "notes"> {
  const empty = { text: "", name: null };
  try {
    const kept = JSON.parse(sessionStorage.getItem(KEY) ?? "null") as Draft | null;
    return kept?.owner === owner ? { text: kept.text, name: kept.name } : empty;
  } catch {
    return empty;
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
