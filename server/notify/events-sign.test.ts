import { expect, test } from "bun:test";
import { Webhook } from "standardwebhooks";
import { decodeTime } from "ulid";
import { eachRow } from "../../tests/each-row.ts";
import { randomBodies } from "../../tests/events/random-bodies.ts";
import { standardBody } from "./formats.ts";
import { newSigningSecret, signedHeaders } from "./secrets.ts";
import { messageIdOf } from "./send.ts";

const A = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";
const B = "whsec_Hx4dHBsaGRgXFhUUExIREA8ODQwLCgkIBwYFBAMCAQA=";
const ID = "msg_01J9ZK3V5Q8M7N6P4R2S1T0W9X";
const AT = 1767225600;
const SEED = 20300103;
const LINK_DEAD =
  '{"event":"link.dead","timestamp":"2026-01-01T00:00:00.000Z","webhookId":"6f1c2d3e-4a5b-4c6d-8e7f-9a0b1c2d3e4f","data":{"linkId":"3f0e2a54-0d1b-4f7e-9d5c-0a1b2c3d4e5f","url":"https://example.com/caf%C3%A9","previousStatus":"active","currentStatus":"dead","checkedAt":"2026-01-01T00:00:00.000Z"}}';

// The first two are published with the JavaScript, Python and Rust libraries of Standard Webhooks.
eachRow([
  [
    "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
    "msg_p5jXN8AQM9LWM0D4loKWxJek",
    1614265330,
    '{"test": 2432232314}',
    "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
  ],
  [
    "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD",
    "msg_27UH4WbU6Z5A5EzD8u03UvzRbpk",
    1649367553,
    '{"email":"test@example.com","username":"test_user"}',
    "v1,tZ1I4/hDygAJgO5TYxiSd6Sd0kDW6hPenDe+bTa3Kkw=",
  ],
  [A, ID, AT, LINK_DEAD, "v1,qLzgVKcy4YjFnEIkjpWa5a3i//CZCMHJDV0826rUZMA="],
  [B, ID, AT, LINK_DEAD, "v1,9CTTHVqV75xASxPlCTogCrg06PcI7POIdxUs7+hnO+c="],
  [
    A,
    "msg_utf8",
    AT,
    '{"url":"https://例え.テスト/☃","emoji":"💀"}',
    "v1,RgK2p3x2scNdwDLnAWoFXswRs8vx2/ilKoznX4dlbec=",
  ],
  [A, "msg_empty", AT, "", "v1,k10XBqOzl0GF1ynbwUY7qtUw0poaNGcnOjLHwCCosHw="],
  [A, "msg_nl", AT, '{"a":1}\n', "v1,peCOow7eELcN9KufYz5LPjgw2nl2MMwdAQQ/3tnBxaU="],
])("signs as the published vectors do (%#)", (secret, id, seconds, body, signature) => {
  const headers = signedHeaders([secret], { id, body }, seconds * 1000 + 999);

  expect(headers).toEqual({
    "webhook-id": id,
    "webhook-timestamp": String(seconds),
    "webhook-signature": signature,
  });
});

test("while a secret is replaced, each signs: the current one first", () => {
  const headers = signedHeaders([B, A], { id: ID, body: LINK_DEAD }, AT * 1000);

  expect(headers["webhook-signature"]).toBe(
    "v1,9CTTHVqV75xASxPlCTogCrg06PcI7POIdxUs7+hnO+c= v1,qLzgVKcy4YjFnEIkjpWa5a3i//CZCMHJDV0826rUZMA=",
  );
});

test("a thousand bodies of any letters verify with the library of Standard Webhooks, by either secret", () => {
  const bodies = randomBodies(SEED, 1000);

  const events = bodies.map((body, no) => {
    const headers = signedHeaders([B, A], { id: `msg_${no}`, body }, Date.now());
    return new Webhook(no % 2 ? A : B).verify(Buffer.from(body), headers);
  });

  expect(events).toEqual(bodies.map((body) => JSON.parse(body)));
});

test("a signing secret holds 32 bytes and is never the same", () => {
  const secret = newSigningSecret();

  expect(Buffer.from(secret.slice("whsec_".length), "base64")).toHaveLength(32);
  expect(newSigningSecret()).not.toBe(secret);
});

test("a message keeps its id, and no other event or webhook has the same", () => {
  const event = { id: "e1", createdAt: AT * 1000 };
  const id = messageIdOf(event, "w1");

  expect(id).toMatch(/^msg_[0-9A-HJKMNP-TV-Z]{26}$/);
  expect(decodeTime(id.slice("msg_".length))).toBe(event.createdAt);
  expect(messageIdOf(event, "w1")).toBe(id);
  expect(messageIdOf(event, "w2")).not.toBe(id);
  expect(messageIdOf({ ...event, id: "e2" }, "w1")).not.toBe(id);
});

test("a message has the four keys in their order, and the data as it was stored", () => {
  const data = '{"linkId":"3f","url":"https://example.org/☃"}';

  const body = standardBody({ type: "link.dead", data, createdAt: AT * 1000 }, "w1");

  expect(body).toBe(
    `{"event":"link.dead","timestamp":"2026-01-01T00:00:00.000Z","webhookId":"w1","data":${data}}`,
  );
});
