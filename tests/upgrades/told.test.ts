import { expect, test } from "bun:test";
import { prepareSqlite } from "../../server/db/prepare.ts";
import { preparationOf, unpack } from "./released.ts";

test("what strangers are told of an upgrade names no place on this machine", async () => {
  const { folder } = unpack("0010");
  const told: string[] = [];

  await prepareSqlite(preparationOf(folder), (doing) => told.push(doing));

  expect(told.length).toBeGreaterThan(2);
  expect(told.filter((doing) => doing.includes(folder))).toEqual([]);
});
