import { expect, test } from "bun:test";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { assetFolder, readTexts } from "../server/lib/assets.ts";
import { migrate } from "../server/store/migrate.ts";
import { migrateToHead, openEngine } from "../server/store/open.ts";
import { createStore } from "../server/store/store.ts";
import { links } from "../server/store/tables.ts";
import { ENGINES } from "./harness.ts";
import { emptyPostgres } from "./postgres.ts";

const newFile = () => `sqlite:${join(mkdtempSync(join(tmpdir(), "stillup-")), "test.db")}`;

const LINK = `
  insert into links (id, account_id, url, url_key, service, status, reason, decided_status,
    status_changed_at, inconclusive_checks, check_frequency, next_check_at, next_trigger, created_at,
    updated_at, evidence)
  values (?, 'a', ?, ?, 'generic', ?, ?, ?, 1, 0, 'daily', 1, 'scheduled', 1, 1, ?)`;

test.each(ENGINES)("what the first version knew of links is kept on %s", async (name) => {
  const engine = openEngine(name === "postgres" ? await emptyPostgres() : newFile());
  const files = readTexts(assetFolder("drizzle"));
  const first = files.filter((file) => file.name < "0003");
  await migrate(
    engine,
    first.map((file) => ({ name: file.name, statements: file.text })),
    1,
  );
  const account = "insert into accounts (id, email, tier, created_at) values ('a', 'a', 'free', 1)";
  await engine.run({ sql: account, params: [] });
  for (const [id, status, reason, decided] of [
    ["dead", "dead", "http_404", "dead"],
    ["lost", "unknown", "http_403", "dead"],
    ["new", "unknown", null, null],
  ]) {
    const evidence = decided && `{"final_url":"https://example.org/${id}"}`;
    await engine.run({ sql: LINK, params: [id, id, id, status, reason, decided, evidence] });
  }

  await migrateToHead(engine, 2);

  const rows = await createStore(engine).select().from(links).orderBy(links.id);
  expect(rows).toMatchObject([
    { id: "dead", decidedReason: "http_404", evidence: '{"final_url":"https://example.org/dead"}' },
    { id: "lost", decidedReason: null, evidence: '{"final_url":"https://example.org/lost"}' },
    { id: "new", decidedReason: null, evidence: null },
  ]);
  await engine.close();
});
