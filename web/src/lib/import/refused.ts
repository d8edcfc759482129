import { type Ledger, outcomeAt } from "./ledger.ts";

/** The indexes of what was not added although it might have been, as it stands. */
const refusedIn = (ledger: Ledger): number[] =>
  [...ledger.items.keys()].filter((i) => /^(refused|limit)$/.test(outcomeAt(ledger, i)));

/** What a spreadsheet would run, also where the signs are of full width. */
const FORMULA = /^[=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20]/;

export const refusedText = (ledger: Ledger) =>
  refusedIn(ledger)
    .map((i) => ledger.items[i]!.url)
    .join("\n");

/** A table that can be fixed and imported again: its columns are read back. */
export async function refusedTable(ledger: Ledger): Promise<string> {
  const { default: Papa } = await import("papaparse");
  const rows = refusedIn(ledger).map((i) => {
    const { line, url, group, frequency } = ledger.items[i]!;
    const problem = ledger.details[i] ?? "";
    return { line, url, group: group ?? "", check_frequency: frequency ?? "", problem };
  });
  // Every cell is quoted, as in an export.
  return Papa.unparse(rows, { quotes: true, escapeFormulae: FORMULA });
}

/** Hands the text to the user as a file. */
export function download(name: string, text: string) {
  const address = URL.createObjectURL(new Blob([text], { type: "text/csv;charset=utf-8" }));
  const anchor = Object.assign(document.createElement("a"), { href: address, download: name });
  anchor.click();
  URL.revokeObjectURL(address);
}
