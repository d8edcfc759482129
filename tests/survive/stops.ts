import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { seed } from "../../bench/seed.ts";
import { createProgram } from "../commands/program.ts";
import { listeningUrl } from "../listening.ts";
import { sized } from "../long.ts";
import { until } from "../until.ts";
import { askUntilTheEnd } from "./asking.ts";

const CLIENTS = sized(50, 200);
export const SETTINGS = {
  STILLUP_PORT: "0",
  STILLUP_RATE_LIMIT_PER_MINUTE: "0",
  STILLUP_RATE_LIMIT_PER_HOUR: "0",
};

/** What one stop came to: how it ended, what it cut off, and what it left behind. */
export type Stop = {
  exitCode: number;
  requestsCut: number;
  errorsLogged: boolean;
  journalBytes: number;
};

/** Starts the program and tells it to end while clients ask without pause, again and again. */
export async function stopRounds(rounds: number): Promise<Stop[]> {
  const { start, dataDir } = createProgram(SETTINGS);
  const { key } = await seed({ STILLUP_DATA_DIR: dataDir }, { links: 500 });
  const stops: Stop[] = [];
  for (let round = 0; round < rounds; round++) {
    // At another moment each time.
    stops.push(await stopOnce(start(["serve"]), { key, dataDir, after: CLIENTS + round * 50 }));
  }
  return stops;
}

type Server = ReturnType<ReturnType<typeof createProgram>["start"]>;

/** @param after so many requests were answered */
async function stopOnce(
  server: Server,
  { key, dataDir, after }: { key: string; dataDir: string; after: number },
): Promise<Stop> {
  const url = new URL(await listeningUrl(server.stdout));
  const log = new Response(server.stderr).text();
  const request = `GET /api/v1/links HTTP/1.1\r\nhost: ${url.host}\r\nauthorization: Bearer ${key}\r\n\r\n`;
  let answered = 0;
  const clients = Array.from({ length: CLIENTS }, () =>
    askUntilTheEnd(url, request, () => answered++),
  );
  await until(`${after} replies`, () => answered >= after);

  server.kill("SIGTERM");
  const endings = await Promise.all(clients);
  const exitCode = await server.exited;
  const wal = join(dataDir, "stillup.db-wal");
  return {
    exitCode,
    requestsCut: endings.filter((ending) => ending === "cut").length,
    errorsLogged: (await log).includes("error"),
    journalBytes: existsSync(wal) ? statSync(wal).size : 0,
  };
}
