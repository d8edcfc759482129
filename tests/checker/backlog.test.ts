import { expect, test } from "bun:test";
import { createDispatch } from "../../server/checker/dispatch.ts";
import { type Asker, onBothEngines } from "../harness.ts";

async function newLinks(me: Asker, many: number): Promise<string[]> {
  const made = Array.from({ length: many }, (_, i) =>
    me.post("/api/v1/links", { url: `https://example.org/${i}` }),
  );
  return (await Promise.all(made)).map(({ body }) => body.data.id);
}

onBothEngines("while more links are due than can be checked", (server) => {
  test("whoever asks by hand does not wait for all that was due before", async () => {
    const me = await server().account();
    const ids = await newLinks(me, 6);
    const dispatch = createDispatch(server().deps);
    const begun = (await dispatch.claim(2)).map(({ id }) => id);
    const asked = ids.findLast((id) => !begun.includes(id))!;
    server().clock.moveBy(1000);

    await me.post(`/api/v1/links/${asked}/check`);
    const next = await dispatch.claim(2);

    expect(next.map(({ id }) => id)).toContain(asked);
    expect(next).toHaveLength(2);
    expect(await dispatch.claim(5)).toHaveLength(2);
  });
});
