import { afterEach, beforeEach } from "bun:test";
import type { Env } from "../../server/ground/config/config.ts";
import type { Clock } from "../../server/ground/lib/clock.ts";
import { type MovableClock, movableClock } from "../clock.ts";
import { START } from "../harness.ts";
import { freshPostgres } from "../postgres.ts";
import { type PlayedNode, playNode } from "./playing.ts";

const BEAT_MS = 5000;

/** Nodes that each story starts on a PostgreSQL of its own, and the time that it lets pass. */
type Fleet = {
  time: MovableClock;
  start(settings?: Env, clock?: Clock): PlayedNode;
  /** So many that share all work, and are at rest. */
  startAll(count: number): Promise<PlayedNode[]>;
  /** All of them send a heartbeat, so many times. */
  beat(nodes: PlayedNode[], times?: number): Promise<void>;
};

export function playFleet(): Fleet {
  const time = movableClock(START);
  let url: string;
  let running: PlayedNode[];
  beforeEach(async () => {
    url = await freshPostgres();
    running = [];
  });
  afterEach(async () => {
    await Promise.all(running.map((node) => node.close()));
  });

  function start(settings: Env = {}, clock: Clock = time): PlayedNode {
    const node = playNode(url, clock, settings);
    running.push(node);
    return node;
  }

  async function beat(nodes: PlayedNode[], times = 1) {
    for (let i = 0; i < times; i++) {
      time.moveBy(BEAT_MS);
      for (const node of nodes) await node.beat();
    }
  }

  async function startAll(count: number): Promise<PlayedNode[]> {
    const nodes = Array.from({ length: count }, () => start());
    await beat(nodes, 5);
    return nodes;
  }

  return { time, start, startAll, beat };
}
