import { Database } from "bun:sqlite";
import { join } from "node:path";
import { $ } from "bun";
import { executable, SETTINGS } from "../installed.ts";
import type { Ledger } from "./ledger.ts";

/**
 * Has the executable back up the database of the one that is written to, and may be killed meanwhile.
 * @returns what the copy lacks or has too much of, compared with what clients learned before and after it
 */
export async function copyWhileWriting(folder: string, ledger: Ledger): Promise<string[]> {
  const program = await executable();
  const path = join(folder, `copy-${crypto.randomUUID()}.db`);
  const env = { ...SETTINGS, STILLUP_DATA_DIR: join(folder, "data") };
  const [known, gone] = [[...ledger.links.keys()], [...ledger.gone]];
  const { exitCode, stderr } = await $`${program} backup ${path}`.env(env).nothrow().quiet();
  if (exitCode !== 0) return [`no backup was made: ${stderr}`];

  const copy = new Database(path, { readonly: true });
  const there = new Set(copy.query("select id from links").values().map(String));
  const verdict = String(copy.query("pragma integrity_check").values()[0]);
  copy.close(true);
  const leaving = new Set(ledger.gone);
  for (const doubt of ledger.inDoubt) if (doubt.did === "delete") leaving.add(doubt.id);
  return [
    ...(verdict === "ok" ? [] : [`the copy is damaged: ${verdict}`]),
    ...known
      .filter((id) => !there.has(id) && !leaving.has(id))
      .map((id) => `${id} is not in the copy`),
    ...gone.filter((id) => there.has(id)).map((id) => `${id} is still in the copy`),
  ];
}
