import Papa from "papaparse";
import { type Caller, OPERATOR } from "../../server/http/caller.ts";
import type { Asker, Reply } from "../harness.ts";

/** The lines of an export after its head, each by the names of its columns. */
export const rowsIn = ({ body }: Reply): Record<string, string>[] =>
  Papa.parse<Record<string, string>>(body, { header: true, skipEmptyLines: true }).data;

/** A line of an export: every cell is quoted. */
export const lineOf = (...cells: (string | number)[]) =>
  `${cells.map((cell) => `"${String(cell).replaceAll('"', '""')}"`).join(",")}\r\n`;

/** The caller that a verb is to assume. */
export const callerOf = ({ accountId, accountNo }: Asker): Caller => ({
  accountId,
  accountNo,
  tier: "business",
  permissions: { read: true, write: true },
  by: OPERATOR,
});
