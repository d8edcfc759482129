import { systemClock } from "../../server/ground/lib/clock.ts";
import { replacing, stage } from "../../server/ops/backups/restore.ts";

/** A restore that is killed after so many steps; tells each. */
const [database, file, count] = process.argv.slice(2) as [string, string, string];
const staged = await stage(database, file);
let left = Number(count);
const steps = replacing(database, staged, systemClock);
for (;;) {
  if (left-- === 0) process.kill(process.pid, "SIGKILL");
  const { done, value } = await steps.next();
  if (done) break;
  process.stdout.write(`${value}\n`);
}
