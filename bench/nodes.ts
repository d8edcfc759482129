import { BUCKETS } from "../server/work/nodes.ts";
import { METRICS_TOKEN } from "../tests/metrics/reading.ts";
import { checkAll, LINKS, type Pace } from "./checking.ts";
import { type MeasuredPostgres, startMeasuredPostgres } from "./postgres.ts";
import { homeAt, newFolder, serve, sqliteHome } from "./program.ts";
import { seed } from "./seed.ts";
import { medianBy, type Note } from "./table.ts";
import { startWeb, type Web } from "./web.ts";

const ROUNDS = 3;
const LOOK_MS = 250;

/** What PostgreSQL costs compared with SQLite, and how long the links of a node that was killed wait for another. */
export async function nodes(note: Note): Promise<void> {
  const web = await startWeb();
  const postgres = await startMeasuredPostgres();
  await compare(note, web, postgres);
  await handOver(note, web, postgres);
  await postgres.stop();
  await web.stop();
}

type Compared = { sqlite: Pace; shared: Pace & { databaseCpu: number; writtenKb: number } };

/** In turn, so that drift hits both. */
async function compare(note: Note, web: Web, postgres: MeasuredPostgres) {
  const rounds: Compared[] = [];
  for (let i = 0; i < ROUNDS; i++) {
    const { plain } = await checkAll(web, "http", sqliteHome());
    rounds.push({ sqlite: plain, shared: await checkShared(web, postgres) });
  }
  const ratioOf = ({ sqlite, shared }: Compared) => shared.perSecond / sqlite.perSecond;
  const middle = medianBy(rounds, ratioOf);
  note("one node on SQLite: checks, a second", middle.sqlite.perSecond);
  note("one node on PostgreSQL: checks, a second", middle.shared.perSecond);
  note("PostgreSQL / SQLite", ratioOf(middle), { digits: 2, least: 0.5 });
  const { cpu, databaseCpu, writtenKb } = middle.shared;
  note("1,000 checks on PostgreSQL: CPU of the node, seconds", cpu, { digits: 2 });
  note("1,000 checks on PostgreSQL: CPU of PostgreSQL, seconds", databaseCpu, { digits: 2 });
  note("a check on PostgreSQL: written ahead, kB", writtenKb, { digits: 1 });
}

async function checkShared(web: Web, postgres: MeasuredPostgres): Promise<Compared["shared"]> {
  const home = homeAt(await postgres.newDatabase());
  const used = async () => ({ cpu: postgres.cpu(), written: await postgres.written() });
  let [before, after] = [await used(), await used()];
  const { plain } = await checkAll(
    web,
    "http",
    home,
    async () => {
      before = await used();
    },
    async () => {
      after = await used();
    },
  );
  return {
    ...plain,
    databaseCpu: (after.cpu - before.cpu) / (LINKS / 1000),
    writtenKb: (after.written - before.written) / 1000 / LINKS,
  };
}

/** From the kill to the moment at which the other node has all of the work. */
async function handOver(note: Note, web: Web, postgres: MeasuredPostgres) {
  const url = await postgres.newDatabase();
  const key = { STILLUP_SECRET_KEY_FILE: `${newFolder()}/secret.key` };
  await seed({ ...homeAt(url), ...key }, { links: LINKS, urlOf: web.urlOf });
  const start = (name: string) =>
    serve(homeAt(url), {
      ...web.settings,
      ...key,
      STILLUP_NODE_NAME: name,
      STILLUP_METRICS_TOKEN: METRICS_TOKEN,
    });
  const one = await start("one");
  const other = await start("other");
  await has(one.url, "one", BUCKETS / 3);
  process.kill(one.pid, "SIGKILL");
  const killedAt = performance.now();
  await has(other.url, "other", BUCKETS);
  const tookS = (performance.now() - killedAt) / 1000;
  note("hand-over of what a killed node had, seconds", tookS, { most: 60, digits: 1 });
  await other.stop();
}

/** Resolves once the node has so many parts of the work. */
async function has(url: string, name: string, share: number): Promise<void> {
  for (;;) {
    const reply = await fetch(`${url}/ready`, {
      headers: { authorization: `Bearer ${METRICS_TOKEN}` },
    });
    const { nodes } = (await reply.json()) as { nodes: NodeReport[] };
    if ((nodes.find((node) => node.name === name)?.buckets.checks ?? 0) >= share) return;
    await Bun.sleep(LOOK_MS);
  }
}

type NodeReport = { name: string; buckets: { checks: number } };
