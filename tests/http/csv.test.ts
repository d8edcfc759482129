import { expect, test } from "bun:test";
import { csvReply } from "../../server/http/csv.ts";
import type { Cell } from "../../server/lib/csv.ts";

/** A server that answers with these steps, for as long as the story runs. */
async function serving(steps: AsyncGenerator<Cell[][], void>, story: (url: URL) => Promise<void>) {
  const file = { name: "x.csv", columns: ["a"], steps };
  const server = Bun.serve({ port: 0, fetch: (request) => csvReply(request, file) });
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

test("what fails before the first step is no file at all", async () => {
  // biome-ignore lint/correctness/useYield: it fails before it can
  async function* steps(): AsyncGenerator<Cell[][], void> {
    throw new Error("the database is away");
  }
  const file = { name: "x.csv", columns: ["a"], steps: steps() };

  expect(csvReply(new Request("http://localhost/"), file)).rejects.toThrow("is away");
});

test("whoever leaves is not worked for any longer", async () => {
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
