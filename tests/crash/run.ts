/**
 * Kills the executable again and again while it is written to, and says what came of it.
 *
 *   bun tests/crash/run.ts [rounds] [seed]      200 rounds by default
 */
import { crashRounds } from "./rounds.ts";

const [rounds = "200", seed] = process.argv.slice(2);
const startedAt = performance.now();
const { acknowledged, killedCheckers, faults } = await crashRounds(
  Number(rounds),
  seed === undefined ? undefined : Number(seed),
);
const seconds = Math.round((performance.now() - startedAt) / 1000);

console.log(
  `${rounds} kills in ${seconds} s, and ${killedCheckers} of checker processes; ${acknowledged} changes acknowledged`,
);
for (const fault of faults) console.log(fault);
if (faults.length === 0) {
  console.log("nothing lost, nothing damaged, nothing stuck, every event delivered");
}
process.exit(faults.length === 0 ? 0 : 1);
