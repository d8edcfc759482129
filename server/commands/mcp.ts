import { createInterface } from "node:readline";
import type { Command } from "commander";
import { type ServerArguments, type ServerOptions, serverFrom } from "./check/ask-server.ts";
import { type Cli, UsageError } from "./cli.ts";
import { openOutput } from "./io.ts";

/** More than the server waits for the checks of URLs. */
const TIMEOUT_MS = 60_000;

export function addMcp(program: Command, cli: Cli) {
  program
    .command("mcp")
    .description("connect an assistant to a server, by the Model Context Protocol on standard I/O")
    .option("--server <url>", "the server, instead of STILLUP_SERVER")
    .option("--key-file <file>", "a file with an API key, instead of STILLUP_KEY")
    .action((options: ServerArguments) => passOn(cli, readServer(cli, options)));
}

function readServer({ env }: Cli, options: ServerArguments): ServerOptions {
  const noKey = () => {
    throw new UsageError("There is no API key. Set STILLUP_KEY or --key-file");
  };
  const server = serverFrom(options, { ...env, STILLUP_API_KEY: env.STILLUP_KEY }, noKey);
  if (server) return server;
  throw new UsageError(
    "There is no server. Set --server, for example to https://links.example.org",
  );
}

type Id = string | number;
type Message = {
  id?: Id;
  method?: string;
  params?: { name?: string; uri?: string; requestId?: Id; _meta?: Record<string, unknown> };
};

/** Sends each message that is read to the server, and prints its answers, until the input ends. */
async function passOn({ io }: Cli, server: ServerOptions): Promise<void> {
  const output = openOutput(io);
  const running = new Map<Id, AbortController>();
  const answering = new Set<Promise<void>>();

  async function answer(text: string) {
    const message = read(text);
    const { id, method, params } = message;
    if (method === "notifications/cancelled") return running.get(params?.requestId ?? "")?.abort();
    const stop = new AbortController();
    if (id !== undefined) running.set(id, stop);
    const answers = await post(server, { text, message }, stop.signal);
    if (id !== undefined) running.delete(id);
    if (!stop.signal.aborted) for (const each of answers) await output.write(`${each}\n`);
  }

  for await (const line of createInterface({ input: io.stdin })) {
    if (line.trim() === "") continue;
    const answered = answer(line).finally(() => answering.delete(answered));
    answering.add(answered);
  }
  await Promise.all(answering);
}

/** What is not JSON is sent as well: the server's answer says so. */
function read(text: string): Message {
  try {
    return Object(JSON.parse(text));
  } catch {
    return {};
  }
}

/** Returns the answers to a message, each as one line. */
async function post(
  { url, key }: ServerOptions,
  { text, message }: { text: string; message: Message },
  stop: AbortSignal,
): Promise<string[]> {
  try {
    const response = await fetch(`${url}/mcp`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, ...headersFor(message) },
      body: text,
      // The key is for this server alone.
      redirect: "manual",
      signal: AbortSignal.any([stop, AbortSignal.timeout(TIMEOUT_MS)]),
    });
    const body = await response.text();
    const answers = messagesIn(body, response.headers.get("content-type") ?? "");
    if (response.ok || answers.some((each) => "jsonrpc" in each)) return answers.map(toLine);
    const { code, message: said } = answers[0]?.error ?? {};
    return failed(message, said ? `${code}: ${said}` : `The server answered ${response.status}.`);
  } catch {
    return failed(message, `The server ${url} does not answer.`);
  }
}

const VERSION_IN_META = "io.modelcontextprotocol/protocolVersion";

/** The newest revision repeats in headers what a message is (specification 2026-07-28, "Standard Headers"). */
function headersFor({ method, params }: Message): Record<string, string> {
  const version = params?._meta?.[VERSION_IN_META];
  const name = params?.name ?? params?.uri;
  const usual = {
    accept: "application/json, text/event-stream",
    "content-type": "application/json",
  };
  if (typeof version !== "string") return usual;
  return {
    ...usual,
    "mcp-protocol-version": version,
    ...(method && { "mcp-method": method }),
    ...(name && { "mcp-name": headerText(name) }),
  };
}

/** As it is where a header can have it; otherwise in Base64, marked as the specification says. */
const headerText = (text: string) =>
  /^[\x21-\x7e]+$/.test(text) && !text.startsWith("=?")
    ? text
    : `=?base64?${Buffer.from(text).toString("base64")}?=`;

type Answer = { jsonrpc?: string; error?: { code?: unknown; message?: string } };

/** The messages of a reply: one as JSON, or several as events. */
function messagesIn(body: string, type: string): Answer[] {
  if (type.startsWith("application/json")) return [JSON.parse(body)];
  if (!type.startsWith("text/event-stream")) return [];
  const data = body.matchAll(/^data: ?(.+)$/gm);
  return [...data].map(([, text]) => JSON.parse(text!));
}

const toLine = (answer: Answer) => JSON.stringify(answer);

/** The answer to a request that the server has not answered; nothing to other messages. */
function failed({ id, method }: Message, message: string): string[] {
  if (id === undefined || method === undefined) return [];
  return [JSON.stringify({ jsonrpc: "2.0", id, error: { code: -32000, message } })];
}
