import { createService } from "../../server/app/app.ts";
import { createDeps } from "../../server/app/build.ts";
import { readConfig } from "../../server/ground/config/config.ts";
import { openEngine } from "../../server/ground/db/open.ts";
import { createStore } from "../../server/ground/db/store.ts";
import { movableClock } from "../clock.ts";

/** A second server on a database, by a clock that stands. Tells where it listens. */
const config = readConfig(process.env);
const store = createStore(openEngine(config.databaseUrl));
const clock = movableClock(Number(process.env.NOW), { autoMove: true });
const { front } = await createService(createDeps(config, store, clock));
const server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: front });
console.log(`http://127.0.0.1:${server.port}`);
