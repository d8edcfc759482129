import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Command, Option } from "commander";
import { isMap, isNode, isScalar, LineCounter, parseDocument } from "yaml";
import { UsageError } from "../../ground/lib/errors.ts";
import { pathWithin } from "./within.ts";

const NAME = ".stillup.yaml";

/**
 * Sets the options of a command that the command line leaves open, from `check:` in the file at a root, by their long
 * names.
 * @throws UsageError with the line of the first mistake
 */
export function readOptions(root: string, command: Command): void {
  if (pathWithin(root, join(root, NAME)) === null) {
    throw new UsageError(
      `${NAME} is not read: a symbolic link leads out of the tree; see --no-config.`,
    );
  }
  const text = textOf(join(root, NAME));
  if (text === null) return;
  for (const { name, value, mistake } of settingsIn(text)) {
    const option = command.options.find(({ long }) => long === `--${name}`);
    if (!option) throw mistake(`“${name}” is not an option of check.`);
    if (NOT_HERE.has(option.attributeName())) {
      throw mistake(`“${name}” can only be on the command line.`);
    }
    const parsed = parsedBy(option, value, (problem) => mistake(`“${name}” ${problem}`));
    const key = option.attributeName();
    if (PATHS.has(key) && pathWithin(root, resolve(String(parsed))) === null) {
      throw mistake(`“${name}” leads out of the tree.`);
    }
    const isGiven = command.getOptionValueSource(key) === "cli";
    if (!isGiven && parsed !== false) command.setOptionValueWithSource(key, parsed, "config");
  }
}

/** What one run is about, and what a repository must not choose: who gets the API key, and which files are written. */
const NOT_HERE = new Set([
  "file",
  "stdinName",
  "server",
  "keyFile",
  "config",
  "output",
  "junit",
  "cache",
  "writeBaseline",
  "watchNew",
  "pageUrl",
  "prune",
]);

/** What a repository may choose only below its own root. */
const PATHS = new Set(["root", "baseline"]);

function textOf(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return null;
  }
}

/** Makes the error of a mistake. */
type Mistake = (problem: string) => UsageError;

function* settingsIn(text: string): Generator<{ name: string; value: unknown; mistake: Mistake }> {
  const counter = new LineCounter();
  const document = parseDocument(text, { lineCounter: counter, prettyErrors: false });
  const mistakeAt = (at: number): Mistake => {
    const { line } = counter.linePos(at);
    return (problem) => new UsageError(`${NAME}, line ${line}: ${problem}`);
  };
  const [broken] = document.errors;
  if (broken) throw mistakeAt(broken.pos[0])(`${broken.message}.`);
  for (const { key, at, value } of entriesOf(document.contents, mistakeAt(0))) {
    if (key !== "check") throw mistakeAt(at)(`“${key}” is not known, only “check” is.`);
    for (const option of entriesOf(value, mistakeAt(at))) {
      const { key: name, value: given } = option;
      yield {
        name,
        value: isNode(given) ? given.toJS(document) : given,
        mistake: mistakeAt(option.at),
      };
    }
  }
}

function entriesOf(node: unknown, mistake: Mistake) {
  if (node === null || (isScalar(node) && node.value === null)) return [];
  if (!isMap(node)) throw mistake("here must be names with values.");
  return node.items.map(({ key, value }) => ({
    key: String(key),
    at: (isNode(key) && key.range?.[0]) || 0,
    value: value as unknown,
  }));
}

function parsedBy(option: Option, value: unknown, mistake: Mistake): unknown {
  if (option.isBoolean()) {
    if (typeof value !== "boolean") throw mistake("must be true or false.");
    return value;
  }
  const values = option.parseArg && Array.isArray(value) ? value : [value];
  let parsed: unknown;
  for (const each of values) {
    if (typeof each !== "string" && typeof each !== "number") throw mistake("must be a text.");
    const text = String(each);
    if (option.argChoices && !option.argChoices.includes(text)) {
      throw mistake(`must be one of ${option.argChoices.join(", ")}.`);
    }
    parsed = option.parseArg ? option.parseArg(text, parsed) : text;
  }
  return parsed;
}
