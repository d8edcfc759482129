import { existsSync } from "node:fs";
import { command, EXECUTABLE, memoryMb, newHome, serve } from "./program.ts";
import { seed } from "./seed.ts";
import { medianBy, type Note } from "./table.ts";
import { startWeb } from "./web.ts";

const STARTS = 6;
const SETTLED_MS = 2000;

/** The start with 100,000 links that are not due, and with a million that all are. */
export async function starts(note: Note): Promise<void> {
  const home = await newHome();
  await seed(home, { links: 100_000 });
  const seen: number[] = [];
  let idleMb = 0;
  for (let i = 0; i < STARTS; i++) {
    const ours = await serve(home);
    seen.push(ours.startMs);
    await Bun.sleep(SETTLED_MS);
    idleMb = memoryMb(ours.pid);
    await ours.stop();
  }
  const what = command.length === 1 ? "executable" : "from the checkout";
  const ms = medianBy(seen.slice(1), (start) => start);
  note(`listening, ms, ${what}, 100,000 links`, ms, { most: 150 });
  note("idle memory, MB", idleMb, { most: 80 });
  if (existsSync(EXECUTABLE)) note("executable, MB", Bun.file(EXECUTABLE).size / 1e6);
  await startWithAllDue(note);
}

async function startWithAllDue(note: Note) {
  const web = await startWeb();
  const home = await newHome();
  const links = {
    links: 1_000_000,
    urlOf: web.urlOf,
    dueAt: () => Date.now() - 1000,
    frequency: "hourly" as const,
  };
  await seed(home, links);
  const startedAt = Date.now();
  const ours = await serve(home, web.settings);
  let askedAt = 0;
  for (let i = 0; askedAt === 0 && i < 200; i++) {
    await Bun.sleep(50);
    askedAt = (await web.takeStats()).firstAt;
  }
  await Promise.all([ours.stop(), web.stop()]);
  note("1,000,000 links due: listening after, ms", ours.startMs, { most: 200 });
  note("1,000,000 links due: first check sent after, ms", askedAt - startedAt, { most: 2000 });
}
