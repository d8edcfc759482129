import { expect, test } from "bun:test";
import { createSecretBox } from "../ground/lib/secret-box.ts";
import { secretsAt, toOldSecrets } from "./secrets.ts";

const box = createSecretBox(new Uint8Array(32));
const another = createSecretBox(new Uint8Array(32).fill(1));

test("what is sealed opens only whole, with its own key, and is never the same twice", () => {
  const sealed = box.seal("a secret");
  const bytes = Buffer.from(sealed, "base64");

  expect(box.open(sealed)).toBe("a secret");
  expect(bytes.toString("latin1")).not.toContain("a secret");
  expect(box.seal("a secret")).not.toBe(sealed);
  expect(() => another.open(sealed)).toThrow("another secret key");
  for (const at of bytes.keys()) {
    const changed = Buffer.from(bytes);
    changed[at]! ^= 1;
    expect(() => box.open(changed.toString("base64"))).toThrow("another secret key");
  }
});

test("the secrets that sign are the current one and the old ones whose time is not over", () => {
  const oldSecrets = toOldSecrets([
    { secret: box.seal("newer"), expires_at: 2000 },
    { secret: box.seal("older"), expires_at: 1000 },
  ]);
  const webhook = { secret: box.seal("current"), oldSecrets };

  expect(secretsAt(webhook, box, 999)).toEqual(["current", "newer", "older"]);
  expect(secretsAt(webhook, box, 1000)).toEqual(["current", "newer"]);
  expect(secretsAt(webhook, box, 2000)).toEqual(["current"]);
});

test("an old secret that was sealed under another key does not keep the current one from signing", () => {
  const oldSecrets = toOldSecrets([{ secret: another.seal("lost"), expires_at: 1000 }]);

  expect(secretsAt({ secret: box.seal("current"), oldSecrets }, box, 0)).toEqual(["current"]);
});

test("a current secret that cannot be read does not lead to signatures with old ones only", () => {
  const oldSecrets = toOldSecrets([{ secret: box.seal("old"), expires_at: 1000 }]);

  expect(() => secretsAt({ secret: another.seal("lost"), oldSecrets }, box, 0)).toThrow();
});

test("without old secrets nothing is kept of them", () => {
  expect(toOldSecrets([])).toBeNull();
  expect(secretsAt({ secret: box.seal("current"), oldSecrets: null }, box, 0)).toEqual(["current"]);
});
