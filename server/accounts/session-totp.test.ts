import { describe, expect, test } from "bun:test";
import { eachRow } from "../../tests/each-row.ts";
import { newTotp, stepOf } from "./codes.ts";

/** The secret of RFC 6238, appendix B, in base32. */
const SECRET = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";

describe("a code of RFC 6238", () => {
  eachRow([
    [59, "287082"],
    [1_111_111_109, "081804"],
    [1_111_111_111, "050471"],
    [1_234_567_890, "005924"],
    [2_000_000_000, "279037"],
    [20_000_000_000, "353130"],
  ])("at %i seconds is %s", (seconds, code) => {
    expect(stepOf(SECRET, code, seconds * 1000)).toBe(Math.floor(seconds / 30));
  });

  eachRow([
    ["two steps late", 120_000, null],
    ["one step late", 89_999, 1],
    ["one step early", 29_999, 1],
    ["in its step", 59_999, 1],
    ["two steps early", -1, null],
  ])("is judged %s", (_name, now, step) => {
    expect(stepOf(SECRET, "287082", now)).toBe(step);
  });

  eachRow([["287083"], ["28708"], ["0287082"], [""], ["２８７０８２"]])("is not %p", (code) => {
    expect(stepOf(SECRET, code, 59_000)).toBeNull();
  });
});

test("an app takes over the secret by an address with everything in it", () => {
  const { secret, uri } = newTotp("me+you@example.org");

  expect(secret).toMatch(/^[A-Z2-7]{32}$/);
  expect(uri).toBe(
    `otpauth://totp/Stillup:me%2Byou%40example.org?issuer=Stillup&secret=${secret}&algorithm=SHA1&digits=6&period=30`,
  );
  expect(newTotp("me@example.org").secret).not.toBe(secret);
});
