import { expect, test } from "bun:test";
import { eachRow } from "../../tests/each-row.ts";
import { onServer } from "../../tests/harness.ts";
import { sendRaw } from "../../tests/http/raw.ts";
import { addLink } from "../../tests/rows.ts";
import { createCrowd } from "./read-request.ts";

const KIB = 1024;
const JSON_TYPE = { "content-type": "application/json" };
const path = "/api/v1/groups";
/** A JSON object of exactly so many bytes. */
const objectOf = (bytes: number) => {
  const frame = JSON.stringify({ name: "a", filler: "" }).length;
  return JSON.stringify({ name: "a", filler: "x".repeat(bytes - frame) });
};
const nested = (levels: number) => `{"name":"a","deep":${"[".repeat(levels)}${"]".repeat(levels)}}`;

onServer("A request's body", (server) => {
  test("may have 64 KiB, and no byte more", async () => {
    const me = await server().account();

    expect((await me.post(path, objectOf(64 * KIB))).status).toBe(201);
    const { status, headers, body } = await me.post(path, objectOf(64 * KIB + 1));
    expect(status).toBe(413);
    expect(body.error).toEqual({
      code: "PAYLOAD_TOO_LARGE",
      message: "The body must be at most 64 KiB.",
      status: 413,
    });
    expect(headers.get("x-ratelimit-limit")).toBe("120");
  });

  test("may have 4 MiB on the batch routes, and no byte more", async () => {
    const me = await server().account();

    for (const batch of [
      "/api/v1/links/batch",
      "/api/v1/links/preview",
      "/api/v1/links/batch-delete",
    ]) {
      expect((await me.post(batch, objectOf(4096 * KIB))).status).toBe(400);
      const { status, body } = await me.post(batch, objectOf(4096 * KIB + 1));
      expect([status, body.error.message]).toEqual([413, "The body must be at most 4096 KiB."]);
    }
  });

  test("that comes in chunks is counted as it comes", async () => {
    const me = await server().account();
    const post = (bytes: number) => {
      const body = new ReadableStream({
        start(controller) {
          const text = new TextEncoder().encode(objectOf(bytes));
          for (let i = 0; i < text.length; i += 10_000)
            controller.enqueue(text.slice(i, i + 10_000));
          controller.close();
        },
      });
      const headers = { authorization: `Bearer ${me.key}`, ...JSON_TYPE };
      return fetch(server().url + path, { method: "POST", headers, body });
    };

    expect((await post(64 * KIB)).status).toBe(201);
    const refused = await post(64 * KIB + 1);
    expect(refused.status).toBe(413);
    expect(((await refused.json()) as { error: { code: string } }).error.code).toBe(
      "PAYLOAD_TOO_LARGE",
    );
  });

  eachRow([
    "text/plain",
    "text/json",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=x",
    "application/xml",
    "application/merge-patch+json",
    "application/jsonp",
    "",
  ])("of the type %p is not taken", async (type) => {
    const me = await server().account();

    const { status, body } = await me.post(path, '{"name":"a"}', { "content-type": type });

    expect([status, body.error.code]).toEqual([415, "UNSUPPORTED_MEDIA_TYPE"]);
  });

  eachRow(["application/json; charset=utf-8", "Application/JSON", "application/json ;x=y"])(
    "of the type %p is JSON",
    async (type) => {
      const me = await server().account();

      const { status } = await me.post(path, '{"name":"a"}', { "content-type": type });

      expect(status).toBe(201);
    },
  );

  eachRow(["{", "{'name':'a'}", '{"name":"a"}x', '{"name":"a",}', "\ufeff{}", "undefined", "NaN"])(
    "that reads %p is not JSON",
    async (text) => {
      const me = await server().account();

      const { status, body } = await me.post(path, text);

      expect(status).toBe(400);
      expect(body.error).toMatchObject({
        code: "VALIDATION_ERROR",
        details: { fields: { body: ["is not valid JSON"] } },
      });
    },
  );

  test("that is not UTF-8 is refused instead of repaired", async () => {
    const me = await server().account();
    const bytes = Buffer.concat([Buffer.from('{"name":"'), Buffer.from([0xff]), Buffer.from('"}')]);

    const reply = await fetch(server().url + path, {
      method: "POST",
      headers: { authorization: `Bearer ${me.key}`, ...JSON_TYPE },
      body: bytes,
    });

    expect(reply.status).toBe(400);
    expect(await reply.json()).toMatchObject({
      error: { details: { fields: { body: ["is not valid UTF-8"] } } },
    });
  });

  test("may be nested 32 levels deep, and no level more", async () => {
    const me = await server().account();

    expect((await me.post(path, nested(31))).status).toBe(201);
    expect((await me.post(path, nested(32))).status).toBe(400);
    expect((await me.post(path, nested(30_000))).status).toBe(400);
  });

  test("may hold 50,000 values, and not one more, however small they are", async () => {
    const me = await server().account();
    const holding = (values: number) => `{"links":[${"0,".repeat(values - 3)}0]}`;
    const problem = async (body: string) =>
      (await me.post("/api/v1/links/batch", body)).body.error.details.fields;

    expect(Object.keys(await problem(holding(50_000)))).not.toContain("body");
    expect(await problem(holding(50_001))).toEqual({ body: ["has more than 50,000 values"] });
    expect(await problem(`{"links":[${"{},".repeat(1_000_000)}{}]}`)).toEqual({
      body: ["has more than 50,000 values"],
    });
    const text = `{"links":[],"text":"${'\\",[{'.repeat(500_000)}"}`;
    expect(Object.keys(await problem(text))).not.toContain("body");
  });

  test("of a stranger may have 16 KiB", async () => {
    const send = (bytes: number) =>
      fetch(`${server().url}/dashboard/api/session`, {
        method: "POST",
        headers: { ...JSON_TYPE, "sec-fetch-site": "same-origin" },
        body: objectOf(bytes),
      });

    expect((await send(16 * KIB)).status).toBe(400);
    expect((await send(16 * KIB + 1)).status).toBe(413);
  });

  test("of a twice given name has the last one, and names of the language mean nothing", async () => {
    const me = await server().account();

    const twice = await me.post(path, '{"name":"first","name":"last"}');
    const odd = await me.post(
      path,
      '{"name":"a","__proto__":{"color":"#000000"},"constructor":{"prototype":1},"toString":1}',
    );

    expect(twice.body.data.name).toBe("last");
    expect([odd.status, odd.body.data.color]).toEqual([201, "#6B7280"]);
  });

  test("is not asked for where there is nothing to say, and not read either", async () => {
    const me = await server().account();
    const check = `/api/v1/links/${await addLink(me)}/check`;

    expect((await me.post(check)).status).toBe(200);
    expect((await me.delete(`/api/v1/links/${await addLink(me)}`, { any: 1 })).status).toBe(204);
  });

  test("that stops half way does not disturb others", async () => {
    const me = await server().account();
    const head = `POST ${path} HTTP/1.1\r\nHost: me.example\r\nConnection: close\r\nAuthorization: Bearer ${me.key}\r\nContent-Type: application/json\r\n`;

    const { status } = await sendRaw(
      server().url,
      `${head}Transfer-Encoding: chunked\r\n\r\nzz\r\n`,
    );

    expect(status).toBe(400);
    expect((await me.get(path)).status).toBe(200);
  });
});

test("Of too many bodies of strangers the one that began first is cut off", async () => {
  const crowd = createCrowd(2);
  const until = (cut: AbortSignal) =>
    new Promise<string>((resolve) => cut.addEventListener("abort", () => resolve("cut off")));

  const first = crowd.enter(until);
  void crowd.enter(until);
  const done = await crowd.enter(async () => "done");

  expect([await first, done]).toEqual(["cut off", "done"]);
  expect(await crowd.enter(async (cut) => cut.aborted)).toBeFalse();
});
