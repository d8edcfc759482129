import { expect, test } from "bun:test";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { onServer, type Parsed } from "../../tests/harness.ts";

/** Each era of the protocol, as its own clients speak it. */
const ERAS = ["legacy", { pin: "2026-07-28" }] as const;

onServer("An assistant", (server) => {
  async function connect(key: string, mode: (typeof ERAS)[number]) {
    const client = new Client(
      { name: "test", version: "1" },
      { versionNegotiation: { mode } as never },
    );
    const headers = { authorization: `Bearer ${key}` };
    const url = new URL(`${server().url}/mcp`);
    await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }));
    return client;
  }

  test.each(ERAS)("finds links, in era %p", async (mode) => {
    const me = await server().account();
    await me.post("/api/v1/links", { url: "https://example.com/a" });
    await me.post("/api/v1/links", { url: "https://example.com/b" });
    const client = await connect(me.key, mode);

    const { tools } = await client.listTools();
    const found = await client.callTool({
      name: "find_links",
      arguments: { search: "/b", per_page: 5 },
    });

    expect(tools.map(({ name }) => name)).toContain("find_links");
    const { items, pagination } = found.structuredContent as Parsed;
    expect(items).toEqual([expect.objectContaining({ url: "https://example.com/b" })]);
    expect(pagination).toEqual({ page: 1, per_page: 5, total: 1, total_pages: 1 });
    await client.close();
  });
});
