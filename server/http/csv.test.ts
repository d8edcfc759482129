import { expect, test } from "bun:test";
import { connect } from "node:net";
import { yieldToEventLoop } from "../ground/lib/steps.ts";
import type { Cell } from "../ground/lib/text.ts";
import { csvReply } from "./csv.ts";

/** A server that answers with these steps, for as long as the story runs. */
async function serving(steps: AsyncGenerator<Cell[][], void>, story: (url: URL) => Promise<void>) {
  const file = { name: "x.csv", columns: ["a"], steps };
  const server = Bun.serve({
    port: 0,
    idleTimeout: 4,
    fetch: (request) => csvReply(request, file),
  });
  await story(server.url).finally(() => server.stop(true));
}

test("a file that breaks off does not look like a whole one", async () => {
  async function* steps(): AsyncGenerator<Cell[][], void> {
    yield [["whole"]];
    throw new Error("the database went away");
  }

  await serving(steps(), async (url) => {
    const read = fetch(url).then((response) => response.text());

    expect(await read.catch(() => "broken off")).toBe("broken off");
  });
});

test("what fails before the first step returns no file", async () => {
  // biome-ignore lint/correctness/useYield: it fails before it can
  async function* steps(): AsyncGenerator<Cell[][], void> {
    throw new Error("the database is away");
  }
  const file = { name: "x.csv", columns: ["a"], steps: steps() };

  expect(csvReply(new Request("http://localhost/"), file)).rejects.toThrow("is away");
});

test("a file is not produced any longer once its client disconnects", async () => {
  const ended = Promise.withResolvers<string>();
  async function* steps(): AsyncGenerator<Cell[][], void> {
    try {
      for (;;) yield Array.from({ length: 1000 }, () => ["x".repeat(100)]);
    } finally {
      ended.resolve("ended");
    }
  }

  await serving(steps(), async (url) => {
    const leaving = new AbortController();
    const { body } = await fetch(url, { signal: leaving.signal });
    await body!.getReader().read();
    leaving.abort();

    expect(await ended.promise).toBe("ended");
  });
});

test("a step is made once the one before it is taken", async () => {
  let made = 0;
  async function* steps(): AsyncGenerator<Cell[][], void> {
    for (;;) yield [[`step ${++made}`]];
  }
  const file = { name: "x.csv", columns: ["a"], steps: steps() };
  const { body } = await csvReply(new Request("http://localhost/"), file);
  const reader = body!.getReader();

  for (let taken = 0; taken < 20; taken++) {
    for (let turn = 0; turn < 5; turn++) await yieldToEventLoop();
    expect(made).toBeLessThanOrEqual(taken + 2);
    await reader.read();
  }
});

test("a client that reads nothing is cut off, and what it does not read is not produced", async () => {
  const ended = Promise.withResolvers<string>();
  let made = 0;
  async function* steps(): AsyncGenerator<Cell[][], void> {
    try {
      for (;;) {
        made++;
        yield Array.from({ length: 1000 }, () => ["x".repeat(100)]);
        await yieldToEventLoop();
      }
    } finally {
      ended.resolve("ended");
    }
  }

  await serving(steps(), async ({ hostname, port }) => {
    const socket = connect(Number(port), hostname).pause();
    socket.write("GET / HTTP/1.1\r\nhost: a.test\r\n\r\n");

    expect(await ended.promise).toBe("ended");
    // What the system holds for a connection is some megabytes.
    expect(made).toBeLessThan(300);
    socket.destroy();
  });
});

test("a client that disconnects before the reply begins leaves nothing half done", async () => {
  const ended = Promise.withResolvers<string>();
  const leaving = new AbortController();
  async function* steps(): AsyncGenerator<Cell[][], void> {
    try {
      leaving.abort();
      for (;;) yield [["x"]];
    } finally {
      ended.resolve("ended");
    }
  }
  const file = { name: "x.csv", columns: ["a"], steps: steps() };

  await csvReply(new Request("http://localhost/", { signal: leaving.signal }), file);

  expect(await ended.promise).toBe("ended");
});
