import { chunksOf } from "../lib/steps.ts";
import type { LinkChanged, Plan } from "../ops/apply/plan.ts";
import { plain } from "./io.ts";

type Options = { prune?: true; dryRun?: true };

const GREEN = 32;
const YELLOW = 33;
const RED = 31;
const LINES_AT_ONCE = 500;

/** What the plan does, a line each, some lines at a time. */
export function* diffOf(plan: Plan, options: Options, isColoured: boolean): Generator<string> {
  for (const some of chunksOf(LINES_AT_ONCE, [...linesOf(plan, options)])) {
    yield some
      .map(([sign, text]) => `${coloured(`${sign} ${plain(text)}`, isColoured)}\n`)
      .join("");
  }
}

/** Whether there is anything to do. */
export const isAnything = (plan: Plan, { prune }: Options) =>
  countsOf(plan).some((count) => count > 0) || (prune === true && plan.strays.length > 0);

export function summaryOf(plan: Plan, options: Options): string {
  const { strays } = plan;
  const stray = !options.prune && strays.length > 0 ? `${keptOf(strays.length)}\n` : "";
  if (!isAnything(plan, options)) return `${stray}All is as the file says.\n`;
  const [created, changed] = countsOf(plan).map((count) => count.toLocaleString("en"));
  const deleted = (options.prune ? strays.length : 0).toLocaleString("en");
  return `${stray}${created} to create, ${changed} to change, ${deleted} to delete.\n`;
}

const countsOf = ({ newGroups, newLinks, changedGroups, changedLinks }: Plan) => [
  newGroups.length + newLinks.length,
  changedGroups.length + changedLinks.length,
];

const keptOf = (count: number) =>
  count === 1
    ? "1 link of these groups is not in the file; --prune deletes it."
    : `${count.toLocaleString("en")} links of these groups are not in the file; --prune deletes them.`;

type Line = [sign: "+" | "~" | "-", text: string];

function* linesOf(plan: Plan, { prune }: Options): Generator<Line> {
  for (const { name } of plan.newGroups) yield ["+", `group ${name}`];
  for (const { group, change } of plan.changedGroups) {
    const parts = Object.entries(change).map(([name, value]) => `${name} ${value || "none"}`);
    yield ["~", `group ${group.name}  ${parts.join(", ")}`];
  }
  for (const { url, group, frequency } of plan.newLinks) {
    yield ["+", `${url}  ${placeOf(group)}, ${frequency ?? "daily"}`];
  }
  for (const link of plan.changedLinks) yield ["~", `${link.url}  ${changeOf(link)}`];
  if (prune) for (const { url, group } of plan.strays) yield ["-", `${url}  ${placeOf(group)}`];
}

const placeOf = (group: string | null) => (group === null ? "in no group" : `in ${group}`);

const changeOf = ({ group, frequency }: LinkChanged) =>
  [
    group && `${group.from ?? "no group"} → ${group.to ?? "no group"}`,
    frequency && `${frequency.from} → ${frequency.to}`,
  ]
    .filter(Boolean)
    .join(", ");

const COLOURS: Record<string, number> = { "+": GREEN, "~": YELLOW, "-": RED };

const coloured = (line: string, isColoured: boolean) =>
  isColoured ? `\x1b[${COLOURS[line.charAt(0)]}m${line}\x1b[0m` : line;
