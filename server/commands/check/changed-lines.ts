import { join } from "node:path";
import { UsageError } from "../../ground/lib/errors.ts";
import { repositoryOf } from "./within.ts";

/** Tells whether a line of a file was added since a commit. */
export type IsAdded = (path: string, line: number) => boolean;

type Range = { first: number; last: number };

/**
 * Asks Git for the lines that were added since the current branch left another one, in commits and in the work tree.
 * @param ref the other branch or a commit
 * @throws UsageError without Git, without a repository, or if the history does not reach back so far
 */
export function readAddedLines(
  ref: string,
  folders: string[],
  env: Record<string, string | undefined>,
): IsAdded {
  const added = new Map<string, Range[] | "all">();
  const repositories = new Set(folders.map(repositoryOf));
  for (const repository of repositories) {
    if (repository === null) {
      throw new UsageError("--changed-since works only for documents in a repository of Git.");
    }
    const git = (...args: string[]) => run(repository, args, env);
    const commit = git("rev-parse", "--verify", "--quiet", "--end-of-options", `${ref}^{commit}`);
    const base = commit === null ? null : git("merge-base", commit.trim(), "HEAD");
    const diff = base === null ? null : git(...DIFF, base.trim(), "--");
    const others = git("ls-files", "--others", "--exclude-standard", "-z");
    if (diff === null || others === null) {
      const name = JSON.stringify(ref);
      throw new UsageError(
        `--changed-since ${name} is not a commit that this clone has in common with it. In a job, check out the whole history, as with fetch-depth: 0.`,
      );
    }
    for (const [name, ranges] of rangesIn(diff)) added.set(join(repository, name), ranges);
    for (const name of others.split("\0")) added.set(join(repository, name), "all");
  }
  return (path, line) => {
    const ranges = added.get(path);
    if (ranges === "all") return true;
    return ranges?.some(({ first, last }) => line >= first && line <= last) ?? false;
  };
}

/** Without anything that a repository may set to run. */
const DIFF = [
  "diff",
  "-U0",
  "--no-color",
  "--no-ext-diff",
  "--no-textconv",
  "--no-relative",
  "--ignore-submodules",
  "--src-prefix=a/",
  "--dst-prefix=b/",
  "--diff-filter=d",
];

/** Returns the output; null if Git fails. */
function run(cwd: string, args: string[], env: Record<string, string | undefined>): string | null {
  try {
    const { exitCode, stdout } = Bun.spawnSync(
      ["git", "-c", "core.quotePath=false", "-c", "core.fsmonitor=false", ...args],
      { cwd, env, stdout: "pipe", stderr: "ignore" },
    );
    return exitCode === 0 ? stdout.toString() : null;
  } catch {
    throw new UsageError("--changed-since needs Git, which is not installed.");
  }
}

/** Reads the added lines of each file. Hunks are skipped by their length: an added line may look like a heading. */
function* rangesIn(diff: string): Generator<[name: string, ranges: Range[]]> {
  const lines = diff.split("\n");
  let ranges: Range[] = [];
  for (let i = 0; i < lines.length; i++) {
    const line = lines[i]!;
    const [, quoted, plain] = /^\+\+\+ (?:"b\/(.*)"|b\/(.*?))\t?$/.exec(line) ?? [];
    const name = quoted === undefined ? plain : unquoted(quoted);
    if (name !== undefined) {
      ranges = [];
      yield [name, ranges];
      continue;
    }
    const hunk = /^@@ -\d+(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/.exec(line);
    if (!hunk) continue;
    const [, removed = "1", first, added = "1"] = hunk;
    if (added !== "0") {
      ranges.push({ first: Number(first), last: Number(first) + Number(added) - 1 });
    }
    let left = Number(removed) + Number(added);
    // A note that a file has no line end at its end is not counted.
    while (left > 0 && i + 1 < lines.length) if (!lines[++i]!.startsWith("\\")) left--;
  }
}

const ESCAPES: Record<string, string> = {
  a: "\x07",
  b: "\b",
  t: "\t",
  n: "\n",
  v: "\v",
  f: "\f",
  r: "\r",
};

/** A name with quotes, backslashes or control characters, which Git writes as C does, also with `-z`. */
const unquoted = (name: string) =>
  name.replace(/\\([0-7]{3}|.)/g, (_, code: string) =>
    code.length === 3 ? String.fromCharCode(Number.parseInt(code, 8)) : (ESCAPES[code] ?? code),
  );
