import { onTestFinished } from "bun:test";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import type { Parsed } from "../harness.ts";

/** The eras of the protocol, each with a revision that its clients speak. */
export const ERAS = ["2025-11-25", "2026-07-28"] as const;
export type Era = (typeof ERAS)[number];

export const clientOf = (era: Era) =>
  new Client(
    { name: "test", version: "1" },
    {
      versionNegotiation: { mode: era === "2026-07-28" ? { pin: era } : "legacy" },
      ...(era === "2025-11-25" && { supportedProtocolVersions: [era] }),
    },
  );

/** An assistant with a key, until the end of the test. */
export async function connect(url: string, key: string, era: Era = "2026-07-28") {
  const client = clientOf(era);
  const headers = { authorization: `Bearer ${key}` };
  const transport = new StreamableHTTPClientTransport(new URL(`${url}/mcp`), {
    requestInit: { headers },
  });
  await client.connect(transport);
  onTestFinished(() => client.close());
  return withAnswers(client);
}

/** Adds what tests read of results. */
export const withAnswers = (client: Client) => ({
  client,
  /** The result of a tool. */
  async call(name: string, given: Record<string, unknown> = {}): Promise<Parsed> {
    const { isError, structuredContent, content } = await client.callTool({
      name,
      arguments: given,
    });
    if (isError) throw new Error(`${name}: ${JSON.stringify(content)}`);
    return structuredContent;
  },
  /** The error of a tool. */
  async refusal(name: string, given: Record<string, unknown> = {}): Promise<Parsed> {
    const { isError, content } = await client.callTool({ name, arguments: given });
    const [text] = content as { text: string }[];
    return isError ? JSON.parse(text!.text).error : null;
  },
});

/** What each tool is asked about a link. */
export const asked = (
  id: string,
  mutedUntil = new Date("2030-02-01"),
): [tool: string, given: Record<string, unknown>, writes: boolean][] => [
  ["overview", {}, false],
  ["find_links", { search: "127.0.0.1" }, false],
  ["get_link", { link_id: id }, false],
  ["judge_urls", { urls: ["http://127.0.0.1:8/a"] }, false],
  ["check_urls", { urls: ["http://127.0.0.1:1/"] }, true],
  ["add_links", { links: [{ url: "http://127.0.0.1:8/b" }] }, true],
  ["set_handling", { link_ids: [id], action: "mute", muted_until: mutedUntil.toISOString() }, true],
  ["set_url", { link_id: id, url: "http://127.0.0.1:8/c" }, true],
  ["check_links", { link_ids: [id] }, true],
  ["delete_links", { link_ids: [id], confirm: true }, true],
];
