import { Database } from "bun:sqlite";
import { expect, onTestFinished, test } from "bun:test";
import { join } from "node:path";
import { newHome } from "../../../tests/backups/home.ts";
import { copyDatabase } from "../../ground/db/backup-files.ts";

const ROUNDS = 5;
/** Acknowledged between two copies. */
const WRITES = 250;

/** A process that writes without a pause. */
function startWriter(path: string) {
  const writer = Bun.spawn(
    [process.execPath, join(import.meta.dir, "../../../tests/backups/writer.ts"), path],
    {
      stdout: "pipe",
    },
  );
  onTestFinished(() => writer.kill("SIGKILL"));
  const reader = writer.stdout.getReader();
  let text = "";
  const acknowledged = () => Number(text.split("\n").at(-2) ?? 0);
  /** Reads what it tells until so many are kept. */
  const until = async (count: number) => {
    while (acknowledged() < count) text += Buffer.from((await reader.read()).value!).toString();
    return acknowledged();
  };
  return { until };
}

test("a copy made while others write is what was acknowledged up to one moment", async () => {
  const { dataDir, path } = await newHome("written");
  const writer = startWriter(path);
  for (let round = 1; round <= ROUNDS; round++) {
    const before = await writer.until(round * WRITES);
    const target = join(dataDir, `copy-${round}.db`);

    await copyDatabase(path, target);

    const copy = new Database(target, { readonly: true });
    const numbers = copy
      .query("select first_started_at - 1000 from versions where version glob 'n*'")
      .values()
      .map(([n]) => n as number)
      .sort((a, b) => a - b);
    copy.close();
    expect(numbers.length).toBeGreaterThanOrEqual(before);
    expect(numbers).toEqual(numbers.map((_, i) => i + 1));
  }
});
