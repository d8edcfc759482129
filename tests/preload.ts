import { afterAll, afterEach } from "bun:test";
import { failOnBreach, failOnUnseen } from "./contract.ts";
import { closeShared } from "./shared.ts";

afterEach(failOnBreach);

// One PostgreSQL and one browser serve the whole run.
afterAll(closeShared);

// Only a run of all tests can tell what none of them shows.
if (process.env.STILLUP_FULL_CONTRACT === "1") afterAll(failOnUnseen);
