/**
 * Measures the program against targets on this machine: `npm run bench`, or only some of it:
 * `npm run bench -- checking lists`. `--postgres` measures it on PostgreSQL, `--json` prints the table for
 * programs. The executable is measured where it was built.
 */
import { closeShared } from "../tests/shared.ts";
import { measureBodies } from "./bodies.ts";
import { checking } from "./checking.ts";
import { claims } from "./claims.ts";
import { dashboard } from "./dashboard.ts";
import { deliveries } from "./deliveries.ts";
import { documents } from "./documents.ts";
import { measureCatalogue, measureFiling } from "./filing.ts";
import { hostile } from "./hostile.ts";
import { hostileApi } from "./hostile-api.ts";
import { measureJudging } from "./judging.ts";
import { lists } from "./lists.ts";
import { mail } from "./mail.ts";
import { aMillionHourly } from "./million.ts";
import { nodes } from "./nodes.ts";
import { batches, reads } from "./reads.ts";
import { signIns } from "./sign-in.ts";
import { sources } from "./sources.ts";
import { space } from "./space.ts";
import { starts } from "./start.ts";
import { summary } from "./summary.ts";
import { createTable, type Note } from "./table.ts";
import { triage } from "./triage.ts";

const SECTIONS: Record<string, (note: Note) => Promise<void>> = {
  judging,
  hostile,
  "hostile-api": hostileApi,
  filing,
  reads,
  batches,
  checking,
  deliveries,
  space,
  starts,
  million: aMillionHourly,
  lists,
  bodies,
  dashboard,
  nodes,
  claims,
  summary,
  mail,
  "sign-in": signIns,
  triage,
  documents,
  sources,
};

const asked = process.argv.slice(2).filter((word) => !word.startsWith("--"));
const unknown = asked.find((word) => !(word in SECTIONS));
if (unknown) {
  console.error(`There is no ${unknown}; there are ${Object.keys(SECTIONS).join(", ")}.`);
  process.exit(64);
}
const { note, rows } = createTable();
try {
  for (const name of asked.length > 0 ? asked : Object.keys(SECTIONS)) await SECTIONS[name]!(note);
} finally {
  await closeShared();
}
if (process.argv.includes("--json")) console.log(JSON.stringify(rows, null, 2));
else console.table(rows);
process.exit(rows.every(({ ok }) => ok) ? 0 : 1);

/** A page of 200 kB, from its bytes to its verdict, compared with a bare pass of the parser over it. */
async function judging(note: Note) {
  const { judgeMs, ratio, garbageKb } = await measureJudging();
  note("judging a page of 200 kB, ms", judgeMs, { most: 2, digits: 2 });
  note("judging it / only parsing it", ratio, { most: 3, digits: 2 });
  note("garbage of judging it, kB", garbageKb, { most: 1000 });
}

/** Finding the services of a million addresses, compared with reading them as URLs; and the catalogue at the start. */
async function filing(note: Note) {
  const { classifyMs, parseMs } = await measureFiling();
  note("filing 1,000,000 URLs under services, ms", classifyMs, { most: 2000 });
  note("filing them / reading them as URLs", classifyMs / parseMs, { digits: 2 });
  note("the catalogue at the start, ms", await measureCatalogue(), { most: 5, digits: 1 });
}

/** By how much memory grows for bodies that are large, endless or worse. */
async function bodies(note: Note) {
  for (const { what, grownMb, mostMb } of await measureBodies()) {
    note(`memory for ${what}, MB`, grownMb, { digits: 1, ...(mostMb && { most: mostMb }) });
  }
}
