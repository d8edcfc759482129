import { type Command, Option } from "commander";
import * as z from "zod";
import { readBody } from "../accounts/model.ts";
import { moment } from "../ground/lib/fields.ts";
import { type Cell, toCsv } from "../ground/lib/text.ts";
import type { Caller } from "../http/caller.ts";
import { exportedHistory, exportedLinks } from "../links/exports/export-rows.ts";
import {
  HISTORY_COLUMNS,
  LINK_COLUMNS,
  toHistoryCells,
  toLinkCells,
} from "../links/exports/model.ts";
import { declaredLinks } from "../ops/apply/declare.ts";
import type { Deps } from "../work/deps.ts";
import { callerFor, withEmail } from "./accounts.ts";
import { type Cli, withDeps } from "./cli.ts";
import { openOutput } from "./io.ts";

/** How rows become text: what precedes all of them, and each. */
type RowFormat = { head: string; linesOf(rows: Cell[][]): string };

/** As the API exports: a line of columns, and a row per line. */
const csvFormat = (columns: readonly string[]): RowFormat => ({
  head: toCsv([[...columns]]),
  linesOf: toCsv,
});

/** One JSON object per line, with the names of the columns. */
const ndjsonFormat = (columns: readonly string[]): RowFormat => ({
  head: "",
  linesOf: (rows) =>
    rows
      .map((row) => Object.fromEntries(columns.map((column, i) => [column, row[i] ?? null])))
      .map((record) => `${JSON.stringify(record)}\n`)
      .join(""),
});

const ROW_FORMATS = { csv: csvFormat, ndjson: ndjsonFormat };
type RowFormatName = keyof typeof ROW_FORMATS;

type LinkOptions = { email?: string; format: RowFormatName | "yaml" };
type HistoryOptions = { email?: string; format: RowFormatName; from?: string; to?: string };

export function addExport(program: Command, cli: Cli) {
  const command = program.command("export").description("print links or checks, newest first");
  const links = command
    .command("links")
    .description("print all links; `import` reads CSV and NDJSON back, `apply` reads YAML")
    .addOption(formatOf(["csv", "ndjson", "yaml"]));
  withEmail(links).action((options: LinkOptions) => exportLinks(cli, options));
  const history = command
    .command("history")
    .description("print the stored checks of all links")
    .option("--from <time>", "RFC 3339, or a date (its first moment)")
    .option("--to <time>", "RFC 3339, or a date (its last moment)")
    .addOption(formatOf(["csv", "ndjson"]));
  withEmail(history).action((options: HistoryOptions) => exportHistory(cli, options));
}

const Span = z
  .object({ "--from": moment().optional(), "--to": moment("end").optional() })
  .refine(({ "--from": from, "--to": to }) => !from || !to || from <= to, {
    message: "must not be after --to",
    path: ["--from"],
  });

const formatOf = (names: string[]) =>
  new Option("--format <format>", "output format").choices(names).default("csv");

const exportLinks = (cli: Cli, { email, format }: LinkOptions) =>
  withDeps(cli, async (deps) => {
    const caller = await callerFor(deps, email);
    if (format === "yaml") await printAll(cli, declaredLinks(deps, caller));
    else await printAll(cli, linkLines(deps, caller, ROW_FORMATS[format](LINK_COLUMNS)));
  });

async function exportHistory(cli: Cli, { email, format, from, to }: HistoryOptions) {
  const span = await readBody(Span, { "--from": from, "--to": to });
  const query = { start_date: span["--from"], end_date: span["--to"] };
  await withDeps(cli, async (deps) => {
    const steps = exportedHistory(deps, await callerFor(deps, email), query);
    await printAll(cli, linesOf(steps, toHistoryCells, ROW_FORMATS[format](HISTORY_COLUMNS)));
  });
}

const linkLines = (deps: Deps, caller: Caller, format: RowFormat) =>
  linesOf(exportedLinks(deps, caller, {}), toLinkCells(deps.clock.now()), format);

async function* linesOf<Row>(
  steps: AsyncIterable<Row[]>,
  toCells: (row: Row) => Cell[],
  { head, linesOf: textOf }: RowFormat,
) {
  yield head;
  for await (const rows of steps) yield textOf(rows.map(toCells));
}

async function printAll({ io }: Cli, texts: AsyncIterable<string>) {
  const output = openOutput(io);
  for await (const text of texts) await output.write(text);
}
