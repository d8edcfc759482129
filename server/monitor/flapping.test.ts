import { expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import { DAY, HOUR, saw } from "../../tests/checker/ended.ts";
import { type Asker, onServer, type TestServer } from "../../tests/harness.ts";
import { checkDueLinks } from "../../tests/rounds.ts";
import { links } from "../ground/db/tables.ts";

const ALIVE = saw("ok", { statusCode: 200 });
const GONE = saw("http_404", { statusCode: 404 });
const STILL = [saw("http_403"), saw("monitor_offline")];

async function newLink(me: Asker) {
  const { body } = await me.post("/api/v1/links", { url: "https://example.org/a" });
  return body.data.id as string;
}

/** Checks the link by hand, each time so much later. */
async function checkEvery(
  server: TestServer,
  me: Asker,
  id: string,
  { ms, ends }: { ms: number; ends: ReturnType<typeof saw>[] },
) {
  for (const end of ends) {
    server.clock.moveBy(ms);
    await me.post(`/api/v1/links/${id}/check`);
    await checkDueLinks({ ...server.deps, check: async () => end });
  }
}

async function flapsUntil({ deps }: TestServer, id: string) {
  const [row] = await deps.store.select().from(links).where(eq(links.id, id));
  return row!.flappingUntil;
}

onServer("a link whose status changes", (server) => {
  test("more than three times in a day is not believed quickly for the next seven", async () => {
    const me = await server().account();
    const id = await newLink(me);

    await checkEvery(server(), me, id, { ms: HOUR, ends: [ALIVE, GONE, ALIVE] });
    expect(await flapsUntil(server(), id)).toBeNull();
    await checkEvery(server(), me, id, { ms: HOUR, ends: [GONE] });

    expect(await flapsUntil(server(), id)).toBe(server().clock.now() + 7 * DAY);
  });

  test("is watched on from the latest change, and checks that change nothing do not count", async () => {
    const me = await server().account();
    const id = await newLink(me);
    await checkEvery(server(), me, id, { ms: HOUR, ends: [ALIVE, ...STILL, GONE, GONE, ALIVE] });
    expect(await flapsUntil(server(), id)).toBeNull();
    await checkEvery(server(), me, id, { ms: HOUR, ends: [GONE, GONE, ALIVE] });
    const until = server().clock.now() + 7 * DAY;

    await checkEvery(server(), me, id, { ms: HOUR, ends: [ALIVE, saw("http_403")] });

    expect(await flapsUntil(server(), id)).toBe(until);
  });

  test("four times in more than a day is as good as any", async () => {
    const me = await server().account();
    const id = await newLink(me);

    await checkEvery(server(), me, id, { ms: 8 * HOUR, ends: [ALIVE, GONE, ALIVE, GONE, ALIVE] });

    expect(await flapsUntil(server(), id)).toBeNull();
  });

  test("often does not stand for another link's changes", async () => {
    const me = await server().account();
    const id = await newLink(me);
    const stranger = await server().account();
    const other = await newLink(stranger);
    await checkEvery(server(), stranger, other, { ms: HOUR, ends: [ALIVE, GONE, ALIVE, GONE] });

    await checkEvery(server(), me, id, { ms: HOUR, ends: [ALIVE] });

    expect(await flapsUntil(server(), id)).toBeNull();
  });
});
