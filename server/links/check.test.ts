import { expect, test } from "bun:test";
import { onServer } from "../../tests/harness.ts";
import { addLink, setLink } from "../../tests/rows.ts";

const path = "/api/v1/links";

onServer("POST /links/{id}/check", (server) => {
  test("starts a check at once, whatever the link was", async () => {
    const me = await server().account();
    const link = await addLink(me);
    await setLink(server(), link, { status: "active", nextCheckAt: server().clock.now() + 1e9 });

    const { status, body } = await me.post(`${path}/${link.toUpperCase()}/check`);

    expect(status).toBe(200);
    expect(body).toEqual({ data: { id: link, status: "checking", message: "Check initiated." } });
    const { data } = (await me.get(`${path}/${link}`)).body;
    expect(data.status).toBe("checking");
    expect(Date.parse(data.next_check_at)).toBe(server().clock.now());
  });

  test("starts no second check while one runs, and one again when its lease is over", async () => {
    const me = await server().account();
    const ask = async (link: string) => (await me.post(`${path}/${link}/check`)).body.data.message;
    const link = await addLink(me);

    const messages = await Promise.all(Array.from({ length: 5 }, () => ask(link)));

    expect(messages.filter((message) => message === "Check initiated.")).toHaveLength(1);
    expect(await ask(link)).toBe("A check is already running.");
    server().clock.moveBy(120_000);
    expect(await ask(link)).toBe("Check initiated.");
  });

  test("needs no body", async () => {
    const me = await server().account();

    const { status } = await me.post(`${path}/${await addLink(me)}/check`, {});

    expect(status).toBe(200);
  });

  test("of a stranger's link is forbidden", async () => {
    const me = await server().account();
    const foreign = await addLink(await server().account());

    expect((await me.post(`${path}/${foreign}/check`)).status).toBe(403);
  });
});
