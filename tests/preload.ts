import { afterAll, afterEach } from "bun:test";
import { failOnBreach, saveSeen } from "./contract.ts";
import { closeShared } from "./shared.ts";
import { saveStatements } from "./statements.ts";
import { failOnOpenWaits } from "./waits.ts";

afterEach(failOnBreach);
afterEach(failOnOpenWaits);

// One PostgreSQL and one browser serve all files of a process.
afterAll(closeShared);

const folder = process.env.STILLUP_TEST_CONTRACT;
if (folder) {
  afterAll(async () => {
    saveStatements(folder);
    await saveSeen(folder);
  });
}
