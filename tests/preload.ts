import { afterAll } from "bun:test";
import { closeShared } from "./shared.ts";

// One PostgreSQL and one browser serve the whole run.
afterAll(closeShared);
