import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createHmac } from "node:crypto";
import { eachRow } from "../../tests/each-row.ts";
import {
  endOf,
  type Posted,
  PUBLISHED,
  type Published,
  startPublished,
} from "../../tests/events/published-receiver.ts";
import { randomBodies } from "../../tests/events/random-bodies.ts";
import { signedHeaders } from "./secrets.ts";

const A = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";
const B = "whsec_Hx4dHBsaGRgXFhUUExIREA8ODQwLCgkIBwYFBAMCAQA=";
const BODY = '{"event":"link.dead","data":{"url":"https://example.org/☃"}}';
const SEED = 20300102;
const STARTS_WITHIN_MS = 120_000;
const HALF_MINUTE_MS = 30_000;
const TOLERANCE_MS = 300_000;

let messages = 0;
const newId = () => `msg_${++messages}`;

/** A message as the server sends it, `afterMs` from now. */
function signed({ secrets = [A], body = BODY, id = newId(), afterMs = 0 } = {}): Posted {
  return { headers: signedHeaders(secrets, { id, body }, Date.now() + afterMs), body };
}

/** A message whose signature is right for whatever its headers say, or leave out. */
function signedAnyhow(id: string, timestamp: string): Posted {
  const key = Buffer.from(A.slice("whsec_".length), "base64");
  const signature = createHmac("sha256", key).update(`${id}.${timestamp}.${BODY}`).digest("base64");
  const headers = {
    ...(id && { "webhook-id": id }),
    ...(timestamp && { "webhook-timestamp": timestamp }),
    "webhook-signature": `v1,${signature}`,
  };
  return { headers, body: BODY };
}

const nowInSeconds = () => String(Math.floor(Date.now() / 1000));

/** A good message with another signature header, made from the good one. */
function signedBy(change: (good: string) => string): Posted {
  const { headers, body } = signed();
  const signature = change(headers["webhook-signature"]!);
  return { headers: { ...headers, "webhook-signature": signature }, body };
}

function withoutSignature(): Posted {
  const { "webhook-signature": _, ...headers } = signed().headers;
  return { headers, body: BODY };
}

const BAD: [what: string, message: () => Posted][] = [
  ["no id", () => signedAnyhow("", nowInSeconds())],
  ["no timestamp", () => signedAnyhow(newId(), "")],
  ["no signature", withoutSignature],
  ["the timestamp hello", () => signedAnyhow(newId(), "hello")],
  ["a timestamp too old", () => signed({ afterMs: -TOLERANCE_MS - HALF_MINUTE_MS })],
  ["a timestamp too new", () => signed({ afterMs: TOLERANCE_MS + HALF_MINUTE_MS })],
  ["an empty signature", () => signedBy(() => "v1,")],
  ["a version without a signature", () => signedBy(() => "v1")],
  ["a signature cut by a letter", () => signedBy((good) => good.slice(0, -1))],
  ["half a signature", () => signedBy((good) => good.slice(0, 20))],
  ["a good signature of another version", () => signedBy((good) => good.replace("v1,", "v2,"))],
  ["a good signature without a version", () => signedBy((good) => good.replace("v1,", ""))],
  ["another secret", () => signed({ secrets: [B] })],
  ["the id of another message", () => withHeader("webhook-id", newId())],
  ["the timestamp of another", () => withHeader("webhook-timestamp", secondAgo())],
  ["other spacing", () => ({ ...signed(), body: JSON.stringify(JSON.parse(BODY), null, 1) })],
  ["another letter", () => ({ ...signed(), body: BODY.replace("☃", "☂") })],
];

function withHeader(name: string, value: string): Posted {
  const { headers, body } = signed();
  return { headers: { ...headers, [name]: value }, body };
}

const secondAgo = () => String(Number(nowInSeconds()) - 1);

const GOOD: [what: string, message: () => Posted][] = [
  ["one signature", () => signed()],
  ["almost five minutes of age", () => signed({ afterMs: HALF_MINUTE_MS - TOLERANCE_MS })],
  ["almost five minutes to come", () => signed({ afterMs: TOLERANCE_MS - HALF_MINUTE_MS })],
  [
    "a good signature among bad ones",
    () => signedBy((good) => `v2,${good.slice(3)} v1,AAAA v1, hello ${good} v1a,AAAA`),
  ],
  ["signatures by a new secret and by this", () => signed({ secrets: [B, A] })],
  ["signatures by this secret and by an old one", () => signed({ secrets: [A, B] })],
  [
    "letters of many scripts",
    () => signed({ body: '{"url":"https://例え.テスト/☃","emoji":"💀"}' }),
  ],
  ["escapes", () => signed({ body: '{"a":"\\u2603\\ud83d\\udc80\\u0000\\/\\"\\n"}' })],
  ["spaces around", () => signed({ body: ' { "a" :\t1 }\r\n' })],
];

describe.each(PUBLISHED.filter(isHere))("$file", (which) => {
  let receiver: Awaited<ReturnType<typeof startPublished>>;
  beforeAll(async () => {
    receiver = await startPublished(which, A);
  }, STARTS_WITHIN_MS);
  afterAll(() => receiver.stop());

  async function expectTaken(message: Posted, by = receiver) {
    expect(await by.post(message)).toEqual({ status: 204, text: "" });
    expect(eventOf(await by.line())).toEqual(JSON.parse(message.body));
  }

  eachRow(GOOD)("takes a message with %s", async (_, message) => {
    await expectTaken(message());
  });

  eachRow(BAD)("refuses a message with %s", async (_, message) => {
    const { status, text } = await receiver.post(message());

    expect(status).toBe(400);
    expect(text).toMatch(/^bad signature: \w.*\n$/);
    expect(await receiver.line()).toBe(`refused, ${text.trim()}`);
  });

  test("answers a repetition and prints it once", async () => {
    const first = signed({ id: "msg_again", body: '{"no":1}' });
    const again = signed({ id: "msg_again", body: '{"no":1}', afterMs: 2000 });

    await expectTaken(first);

    expect((await receiver.post(again)).status).toBe(204);
    await expectTaken(signed({ body: '{"no":2}' }));
  });

  test("takes a message that was refused before", async () => {
    const message = signed();
    const spoilt = { ...message, body: `${message.body} ` };

    expect((await receiver.post(spoilt)).status).toBe(400);
    expect(await receiver.line()).toStartWith("refused");
    await expectTaken(message);
  });

  test("refuses what is signed and no JSON", async () => {
    const { status, text } = await receiver.post(signed({ body: "Dead: example.org" }));

    expect(status).toBe(400);
    expect(text).not.toContain("signature");
    expect(await receiver.line()).toStartWith("refused");
  });

  test("takes a hundred bodies of any letters", async () => {
    for (const body of randomBodies(SEED, 100)) await expectTaken(signed({ body }));
  });

  test("listens to this machine only", async () => {
    const elsewhere = receiver.url.replace("127.0.0.1", "127.0.0.2");

    await expect(fetch(elsewhere, { method: "POST" })).rejects.toThrow();
  });

  eachRow([
    ["without whsec_", A.slice("whsec_".length), [A]],
    ["that is new, while the old one signs too", B, [B, A]],
  ])("takes a secret %s", async (_, secret, secrets) => {
    const another = await startPublished(which, secret);

    await expectTaken(signed({ secrets }), another);
    await another.stop();
  });

  eachRow(["", "whsec_", "whsec_no base64!"])("does not start with the secret %p", async (bad) => {
    const { code, said } = await endOf(which, bad);

    expect(code).toBe(1);
    expect(said.trim()).toBe(
      "SIGNING_SECRET must be a webhook's signing secret: whsec_ and base64.",
    );
  });
});

test.skip.each(PUBLISHED.filter((which) => !isHere(which)))(
  "$file is not tried: there is no $program on this machine",
  () => {},
);

function isHere({ program }: Published): boolean {
  return Bun.which(program) !== null;
}

/** What a line says was verified. */
function eventOf(line: string): unknown {
  const [, json] = /^verified (.*)$/s.exec(line) ?? [];
  return json === undefined ? line : JSON.parse(json);
}
