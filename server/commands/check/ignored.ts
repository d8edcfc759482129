import { readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import ignore, { type Ignore } from "ignore";
import { pathWithin, slashed } from "./within.ts";

const EXCLUDED = join(".git", "info", "exclude");

/** Tells whether ignore files leave out what is found below their folder. */
export type Ignored = (path: string, isFolder: boolean) => boolean;

/**
 * Reads `.stillupignore` in each folder, and in a work tree of Git also `.gitignore` and `.git/info/exclude`.
 * @param top the folder above which no ignore file counts
 */
export function createIgnored(top: string, isWorkTree: boolean): Ignored {
  const known = new Map<string, Ignore | null>();
  const filesIn = (folder: string) => [
    ...(isWorkTree && folder === top ? [EXCLUDED] : []),
    ...(isWorkTree ? [".gitignore"] : []),
    ".stillupignore",
  ];
  function rulesIn(folder: string): Ignore | null {
    const before = known.get(folder);
    if (before !== undefined) return before;
    const texts = filesIn(folder).map((name) => textOrNone(join(folder, name), top));
    const rules = texts.some(Boolean) ? ignore().add(texts.join("\n")) : null;
    known.set(folder, rules);
    return rules;
  }
  return (path, isFolder) => {
    // Of the rules that match, those of the nearest folder win.
    for (let folder = dirname(path); ; folder = dirname(folder)) {
      const found = rulesIn(folder)?.test(
        `${slashed(relative(folder, path))}${isFolder ? "/" : ""}`,
      );
      if (found?.ignored) return true;
      if (found?.unignored || folder === top || folder === dirname(folder)) return false;
    }
  };
}

function textOrNone(path: string, top: string): string {
  if (pathWithin(top, path) === null && !path.endsWith(EXCLUDED)) return "";
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
