import { expect, onTestFinished, test } from "bun:test";
import { createProgram } from "../../tests/commands/program.ts";
import { healthAtStart, readinessAtStart } from "../http/health.ts";

/** Checks the health of a server that returns a given answer. */
function askAfter(answer: (path: string) => Response) {
  const server = Bun.serve({ port: 0, fetch: ({ url }) => answer(new URL(url).pathname) });
  onTestFinished(() => server.stop(true));
  const { run } = createProgram({ STILLUP_PORT: String(server.port) });
  return { run, base: `http://127.0.0.1:${server.port}` };
}

test.each([
  ["disk_full", "its disk is full (disk_full)"],
  ["database_unreachable", "its database does not answer (database_unreachable)"],
  ["something_new", "it answered 503"],
])("the health check reports the server's trouble: %s", async (trouble, message) => {
  const failing = { status: "failing", troubles: [trouble] };
  const { run, base } = askAfter(() => Response.json(failing, { status: 503 }));

  const { code, err } = await run(["health"]);

  expect(code).toBe(1);
  expect(err).toBe(`The server at ${base} is not healthy: ${message}.\n`);
});

test("a server that is starting is well and not ready, and tells what it does", async () => {
  const doing = "upgrading the database: 1 of 3, 0011_audit";
  const { run, base } = askAfter((path) =>
    path === "/health"
      ? Response.json(healthAtStart)
      : Response.json(readinessAtStart(doing), { status: 503 }),
  );

  expect(await run(["health"])).toMatchObject({
    code: 0,
    out: `The server is starting: ${doing}.\n`,
  });
  expect(await run(["health", "--ready"])).toMatchObject({
    code: 1,
    err: `The server at ${base} is starting: ${doing}.\n`,
  });
});

test("a server that serves is ready, and one that is not there is not", async () => {
  const { run } = askAfter(() => Response.json({ status: "ready" }));

  expect(await run(["health", "--ready"])).toMatchObject({
    code: 0,
    out: "The server is ready.\n",
  });
  const { code, err } = await run(["health", "--ready"], { STILLUP_PORT: "1" });
  expect([code, err]).toEqual([1, "The server at http://127.0.0.1:1 does not answer.\n"]);
});
