import { expect, test } from "bun:test";
import { crashRounds } from "./rounds.ts";

const ROUNDS = 20;

test("a program that is killed again and again keeps what it said, tells of it all, and leaves nothing half done", async () => {
  const { acknowledged, faults } = await crashRounds(ROUNDS);

  expect(faults).toEqual([]);
  expect(acknowledged).toBeGreaterThan(ROUNDS);
});
