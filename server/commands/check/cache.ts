import { createHash } from "node:crypto";
import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { failure } from "../../ground/lib/errors.ts";
import { VERSION } from "../../ground/lib/runtime.ts";
import type { Conclusion } from "../../judge/probe/conclusion.ts";
import { readKept, replaceKept } from "./kept-file.ts";

/** URLs that were active not long ago. Nothing else is kept, since an error must be looked at again. */
export type Cache = {
  has(url: string): boolean;
  add(url: string, conclusion: Conclusion): void;
  /** @throws a sentence when the file cannot be written */
  save(): void;
};

type Entry = { url: string; at: number; version: string };

/** @param own the operator's services, by which a URL may be judged differently */
export function openCache(file: string, ageMs: number, own: unknown, now: number): Cache {
  const version = `${VERSION} ${numberOf(JSON.stringify(own))}`;
  // Up to a fifth less, so that not all have to be checked again on the same day.
  const isYoung = ({ url, at }: Entry) =>
    at <= now && now - at < ageMs * (1 - (numberOf(url) % 1000) / 5000);
  const entries = new Map<string, Entry>();
  for (const entry of entriesOf(file)) {
    if (entry.version === version && isYoung(entry)) entries.set(entry.url, entry);
  }
  return {
    has: (url) => entries.has(url),
    add(url, { status }) {
      if (status === "active") entries.set(url, { url, at: now, version });
    },
    save() {
      const lines = [...entries.values()].map((entry) => `${JSON.stringify(entry)}\n`);
      try {
        mkdirSync(dirname(file), { recursive: true });
        replaceKept(file, lines.join(""));
      } catch (error) {
        throw failure("The cache cannot be written", error);
      }
    },
  };
}

const numberOf = (text: string) => createHash("sha256").update(text).digest().readUInt32BE();

function entriesOf(file: string): Entry[] {
  try {
    return readKept(file).split("\n").flatMap(entryIn);
  } catch {
    return [];
  }
}

function entryIn(line: string): Entry[] {
  try {
    const { url, at, version } = JSON.parse(line) as Partial<Entry>;
    const isEntry =
      typeof url === "string" && typeof at === "number" && typeof version === "string";
    return isEntry ? [{ url, at, version }] : [];
  } catch {
    return [];
  }
}
