import { Database } from "bun:sqlite";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { $ } from "bun";
import { checkersOf } from "../checkers.ts";
import { executable, type Installed, install, newFolder, SETTINGS } from "../installed.ts";
import { type Random, randomFrom } from "../random.ts";
import { untilIs } from "../until.ts";
import { copyWhileWriting } from "./copies.ts";
import { contradictions, type KeptLinks, newLedger, settleDoubts } from "./ledger.ts";
import { startWorld, type World } from "./world.ts";
import { askAgain, writeUntilCut } from "./writers.ts";

const WRITERS = 4;
/** In one of so many rounds the database is backed up meanwhile. */
const COPY_EVERY = 5;
const EMAIL = "crash@example.org";
/** A round lasts for so many acknowledged changes, or as many more at most. */
const [FEWEST, MORE] = [10, 30];
const POLL_MS = 50;
/** How often at most the checker processes are killed in a round, and when the program comes to rest. */
const CHECKER_KILLS = 2;
/** Nothing that clients or receivers do is to wait for a minute. */
const UNLIMITED = {
  STILLUP_WEBHOOK_RETRY_SECONDS: "0,0,1,1,1,1",
  STILLUP_RATE_LIMIT_PER_MINUTE: "0",
  STILLUP_RATE_LIMIT_PER_HOUR: "0",
  STILLUP_TIER_LIMITS: '{"business":{"links":1000000}}',
};

/** How many changes were acknowledged, and a sentence for all that was not as it was said. */
type Report = { acknowledged: number; killedCheckers: number; faults: string[] };

/**
 * Lets clients write, sites change and a receiver listen, and kills the executable in the middle of it, again
 * and again, and its checker processes; then lets it come to rest and compares what it kept with what everyone learned.
 */
export async function crashRounds(rounds: number, seed = 20_300_101): Promise<Report> {
  const [folder, world, ledger] = [newFolder(), startWorld(), newLedger()];
  const faults: string[] = [];
  let killedCheckers = 0;
  const random = randomFrom(seed);
  const key = await makeKey(folder);
  const installed = await install(folder, UNLIMITED);
  const asked = () => ({ url: installed.url, key, urlOf: world.urlOf, random });
  try {
    await world.subscribe(installed.url, key);
    for (let round = 1; round <= rounds; round++) {
      if (round > 1) await installed.start();
      await askAgain(ledger, asked());
      const writes = countWrites();
      const writing = Array.from({ length: WRITERS }, () =>
        writeUntilCut(ledger, asked(), writes.add),
      );
      await writes.reach(1);
      const copying = round % COPY_EVERY === 0 ? copyWhileWriting(folder, ledger) : [];
      killedCheckers += await killAtRandom(installed, writes, random);
      await Promise.all(writing);
      faults.push(...(await copying));
      lookAt(folder, ({ links, verdict }) => {
        faults.push(...contradictions(ledger, links));
        if (verdict !== "ok") faults.push(`damaged after round ${round}: ${verdict}`);
        settleDoubts(ledger, links);
      });
      passLeases(folder);
    }
    await installed.start();
    await askAgain(ledger, asked());
    killedCheckers += await comeToRest(folder, installed);
    await installed.stop();
    lookAt(folder, (kept) => {
      faults.push(...contradictions(ledger, kept.links), ...lastLook(kept, ledger.gone, world));
      faults.push(...leftovers(folder).map((name) => `${name} was left behind`));
    });
  } finally {
    await installed.remove();
    world.stop();
  }
  return { acknowledged: ledger.acknowledged, killedCheckers, faults };
}

/** How many changes were acknowledged in a round. */
function countWrites() {
  let [count, wanted] = [0, 0];
  let reached = () => {};
  return {
    add() {
      if (++count >= wanted) reached();
    },
    /** Resolves once there were so many. */
    reach(number: number): Promise<void> {
      wanted = number;
      return new Promise((resolve) => {
        reached = resolve;
        if (count >= wanted) resolve();
      });
    },
  };
}

/** Kills the program after some changes, and its checker processes before. @returns how many of those */
async function killAtRandom(
  installed: Installed,
  writes: ReturnType<typeof countWrites>,
  random: Random,
): Promise<number> {
  const last = FEWEST + random(MORE);
  let [done, killed] = [0, 0];
  for (let kills = 1 + random(CHECKER_KILLS); kills > 0; kills--) {
    done += random(last - done);
    await writes.reach(done);
    killed += killCheckers(installed);
  }
  await writes.reach(last);
  await installed.stop("SIGKILL");
  return killed;
}

function killCheckers({ pid }: Installed): number {
  const checkers = checkersOf(pid);
  for (const checker of checkers) process.kill(checker, "SIGKILL");
  return checkers.length;
}

async function makeKey(folder: string): Promise<string> {
  const program = await executable();
  const env = { ...SETTINGS, STILLUP_DATA_DIR: join(folder, "data") };
  await $`${program} user create --email ${EMAIL}`.env(env).quiet();
  return (await $`${program} key create --email ${EMAIL} --name crash`.env(env).text()).trim();
}

type Kept = {
  links: KeptLinks;
  verdict: string;
  rows: (query: string) => (string | number | null)[][];
};

/** What is kept, while no program is there. */
function lookAt(folder: string, look: (kept: Kept) => void): void {
  const database = new Database(join(folder, "data/stillup.db"));
  const rows: Kept["rows"] = (query) => database.query(query).values() as ReturnType<Kept["rows"]>;
  const links = rows("select id, url, check_frequency from links").map(
    ([id, url, frequency]) =>
      [String(id), { url: String(url), frequency: String(frequency) }] as const,
  );
  look({ links: new Map(links), verdict: String(rows("pragma integrity_check")[0]), rows });
  database.close(true);
}

/** The time passes after which work that no one has finished is taken up again. */
function passLeases(folder: string): void {
  const database = new Database(join(folder, "data/stillup.db"));
  const now = Date.now();
  database.run("update deliveries set due_at = ? where lease is not null", [now]);
  database.run("update links set next_check_at = ? where lease is not null", [now]);
  database.close(true);
}

const UNDER_WAY = `select (select count(*) from links where last_checked_at is null or lease is not null)
  + (select count(*) from deliveries where status <> 'succeeded')`;

/** Resolves once every link was looked at and every event delivered. @returns how many checker processes it killed */
async function comeToRest(folder: string, installed: Installed): Promise<number> {
  const database = new Database(join(folder, "data/stillup.db"), { readonly: true });
  database.run("pragma busy_timeout = 5000");
  const left = database.query(UNDER_WAY);
  let [kills, killed] = [0, 0];
  const countLeft = () => {
    const count = Number(left.values()[0]![0]);
    if (count === 0 || kills === CHECKER_KILLS) return count;
    const more = killCheckers(installed);
    if (more > 0) kills++;
    killed += more;
    return count;
  };
  await untilIs("what is left to do", countLeft, 0, { everyMs: POLL_MS });
  database.close(true);
  return killed;
}

/** Sites, hosts, accounts and tags whose kept counts are not those of their links, and rows of links that are gone. */
const MISCOUNTED = `
  with counted as (
    select account_no, site, sum(status = 'active') as active, sum(status = 'dead') as dead,
      sum(status = 'unknown') as unknown, count(*) as links
    from watched_links group by account_no, site
  ), kept as (select account_no, site, active, dead, unknown, links from sites)
  select site from (select * from counted except select * from kept)
  union select site from (select * from kept except select * from counted)
  union select s.site from sites s
    where links <> (select sum(links) from site_hosts h where h.account_no = s.account_no and h.site = s.site)
  union select 'account ' || a.no from accounts a
    where (select count(*) from watched_links where account_no = a.no) <>
      (select coalesce(sum(active + dead + unknown), 0) from link_counts where subject = a.no)
  union select 'tag ' || t.name from tags t
    where (select count(*) from link_tags where tag_no = t.no) <>
      (select coalesce(sum(active + dead + unknown), 0) from link_counts where subject = t.no)
  union select 'handled of ' || a.no from accounts a
    where (select count(*) from watched_links where account_no = a.no and status = 'dead' and handling <> 'open') <>
      (select coalesce(sum(handled), 0) from link_counts where subject = a.no)
  union select 'handling of ' || l.url from links l left join link_details d on link_no = l.no
    where l.handling <> coalesce(d.handling, 'open')
  union select 'details of ' || link_no from link_details where link_no not in (select no from links)
  union select 'tag of ' || link_no from link_tags where link_no not in (select no from links)
  union select 'change of ' || site from changes where link_no not in (select no from links)`;

function lastLook({ rows, links }: Kept, gone: Set<string>, world: World): string[] {
  const stuck = rows(
    "select url from links where lease is not null or checking_until is not null or last_checked_at is null",
  );
  const misjudged = rows(
    "select url, status from links where status <> iif(url like '%/gone/%', 'dead', 'active')",
  );
  const doubled = rows("select url from links group by url having count(*) > 1");
  const miscounted = rows(MISCOUNTED);
  return [
    ...miscounted.map(([what]) => `${what} is not counted as its links are`),
    ...stuck.map(([url]) => `${url} was not looked at, or is being looked at still`),
    ...misjudged.map(([url, status]) => `${url} is ${status}`),
    ...doubled.map(([url]) => `${url} is there more than once`),
    ...world.altered().map((id) => `message ${id} came again with another body`),
    ...unsent(rows, [...links.keys()], gone, world.received()).map((each) => `not sent: ${each}`),
  ];
}

/** Files of checker processes, none of which runs. */
const leftovers = (folder: string): string[] =>
  readdirSync(join(folder, "data")).filter((name) => name.startsWith("checker-"));

/** Compares what the receiver heard with what became of the links. */
function unsent(
  rows: Kept["rows"],
  there: string[],
  gone: Set<string>,
  received: Set<string>,
): string[] {
  const changes = rows(`select k.status, l.id, c.checked_at from checks c
    join check_kinds k on k.no = c.kind_no and k.status_changed = 1 join links l on l.no = c.link_no`);
  const wanted = [
    ...[...there, ...gone].map((id) => `link.created ${id}`),
    ...[...gone].map((id) => `link.deleted ${id}`),
    ...changes.map(([status, id]) => `${status === "dead" ? "link.dead" : "link.alive"} ${id}`),
  ];
  return wanted.filter((each) => !received.has(each));
}
