import { expect, test } from "bun:test";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { createProgram, folderWith } from "../../tests/commands/program.ts";
import { onServer, type Parsed } from "../../tests/harness.ts";
import { clientOf, ERAS, withAnswers } from "../../tests/mcp/client.ts";

const MAIN = new URL("../main.ts", import.meta.url).pathname;
const { STILLUP_BINARY } = process.env;
const [command, ...first] = STILLUP_BINARY ? [STILLUP_BINARY] : [process.execPath, MAIN];

const message = (method: string, id?: number, params = {}) =>
  `${JSON.stringify({ jsonrpc: "2.0", ...(id !== undefined && { id }), method, params })}\n`;

const answersOf = (out: string): Parsed[] =>
  out
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));

onServer("stillup mcp", (server) => {
  const program = createProgram();
  const run = (key: string, input: string, url = server().url) =>
    program.run(["mcp", "--server", url], { STILLUP_KEY: key }, input);

  test.each(ERAS)("connects the client of revision %s", async (era) => {
    const me = await server().account();
    await me.post("/api/v1/links", { url: "https://example.com/ä" });
    const folder = folderWith({ key: `${me.key}\n` });
    const client = clientOf(era);
    const args = [...first, "mcp", "--server", server().url, "--key-file", `${folder}/key`];

    await client.connect(
      new StdioClientTransport({ command: command!, args, env: { PATH: process.env.PATH! } }),
    );
    const { call, refusal } = withAnswers(client);

    expect(client.getNegotiatedProtocolVersion()).toBe(era);
    expect((await client.listTools()).tools.length).toBe(10);
    const { items } = await call("find_links");
    expect(items).toMatchObject([{ url: "https://example.com/%C3%A4" }]);
    expect(await refusal("get_link", { link_id: "x" })).toMatchObject({ code: "VALIDATION_ERROR" });
    await client.close();
  });

  test("answers what was asked before its input ended, and nothing to notifications", async () => {
    const me = await server().account();

    const { code, out, err } = await run(
      me.key,
      message("notifications/initialized") + message("tools/list", 1) + message("nothing/such", 2),
    );

    expect([code, err]).toEqual([0, ""]);
    const answers = answersOf(out).toSorted((a, b) => a.id - b.id);
    expect(answers).toMatchObject([
      { id: 1, result: { tools: expect.any(Array) } },
      { id: 2, error: { code: -32601 } },
    ]);
  });

  test("says what is wrong with a key or a server, but never the key", async () => {
    const unknown = `stillup_${"x".repeat(40)}`;
    const outcomes = [
      await run(unknown, message("tools/list", 1)),
      await run(unknown, message("tools/list", 1), "http://127.0.0.1:1"),
      await run("", ""),
      await run(unknown, "", "http://links.example.org"),
      await program.run(["mcp"], { STILLUP_KEY: unknown }),
    ];

    expect(answersOf(outcomes[0]!.out)).toMatchObject([
      { id: 1, error: { code: -32000, message: expect.stringContaining("INVALID_API_KEY") } },
    ]);
    expect(answersOf(outcomes[1]!.out)).toMatchObject([
      { id: 1, error: { message: "The server http://127.0.0.1:1 does not answer." } },
    ]);
    expect(outcomes.map(({ code }) => code)).toEqual([0, 0, 64, 64, 64]);
    expect(outcomes.slice(2).map(({ err }) => err)).toEqual([
      expect.stringContaining("There is no API key. Set STILLUP_KEY or --key-file."),
      expect.stringContaining("Use https for the server"),
      expect.stringContaining("There is no server."),
    ]);
    expect(JSON.stringify(outcomes)).not.toContain(unknown);
  });
});
