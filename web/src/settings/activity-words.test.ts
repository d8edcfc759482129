import { expect, test } from "bun:test";
import { ACTIONS as RECORDED } from "../../../server/accounts/audit.ts";
import { ACTIONS as CHOICES, wordsOf } from "./activity-words.ts";

const entryOf = (action: string) => ({
  id: "1",
  created_at: "2030-01-01T00:00:00.000Z",
  action,
  actor: { kind: "user" as const, id: "2", name: "you@example.org", address: null },
  target: null,
  fields: [],
  count: 2,
});

test("Whatever is recorded has words of its own", () => {
  const bare = RECORDED.filter((action) => {
    return wordsOf(entryOf(action)) === action.replace(/[._]/g, " ");
  });

  expect(bare).toEqual([]);
});

test("Activity can be narrowed to whatever is recorded", () => {
  expect(CHOICES.map(({ value }) => value).sort()).toEqual([...RECORDED].sort());
});
