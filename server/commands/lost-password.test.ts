import { expect, test } from "bun:test";
import { createProgram } from "../../tests/commands/program.ts";

const EMAIL = "me@example.org";

test("a lost password and a lost phone are recovered while the server is stopped, with a link that works once", async () => {
  const { run, begin } = createProgram({ STILLUP_PORT: "0", STILLUP_HOST: "127.0.0.1" });
  await run(["user", "create", "--email", EMAIL, "--password-file", "-"], {}, "x".repeat(20));

  const removed = await run(["user", "remove-2fa", EMAIL]);
  const reset = await run(["user", "reset-password", "--email", EMAIL]);

  const server = begin(["serve"]);
  const base = await server.output.url();
  const token = new URL(reset.out.trim()).hash.replace("#token=", "");
  const follow = () =>
    fetch(`${base}/dashboard/api/password`, {
      method: "POST",
      headers: { "content-type": "application/json", "sec-fetch-site": "same-origin" },
      body: JSON.stringify({ token, password: "a few plain words" }),
    });
  const statuses = [(await follow()).status, (await follow()).status];
  expect([removed.code, reset.code, await server.stop()]).toEqual([0, 0, 0]);
  expect(statuses).toEqual([200, 404]);
});
