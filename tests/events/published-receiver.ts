import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { $ } from "bun";
import { freePort } from "../free-port.ts";
import { closeAtEnd } from "../shared.ts";

/** The receivers of the documentation, and the program that each takes. */
export const PUBLISHED = [
  { file: "receiver.ts", language: "ts", program: process.execPath },
  { file: "receiver.py", language: "python", program: "python3" },
  { file: "receiver.go", language: "go", program: "go" },
  { file: "receiver.php", language: "php", program: "php" },
  { file: "receiver.rb", language: "ruby", program: "ruby" },
] as const;
export type Published = (typeof PUBLISHED)[number];

export const pathOf = ({ file }: Published) => join(import.meta.dir, "../../docs/receivers", file);

type Running = {
  url: string;
  /** The next line that it prints. */
  line(): Promise<string>;
  post(message: Posted): Promise<{ status: number; text: string }>;
  stop(): Promise<void>;
};

export type Posted = { headers: Record<string, string>; body: string };

/** Starts one with this secret, and waits until it listens. */
export async function startPublished(which: Published, secret: string): Promise<Running> {
  const child = await spawn(which, secret);
  const lines = linesOf(child.stdout);
  const line = async () => (await lines.next()).value ?? "(it has ended)";
  const [, url = ""] = /^receiving on (http:\S+)$/.exec(await line()) ?? [];
  // PHP says so just before its own web server starts, which says it again.
  if (which.language === "php") await started(child.stderr);
  return {
    url,
    line,
    post: async ({ headers, body }) => {
      const response = await fetch(url, { method: "POST", headers, body });
      return { status: response.status, text: await response.text() };
    },
    stop: async () => {
      child.kill("SIGKILL");
      await child.exited;
    },
  };
}

/** Starts one that does not run for long: how it ends and what it says. */
export async function endOf(which: Published, secret: string) {
  const child = await spawn(which, secret);
  const [code, out, err] = await Promise.all([
    child.exited,
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  return { code, said: out + err };
}

/** With a folder of its own for what it keeps. */
async function spawn(which: Published, secret: string) {
  const { PATH = "", HOME = "" } = process.env;
  const port = which.language === "php" ? freePort() : 0;
  const child = Bun.spawn(await commandOf(which), {
    env: { PATH, HOME, TMPDIR: newFolder(), SIGNING_SECRET: secret, PORT: String(port) },
    stdout: "pipe",
    stderr: "pipe",
  });
  closeAtEnd(async () => child.kill("SIGKILL"));
  return child;
}

let builtGo: Promise<string> | undefined;

async function commandOf(which: Published): Promise<string[]> {
  if (which.language !== "go") return [which.program, pathOf(which)];
  // As `go run` would, which does not end what it has started.
  builtGo ??= buildGo(pathOf(which));
  return [await builtGo];
}

async function buildGo(source: string): Promise<string> {
  const executable = join(newFolder(), "receiver");
  await $`go build -o ${executable} ${source}`.quiet();
  return executable;
}

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "stillup-receiver-"));
  closeAtEnd(async () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

async function* linesOf(stream: ReadableStream<Uint8Array>) {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of stream) {
    text += decoder.decode(chunk, { stream: true });
    const lines = text.split("\n");
    text = lines.pop()!;
    yield* lines;
  }
}

async function started(stream: ReadableStream<Uint8Array>) {
  for await (const line of linesOf(stream)) if (line.includes("started")) return;
}
