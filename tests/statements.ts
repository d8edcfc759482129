import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createStore, type Engine, type Store } from "../server/ground/db/store.ts";
import { productFiles, ROOT } from "./imports.ts";

/** Statements that one engine alone runs, with the reason. */
const ONLY_SQLITE: [statement: RegExp, why: string][] = [
  [/^pragma /, "tests that fill, break or lock the file"],
  [/^with due as materialized/, "a claim of the only process: others share the links by bucket"],
  [/^select min\(next_check_at\)/, "the only process looks at all links"],
  [/^select count\(\*\) from \(select no from watched_links/, "the only process counts all links"],
  [/^select min\(applied_at\) from migrations/, "PostgreSQL is backed up by its own programs"],
  [/^(update|insert into) "upkeep" .*"(failed_at|problem)" = \?/, "for the same reason"],
  [/^(create|drop) trigger /i, "a test keeps checks from being deleted"],
  [
    / not "(sources|imports|replacements)"."lease" like \?/,
    "the only process takes over what an earlier one held",
  ],
  [/ link_url_trigrams /, "PostgreSQL finds texts by an index of its own"],
  [/ exists \(select 1 from "link_details"/, "for the same reason"],
  [
    /from "link_tags" inner join "watched_links" "links" .*"links"."no" in \(select/,
    "for the same reason",
  ],
  [
    / not in \( ?select no from (links as gone|watched_links where account_no = \? and handling)/,
    "PostgreSQL looks each link up instead of leaving rows aside",
  ],
  [
    /( from|"links"."no" in) \( select found\.link_no as no /,
    "PostgreSQL itself chooses whether to begin with suggestions",
  ],
  [/ from written /, "a test counts what it noted"],
  [/ and true\b/, "no check is left to retain, since retaining and deleting are one transaction"],
];

type Texts = Record<Engine["name"], Map<string, string>>;

/** The text of each statement that ran, with the functions that awaited it, as far as the stack still has them. */
const seen: Texts = { sqlite: new Map(), postgres: new Map() };

/** The same engine, which remembers the statements that run on it. */
function watchedEngine(engine: Engine): Engine {
  const watched =
    (run: Engine["run"]): Engine["run"] =>
    (query) => {
      const texts = seen[engine.name];
      if (!texts.has(query.sql)) texts.set(query.sql, callers());
      return run(query);
    };
  return {
    ...engine,
    run: watched(engine.run),
    runInReadPool: watched(engine.runInReadPool),
    transaction: (work) => engine.transaction((run) => work(watched(run))),
  };
}

const BEGINS =
  /^(select|selectDistinct|insert|update|delete|run|all|get|values|\$count|batch|write)$/;

/** The store of a watched engine, on which what tests themselves select and write is not watched. */
export function watchedStore(engine: Engine, watched = createStore(watchedEngine(engine))): Store {
  const bare = createStore(engine);
  return new Proxy(watched, {
    get(store, name) {
      const isOfTest = typeof name === "string" && BEGINS.test(name) && isCalledByTest();
      const from = isOfTest ? bare : store;
      const value = Reflect.get(from, name);
      return typeof value === "function" ? value.bind(from) : value;
    },
  });
}

/** Whether the code that reads a member of the store, two frames up, is that of a test. */
function isCalledByTest(): boolean {
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = 3;
  // Async callers may follow.
  const caller = new Error().stack?.split("\n")[3] ?? "";
  Error.stackTraceLimit = limit;
  return /\/tests\/|\.test\.ts/.test(caller);
}

/** Frames of the stack that are in server/, nearest first, without those that pass every statement on. */
function callers(): string {
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = 50;
  const frames = (new Error().stack ?? "").matchAll(/at (\S+) \(.*\/(server\/\S+?):\d+:\d+\)/g);
  Error.stackTraceLimit = limit;
  return [...frames]
    .filter(([, , file]) => !file!.startsWith("server/ground/db/store"))
    .map(([, name, file]) => `${file} ${name}`)
    .slice(0, 3)
    .join(" < ");
}

/** Saves what this process ran, for `onlyOnSqlite`. */
export function saveStatements(folder: string): void {
  const saved = { sqlite: [...seen.sqlite], postgres: [...seen.postgres] };
  writeFileSync(join(folder, `${process.pid}.statements`), JSON.stringify(saved));
}

/**
 * The statements of which a part ran on SQLite alone, in any process. Parts are compared, such as one condition or one
 * column, since a list with many filters has more statements than tests can run.
 */
export function onlyOnSqlite(folder: string): string[] {
  const all = readdirSync(folder)
    .filter((name) => name.endsWith(".statements"))
    .map((name) => JSON.parse(readFileSync(join(folder, name), "utf8")));
  const known = new Set(all.flatMap(({ postgres }) => textsOf(postgres)).flatMap(partsOf));
  const missing = new Map<string, string>();
  for (const [text, callers] of all.flatMap(({ sqlite }): [string, string][] => sqlite)) {
    if (ONLY_SQLITE.some(([statement]) => statement.test(plain(text)))) continue;
    const parts = partsOf(text).filter((part) => !known.has(part) && !missing.has(part));
    if (parts.length === 0) continue;
    for (const part of parts) missing.set(part, "");
    missing.set(
      parts[0]!,
      `${callers || `one of ${filesWith(parts).join(", ")}`}: ${plain(text)}\n  not on PostgreSQL: ${parts.join("; ")}`,
    );
  }
  return [...missing.values()].filter((problem) => problem !== "");
}

/** Files of the product that name most of the columns or words, since a query builder loses the stack. */
function filesWith(parts: string[]): string[] {
  const words = parts.flatMap((part) => {
    const quoted = [...part.matchAll(/"(\w+)"/g)].map(([, name]) => camelCase(name!));
    return quoted.length > 0 ? quoted : part.replace(/^\w*: /, "");
  });
  const files = productFiles()
    .filter((file) => /^server\/(?!ground\/db\/)/.test(file))
    .map((file) => {
      const text = readFileSync(join(ROOT, file), "utf8").replace(/\s+/g, " ");
      return { file, found: words.filter((word) => text.includes(word)).length };
    });
  return files
    .filter(({ found }) => found > 0)
    .sort((a, b) => b.found - a.found)
    .slice(0, 3)
    .map(({ file }) => file);
}

const camelCase = (name: string) => name.replace(/_(\w)/g, (_, letter) => letter.toUpperCase());

const textsOf = (saved: [string, string][]) => saved.map(([text]) => text);

/** What the engines write differently, and lists of values, whose length is not part of a statement. */
const plain = (text: string) =>
  text
    .replaceAll(
      "json_array_elements(cast(cast(? as text) as json)) as unpacked(value)",
      "json_each(?)",
    )
    .replace(/\s+/g, " ")
    .replace(/ for (update skip locked|no key update|key share of webhooks)/g, "")
    .replace(/\((\?|null)(, ?(\?|null))*\)/g, "(?)")
    .replace(/\(\?\)(, ?\(\?\))+/g, "(?)")
    .replace(/\bselect \d+ as\b/g, "select n as")
    .trim();

const BETWEEN_PARTS =
  /\s*(?:,|\b(?:and|or|where|order by|group by|limit|offset|set|from|join|values|returning|union all)\b)\s*/;

/** Each part with the table that the statement begins with. */
function partsOf(text: string): string[] {
  const statement = plain(text);
  const table = /\b(?:from|into|update) \(*"?(\w+)/.exec(statement)?.[1] ?? "";
  return statement
    .split(BETWEEN_PARTS)
    .flatMap(balanced)
    .filter((part) => !/^(as \w+|"\w+")?$/.test(part))
    .map((part) => `${table}: ${part}`);
}

/** Split at the brackets that another part begins or ends with. */
function balanced(part: string): string[] {
  const own = part.replace(/^[\s(]+/, "");
  let depth = 0;
  const end = [...own].findIndex((sign) => {
    depth += sign === "(" ? 1 : sign === ")" ? -1 : 0;
    return depth < 0;
  });
  return end < 0 ? [own.trim()] : [own.slice(0, end).trim(), ...balanced(own.slice(end + 1))];
}
