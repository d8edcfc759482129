import { expect, test } from "bun:test";
import { sized } from "../long.ts";
import { crashRounds } from "./rounds.ts";

/** 200 with `npm run crash`. */
const ROUNDS = sized(1, 12);

test("a program that is killed again and again keeps what it said, reports it all, and leaves nothing half done", async () => {
  const { acknowledged, killedCheckers, faults } = await crashRounds(ROUNDS);

  expect(faults).toEqual([]);
  expect(acknowledged).toBeGreaterThan(ROUNDS);
  expect(killedCheckers).toBeGreaterThan(0);
});
