/**
 * Kills the executable again and again while it is written to, and says what came of it.
 *
 *   bun tests/crash/run.ts [rounds] [seed]      200 rounds unless told
 */
import { crashRounds } from "./rounds.ts";

const [rounds = "200", seed] = process.argv.slice(2);
const startedAt = performance.now();
const report = await crashRounds(Number(rounds), seed === undefined ? undefined : Number(seed));
const seconds = Math.round((performance.now() - startedAt) / 1000);

const { acknowledged, ...seen } = report;
const faults = Object.entries(seen).filter(
  ([name, found]) => name !== "rounds" && (Array.isArray(found) ? found.length > 0 : found !== 0),
);
console.log(`${rounds} kills in ${seconds} s, ${acknowledged} changes acknowledged`);
for (const [name, found] of faults) console.log(`${name}: ${JSON.stringify(found)}`);
if (faults.length === 0) {
  console.log("nothing lost, nothing damaged, nothing stuck, every event delivered");
}
process.exit(faults.length === 0 ? 0 : 1);
