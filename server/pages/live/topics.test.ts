import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { whenConnected } from "../../../tests/live/node.ts";
import { freshPostgres } from "../../../tests/postgres.ts";
import { createWatch, waitFor } from "../../../tests/waits.ts";
import { openPostgres } from "../../ground/db/postgres.ts";
import { type Engine, Unavailable } from "../../ground/db/store.ts";
import { createLoops } from "../../work/loops.ts";
import { NO_SHARE } from "../../work/nodes.ts";
import {
  addTo,
  listenToTopics,
  nothingPending,
  readMessage,
  writeMessage,
} from "../../work/topics.ts";

/** Longer than any test. */
const BEAT_MS = 600_000;
const id = () => crypto.randomUUID();

describe("Messages between nodes", () => {
  let engine: Engine;
  const ends: (() => Promise<void>)[] = [];
  beforeAll(async () => {
    engine = openPostgres(await freshPostgres());
  });
  afterAll(async () => {
    for (const end of ends) await end();
    await engine.close();
  });

  /** A node that hears, and what it has heard. */
  async function startNode(way: Partial<Engine> = {}) {
    let passedMs = 0;
    const watch = createWatch();
    const heard = { changed: new Set<string | null>(), counted: new Set<string | null>(), work: 0 };
    const loops = createLoops();
    loops.onWake(() => {
      heard.work++;
      watch.changed();
    });
    const news = listenToTopics(
      {
        store: { engine: { ...engine, ...way } },
        nodes: {
          id: id(),
          all: () => [],
          dead: () => [],
          share: () => NO_SHARE,
          mailShare: () => NO_SHARE,
        },
        loops,
      },
      { beatMs: BEAT_MS, elapsed: () => passedMs },
    );
    const addTo = (heardIds: Set<string | null>) => (ids: string[] | null) => {
      for (const each of ids ?? [null]) heardIds.add(each);
      watch.changed();
    };
    ends.push(news.stop);
    await whenConnected(news);
    news.subscribe({ changed: addTo(heard.changed), counted: addTo(heard.counted) });
    heard.work = 0;
    /** Resolves once it has heard so. */
    const hears = (isSo: (all: typeof heard) => boolean) =>
      watch.when(
        () => isSo(heard),
        () => `${isSo}; heard: ${JSON.stringify({ ...heard, changed: [...heard.changed] })}`,
      );
    const pass = (ms: number) => {
      passedMs += ms;
    };
    return { news, heard, hears, pass };
  }

  test("reach all other nodes, and for counts the sender as well", async () => {
    const [here, there] = [await startNode(), await startNode()];
    const [changed, counted] = [id(), id()];

    here.news.changed(changed);
    here.news.counted(new Set([counted]));

    await there.hears((all) => all.changed.has(changed) && all.counted.has(counted));
    await here.hears((all) => all.counted.has(counted));
    expect(here.heard.changed.has(changed)).toBe(false);
  });

  test("wake the loops of other nodes, which do not forward them", async () => {
    const [here, there] = [await startNode(), await startNode()];
    const marker = id();

    here.news.workIsDue();
    await there.hears(({ work }) => work > 0);
    there.news.changed(marker);
    await here.hears((all) => all.changed.has(marker));

    expect([here.heard.work, there.heard.work]).toEqual([0, 1]);
  });

  test("are gathered, so that a thousand changes at once are one message", async () => {
    let notices = 0;
    const notify: Engine["notify"] = (...what) => {
      notices++;
      return engine.notify(...what);
    };
    const here = await startNode({ notify });
    const there = await startNode();
    const before = notices;

    for (let i = 0; i < 1000; i++) here.news.changed(`account ${i}`);

    await there.hears((all) => all.changed.has(null));
    expect(notices - before).toBe(1);
  });

  test("are retained while they cannot be sent, and sent afterwards", async () => {
    let isCut = false;
    const refused = Promise.withResolvers<void>();
    const notify: Engine["notify"] = async (...what) => {
      if (!isCut) return engine.notify(...what);
      refused.resolve();
      throw new Unavailable("cut off");
    };
    const [here, there] = [await startNode({ notify }), await startNode()];
    const changed = id();

    isCut = true;
    here.news.changed(changed);
    await waitFor(refused.promise, () => "a message to be refused");
    isCut = false;

    await there.hears((all) => all.changed.has(changed));
  });

  test("may have been missed by a node that was disconnected, which then assumes any change", async () => {
    const { news, heard, hears, pass } = await startNode();

    pass(3 * BEAT_MS);
    expect(news.isConnected()).toBe(false);
    news.counted(new Set(["an account"]));

    await hears((all) => all.changed.has(null));
    expect(news.isConnected()).toBe(true);
    expect(heard.work).toBe(1);
  });
});

describe("A message", () => {
  const gathered = (count: number) => {
    const all = nothingPending();
    for (const kind of ["changed", "counted"] as const) {
      addTo(
        all[kind],
        Array.from({ length: count }, () => id()),
      );
    }
    return all;
  };

  test("lists as many accounts as PostgreSQL allows, and beyond that means any account", () => {
    const [full, more] = [
      writeMessage("12345678", gathered(90)),
      writeMessage("12345678", gathered(91)),
    ];

    expect(full.length).toBeLessThan(8000);
    expect(readMessage(full).changed).toHaveLength(90);
    expect(readMessage(more)).toEqual({
      by: "12345678",
      changed: null,
      counted: null,
      work: false,
    });
  });

  test("that is not understood means any change", () => {
    for (const text of ["", "{}", '{"by":"1","changed":7,"counted":[],"work":false}']) {
      expect(readMessage(text)).toEqual({ by: "", changed: null, counted: null, work: true });
    }
  });
});
