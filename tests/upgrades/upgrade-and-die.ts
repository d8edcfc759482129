/**
 * Upgrades the database at the path, one statement per step, and kills itself before the statement with this number:
 * `bun upgrade-and-die.ts PATH NUMBER`. Prints the number of statements if no statement has it.
 */
import { missing } from "../../server/ground/db/migrate.ts";
import { openEngine } from "../../server/ground/db/open.ts";
import { NEWER_FILES } from "./newer.ts";

const [path, number] = process.argv.slice(2) as [string, string];
const engine = openEngine(`sqlite:${path}`);
const pending = missing(engine.name, NEWER_FILES, await engine.applied());
const steps = pending.flatMap(({ name, statements }) =>
  // A statement ends where the next begins at the edge, which the parts of a trigger never do.
  statements
    .split(/;\n+(?=[^ \n])(?!END)/)
    .map((statement, i, all) => ({ name: `${name} ${i + 1} of ${all.length}`, statement })),
);
await engine.upgrade({
  at: 1,
  choose: () => steps.map(({ name, statement }) => ({ name, statements: `${statement};` })),
  onStep: ({ n }) => {
    if (n === Number(number)) process.kill(process.pid, "SIGKILL");
  },
});
console.log(steps.length);
await engine.close();
