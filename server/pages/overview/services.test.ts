import { expect, test } from "bun:test";
import { onServer } from "../../../tests/harness.ts";
import { addLink, setLink } from "../../../tests/rows.ts";

onServer("GET /overview/services", (server) => {
  test("counts links by service and status, the largest first", async () => {
    const me = await server().account();
    for (const status of ["active", "dead", "unknown", "active"] as const) {
      await setLink(server(), await addLink(me), { status });
    }
    await addLink(me, { url: "https://youtu.be/jNQXAC9IVRw" });

    const { status, body } = await me.get("/api/v1/overview/services");

    expect(status).toBe(200);
    expect(body.data).toEqual({
      total: 2,
      items: [
        { service: "generic", active: 2, dead: 1, unknown: 1 },
        { service: "youtube", active: 0, dead: 0, unknown: 1 },
      ],
    });
  });

  test("names ten services, and says how many there are", async () => {
    const me = await server().account();
    for (let i = 0; i < 12; i++) {
      await setLink(server(), await addLink(me), { service: `service-${i}` });
    }

    const { data } = (await me.get("/api/v1/overview/services")).body;

    expect(data.total).toBe(12);
    expect(data.items).toHaveLength(10);
    const all = (await me.get("/api/v1/overview/services?most=200")).body.data;
    expect(all.items).toHaveLength(12);
  });
});
