import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { printConfig, readConfig } from "../../server/ground/config/config.ts";
import { facts, users } from "../../server/ground/db/tables.ts";
import { agreedKey, newKey } from "../../server/ops/start/secret-key.ts";
import { newFolder } from "../backups/home.ts";
import { ENGINES, startServer, type TestServer } from "../harness.ts";
import { newOwner } from "../session/browser.ts";

const KEY = Buffer.alloc(32, 9).toString("base64");

/** What a node knows of its key that has a folder of its own. */
const newNode = (key: string | null = null) => {
  const folder = newFolder();
  return {
    ...readConfig({ STILLUP_DATA_DIR: folder, ...(key && { STILLUP_SECRET_KEY: key }) }),
    folder,
  };
};

describe.each(ENGINES)("The secret key on %s", (engine) => {
  let server: TestServer;
  beforeEach(async () => {
    server = await startServer(engine);
  });
  afterEach(() => server.stop());
  const start = (node: ReturnType<typeof newNode>) => agreedKey(server.deps.store, node);

  test("is made by the first node, for its owner only, and refused from another", async () => {
    const first = newNode();
    const other = newNode();
    const key = await start(first);
    writeFileSync(other.secretKeyFile, KEY);

    const refused = await start(other).catch(({ message }: Error) => message);

    expect(readdirSync(first.folder)).toEqual(["secret.key"]);
    expect(statSync(first.secretKeyFile).mode & 0o777).toBe(0o600);
    expect(await start(first)).toEqual(key);
    expect(refused).toContain(`another secret key than that of ${other.secretKeyFile}`);
    expect(refused).toContain("STILLUP_SECRET_KEY_FILE");
  });

  test("is not made where the database has one: its file is asked for", async () => {
    await start(newNode());
    const other = newNode();

    const refused = await start(other).catch(({ message }: Error) => message);

    expect(refused).toContain(`there is no file ${other.secretKeyFile}`);
    expect(existsSync(other.secretKeyFile)).toBe(false);
  });

  test("is one of two where two nodes start at once", async () => {
    const outcomes = await Promise.allSettled([1, 2].map(() => start(newNode())));

    expect(outcomes.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
  });

  test("may come from the environment, and is then in no file", async () => {
    const node = newNode(KEY);

    const key = await start(node);

    expect(Buffer.from(key).toString("base64")).toBe(KEY);
    expect(readdirSync(node.folder)).toEqual([]);
    expect(await start(newNode(KEY))).toEqual(key);
  });

  test("tells nothing of itself in the database", async () => {
    await start(newNode(KEY));

    const kept = JSON.stringify(await server.deps.store.select().from(facts));

    expect(kept).not.toContain(KEY);
    expect(kept).not.toContain(Buffer.from(KEY, "base64").toString("hex"));
  });

  test("is created again in place of an empty file, unless a secret was kept under it", async () => {
    const fresh = newNode();
    const used = newNode();
    for (const { secretKeyFile } of [fresh, used]) writeFileSync(secretKeyFile, "");
    const { store } = server.deps;

    await start(fresh);
    await store.delete(facts);
    await newOwner(server);
    await store.update(users).set({ totpSecret: "sealed" });

    expect(readFileSync(fresh.secretKeyFile, "utf8")).toHaveLength(44);
    expect(start(used)).rejects.toThrow(
      /is damaged: a key is 32 bytes in base64\. .* second factors are lost/,
    );
  });

  test("gives way to another one only by the command for a lost one", async () => {
    await start(newNode());
    const other = newNode();

    const key = await newKey(server.deps.store, other);

    expect(await start(other)).toEqual(key);
    expect(start(newNode(KEY))).rejects.toThrow("another secret key");
  });
});

test("A secret key that is none stops the start, and one that is given is not printed", () => {
  const broken = "c2hvcnQ=";

  expect(() => readConfig({ STILLUP_SECRET_KEY: broken })).toThrow(
    "STILLUP_SECRET_KEY must be 32 bytes in base64.",
  );
  const printed = printConfig({ STILLUP_SECRET_KEY: KEY, STILLUP_DATA_DIR: join("/tmp", "x") }, {});
  expect(printed).toContain("STILLUP_SECRET_KEY=*** (environment)");
  expect(printed).not.toContain(KEY);
});
