/**
 * Upgrades the database at the path, one statement a step, and is killed before the statement of the number:
 * `bun upgrade-and-die.ts PATH NUMBER`. Says how many statements there are when none has the number.
 */
import { missing } from "../../server/db/migrate.ts";
import { openEngine, ownMigrations } from "../../server/db/open.ts";

const [path, number] = process.argv.slice(2) as [string, string];
const engine = openEngine(`sqlite:${path}`);
const pending = missing(engine.name, ownMigrations(), await engine.applied());
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
