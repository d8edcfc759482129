import { expect, test } from "bun:test";
import { renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createProgram } from "../../tests/commands/program.ts";

const OTHER = { STILLUP_SECRET_KEY: Buffer.alloc(32, 5).toString("base64") };

test("a database is opened under no other secret key, until the command for a lost one", async () => {
  const { run, dataDir } = createProgram();
  await run(["migrate"]);
  rmSync(join(dataDir, "secret.key"));

  const missing = await run(["migrate"]);
  const refused = await run(["migrate"], OTHER);
  const unasked = await run(["accept-key"], OTHER);
  const accepted = await run(["accept-key", "--force"], OTHER);
  const opened = await run(["migrate"], OTHER);

  expect(missing.err).toContain(`there is no file ${join(dataDir, "secret.key")}. Copy the key`);
  expect([refused.code, refused.out]).toEqual([1, ""]);
  expect(refused.err).toContain("another secret key than that of STILLUP_SECRET_KEY. Copy the key");
  expect(refused.err).not.toContain(OTHER.STILLUP_SECRET_KEY);
  expect(unasked.code).toBe(64);
  expect(accepted).toMatchObject({
    code: 0,
    out: "The secret key of STILLUP_SECRET_KEY is used from the next start.\n",
  });
  expect(opened.code).toBe(0);
});

test("a damaged key file is refused with what is lost, and the way on works", async () => {
  const { run, dataDir } = createProgram();
  await run(["migrate"]);
  const file = join(dataDir, "secret.key");
  writeFileSync(file, "not a key");

  const refused = await run(["migrate"]);
  renameSync(file, `${file}.damaged`);
  const accepted = await run(["accept-key", "--force"]);

  expect(refused.code).toBe(1);
  expect(refused.err).toBe(
    `The secret key in ${file} is damaged: a key is 32 bytes in base64. Put the right file back. Without that key ` +
      "webhooks' signing secrets and second factors are lost; links and history are not. Only if it is lost for " +
      "good: move the file away and type `stillup accept-key`.\n",
  );
  expect(accepted.code).toBe(0);
  expect((await run(["migrate"])).code).toBe(0);
});

test("a backup that needs another secret key says so when it is restored", async () => {
  const { run, dataDir } = createProgram();
  await run(["migrate"]);
  const backup = join(dataDir, "copy.db");
  await run(["backup", backup]);

  const fits = await run(["restore", backup, "--force"]);
  const other = await run(["restore", backup, "--force"], OTHER);
  const noFile = await run(["backup", join(dataDir, "more.db"), "--with-key"], OTHER);

  expect(fits.out).toContain("The secret key of this backup is that of ");
  expect(other.code).toBe(0);
  expect(other.out).toContain("another secret key than that of STILLUP_SECRET_KEY: put the key");
  expect(noFile.err).toContain("The secret key is in STILLUP_SECRET_KEY, not in a file.");
});
