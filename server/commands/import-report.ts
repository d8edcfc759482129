import type { Told } from "./import-part.ts";
import { plain } from "./io.ts";

/** What an import has done so far. */
export type Tally = Record<Told["outcome"], number> & {
  /** Of the list, as far as it was taken in. */
  lastLine: number;
  /** How many sitemaps an index named. */
  sitemaps: number;
  count(told: Told): void;
  all(): number;
};

export const newTally = (): Tally => ({
  ...{ created: 0, known: 0, refused: 0, lastLine: 0, sitemaps: 0 },
  count({ outcome, line }) {
    this[outcome]++;
    this.lastLine = line;
  },
  all() {
    return this.created + this.known + this.refused;
  },
});

const WORDS = { created: "created", known: "already there", refused: "refused" };
const WIDTH = 15;

export function asLine({ line, url, outcome, why }: Told, isDry: boolean): string {
  const word = isDry && outcome === "created" ? "would create" : WORDS[outcome];
  return plain(`${word.padEnd(WIDTH)}line ${line}  ${url}${why ? `  ${why}` : ""}`);
}

export const asJsonLine = ({ line, url, outcome, id, why }: Told): string =>
  JSON.stringify({ line, url, outcome: WORDS[outcome].replace(" ", "_"), id, reason: why });

type Summary = { json?: true; dryRun?: true; newGroups: string[] };

/** The last line of the report. */
export function summaryOf(
  { created, known, refused }: Tally,
  { json, dryRun, newGroups }: Summary,
): string {
  const summary = { created, already_there: known, refused, new_groups: newGroups };
  if (json) return `${JSON.stringify({ summary: { ...summary, dry_run: dryRun === true } })}\n`;
  const [made, groupsMade] = dryRun
    ? ["would be created", "Groups that would be made"]
    : ["created", "Groups made"];
  const shown = (count: number) => count.toLocaleString("en");
  const groups = newGroups.length === 0 ? "" : `${groupsMade}: ${newGroups.join(", ")}.\n`;
  return `${plain(groups.trimEnd())}${groups && "\n"}${shown(created)} ${made}, ${shown(known)} already there, ${shown(refused)} refused.\n`;
}
