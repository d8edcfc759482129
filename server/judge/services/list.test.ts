import { expect, test } from "bun:test";
import { onServer } from "../../../tests/harness.ts";

const path = "/api/v1/services";

onServer("GET /services", (server) => {
  test("names every id that a link can be filed under, in alphabetical order", async () => {
    const me = await server().account();

    const { status, body } = await me.get(path);

    expect(status).toBe(200);
    const { items } = body.data;
    expect(items).toContainEqual({ id: "youtube", name: "YouTube" });
    expect(items).toContainEqual({ id: "generic", name: "Any other site" });
    const ids = items.map(({ id }: { id: string }) => id);
    expect(ids).toEqual([...ids].sort());
    expect(new Set(ids).size).toBe(ids.length);
  });

  test("each of them is a filter that finds just its links", async () => {
    const me = await server().account();
    const urls = [
      "https://youtu.be/jNQXAC9IVRw",
      "https://m.youtube.com/",
      "https://example.org/youtube.com",
    ];
    for (const url of urls) await me.post("/api/v1/links", { url });

    const { body } = await me.get("/api/v1/links?service=youtube");

    const found = body.data.items.map(({ url }: { url: string }) => url);
    expect(found.sort()).toEqual(["https://m.youtube.com/", "https://youtu.be/jNQXAC9IVRw"]);
    const { body: others } = await me.get("/api/v1/links?service=generic");
    expect(others.data.items).toHaveLength(1);
  });
});
