import { openEngine } from "../../server/ground/db/open.ts";

/** A process that writes one number after the other, and tells each once it is kept. */
const engine = openEngine(`sqlite:${process.argv[2]}`);
for (let n = 1; ; n++) {
  const sql = "insert into versions (version, first_started_at) values (?, ?)";
  await engine.run({ sql, params: [`n${n}`, 1_000 + n] });
  process.stdout.write(`${n}\n`);
}
