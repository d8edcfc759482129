import { expect, test } from "bun:test";
import { addMany } from "../../../tests/exports/add-many.ts";
import { type Asker, onServer } from "../../../tests/harness.ts";
import { createExportPlaces, inPlace } from "./routes.ts";

const PATH = "/api/v1/links/export";

onServer("Exports at once", (server) => {
  /** A reply that no one reads. */
  const begin = (me: Asker, path = PATH) =>
    server().front(
      new Request(server().url + path, { headers: { authorization: `Bearer ${me.key}` } }),
    );

  test("are limited to two for an account; a third is refused with Retry-After", async () => {
    const me = await server().account();
    await addMany(me, 2100);
    const [first, second] = [await begin(me), await begin(me)];

    const third = await begin(me);

    expect([first.status, second.status, third.status]).toEqual([200, 200, 429]);
    expect(third.headers.get("retry-after")).toBe("10");
    const { error } = await third.json();
    expect([error.code, error.details.limit]).toEqual(["RATE_LIMITED", 2]);
    expect((await me.get("/api/v1/links")).status).toBe(200);
    await first.body!.cancel();
    expect((await me.get(PATH)).status).toBe(200);
    await second.text();
    const [again, more] = [await begin(me), await begin(me)];
    expect([again.status, more.status]).toEqual([200, 200]);
    await Promise.all([again.body!.cancel(), more.body!.cancel()]);
  });

  test("leave no place taken by those that are refused or only asked about", async () => {
    const me = await server().account();
    for (let n = 0; n < 3; n++) {
      await fetch(server().url + PATH, {
        method: "HEAD",
        headers: { authorization: `Bearer ${me.key}` },
      });
      expect((await me.get(`${PATH}?status=maybe`)).status).toBe(400);
    }

    expect((await me.get(PATH)).status).toBe(200);
  });
});

test("There are eight exports at once for all accounts together", async () => {
  const places = createExportPlaces();
  const leaving = Array.from({ length: 8 }, (_, n) => places.take(`account ${n >> 1}`));

  expect(() => places.take("account 9")).toThrow("Too many exports");
  leaving[0]!();
  places.take("account 9")();
});

test("An export that fails leaves its place", async () => {
  const places = createExportPlaces();
  // biome-ignore lint/correctness/useYield: it fails before it can
  async function* failing(): AsyncGenerator<string, void> {
    throw new Error("the database is away");
  }

  for (let n = 0; n < 3; n++) {
    await expect(inPlace(places, "one", failing()).next()).rejects.toThrow("is away");
  }
});
