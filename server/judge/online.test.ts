import { expect, test } from "bun:test";
import { type MovableClock, movableClock } from "../../tests/clock.ts";
import { eachRow } from "../../tests/each-row.ts";
import { onlineGuard } from "../app/build.ts";
import { readConfig } from "../ground/config/config.ts";
import { systemClock } from "../ground/lib/clock.ts";
import { type AskSentinel, createOnline, type OnlineChange } from "./online/online.ts";

const ADDRESSES = ["192.0.2.1:53", "192.0.2.2:53", "192.0.2.3:53"];

type World = { sentinels?: string[]; clock?: MovableClock; ask?: AskSentinel };

/** A monitor whose sentinels a test plays; `answers` says how many of them can be reached now. */
function monitor({ sentinels = ADDRESSES, ...world }: World = {}) {
  const clock = world.clock ?? movableClock("2030-01-01T00:00:00Z", { autoMove: true });
  const net = { answers: sentinels.length, asked: [] as string[], changes: [] as OnlineChange[] };
  const answering: AskSentinel = async ({ address, port }) =>
    sentinels.indexOf(`${address}:${port}`) < net.answers;
  const online = createOnline({
    clock,
    sentinels,
    ask: (server, timeoutMs) => {
      net.asked.push(`${server.address}:${server.port} within ${timeoutMs}`);
      return (world.ask ?? answering)(server, timeoutMs);
    },
    onChange: (change) => net.changes.push(change),
  });
  const confirm = () => online.confirm(clock.elapsed());
  return { ...online, clock, net, confirm, confirmSince: online.confirm };
}

test("no sentinel is asked before something failed", () => {
  const { known, net } = monitor();

  expect(known()).toEqual({ state: "unknown" });
  expect(net.asked).toEqual([]);
});

test("all sentinels are asked at once, for five seconds at most, and the answer is evidence", async () => {
  const { confirm, net } = monitor();
  net.answers = 1;

  const report = await confirm();

  expect(net.asked).toEqual(ADDRESSES.map((address) => `${address} within 5000`));
  expect(report).toEqual({
    state: "degraded",
    asked_at: "2030-01-01T00:00:00.000Z",
    sentinels: [
      { address: "192.0.2.1:53", answered: true },
      { address: "192.0.2.2:53", answered: false },
      { address: "192.0.2.3:53", answered: false },
    ],
  });
});

eachRow([
  [3, 3, "online"],
  [2, 3, "online"],
  [1, 3, "degraded"],
  [0, 3, "offline"],
  [2, 2, "online"],
  [1, 2, "degraded"],
  [0, 2, "offline"],
  [1, 1, "online"],
  [0, 1, "offline"],
] as const)(
  "the sentinels that answer decide whether we are online",
  async (answers, of, state) => {
    const { confirm, known, net } = monitor({ sentinels: ADDRESSES.slice(0, of) });
    net.answers = answers;

    expect((await confirm())?.state).toBe(state);
    expect(known().state).toBe(state);
  },
);

test("without sentinels there is nothing to know", async () => {
  const { confirm, known } = monitor({ sentinels: [] });

  expect(await confirm()).toBeNull();
  expect(known()).toEqual({ state: "unknown" });
});

test("no sentinel is asked behind a proxy, where a direct connection means nothing", async () => {
  const config = readConfig({ STILLUP_OUTBOUND_PROXY: "http://192.0.2.1:3128" });

  expect(await onlineGuard(config, systemClock).confirm(0)).toBeNull();
});

eachRow([
  [undefined, ["1.1.1.1:53", "8.8.8.8:53", "9.9.9.9:53"]],
  ["", []],
  ["192.0.2.1:53, [2001:db8::1]:443", ["192.0.2.1:53", "[2001:db8::1]:443"]],
])("STILLUP_SENTINELS names addresses with ports", (text, sentinels) => {
  expect(readConfig({ STILLUP_SENTINELS: text }).sentinels).toEqual(sentinels);
});

eachRow(["example.org:53", "192.0.2.1:0", "192.0.2.1:66000", "192.0.2.1:53,"])(
  "STILLUP_SENTINELS stops the start with anything else",
  (text) => {
    expect(() => readConfig({ STILLUP_SENTINELS: text })).toThrow(
      `STILLUP_SENTINELS must be a list of ip:port; got "${text}".`,
    );
  },
);

test("a thousand failures at one moment ask once", async () => {
  const { confirm, net } = monitor();

  const reports = await Promise.all(Array.from({ length: 1000 }, confirm));

  expect(net.asked).toHaveLength(3);
  expect(new Set(reports).size).toBe(1);
});

test("what the sentinels said before a failure says nothing about it", async () => {
  const { confirm, confirmSince, net, clock } = monitor();
  await confirm();
  clock.moveBy(5000);
  net.answers = 0;

  expect((await confirmSince(clock.elapsed()))?.state).toBe("offline");
  expect((await confirmSince(clock.elapsed() - 4000))?.state).toBe("offline");
  expect(net.asked).toHaveLength(6);
});

test("a failure during a round waits for the next one, with all that fail meanwhile", async () => {
  const clock = movableClock("2030-01-01T00:00:00Z");
  const round = [Promise.withResolvers<boolean>(), Promise.withResolvers<boolean>()];
  let rounds = 0;
  const ask = () => round[rounds++]!.promise;
  const { confirm, net } = monitor({ clock, ask, sentinels: ["192.0.2.1:53"] });
  const first = confirm();
  clock.moveBy(300);

  const later = [confirm(), confirm(), confirm()];
  round[0]!.resolve(true);
  expect((await first)?.state).toBe("online");
  expect(net.asked).toHaveLength(1);
  clock.moveBy(700);
  round[1]!.resolve(false);

  expect((await Promise.all(later)).map((report) => report?.state)).toEqual([
    "offline",
    "offline",
    "offline",
  ]);
  expect(net.asked).toHaveLength(2);
});

test("rounds begin at least a second apart, however much fails", async () => {
  const { confirm, clock, net } = monitor();

  for (let failures = 0; failures < 10; failures++) {
    await confirm();
    clock.moveBy(100);
  }

  expect(net.asked).toHaveLength(10 * 3);
  expect(clock.slept).toEqual(Array(9).fill(900));
});

test("a sentinel that stays silent delays nothing while enough of the others answer", async () => {
  const ask: AskSentinel = async ({ address }) =>
    address === "192.0.2.2" ? new Promise<boolean>(() => {}) : true;
  const { confirm } = monitor({ ask });

  expect(await confirm()).toMatchObject({
    state: "online",
    sentinels: [{ address: "192.0.2.1:53" }, { address: "192.0.2.3:53" }],
  });
});

test("a round that ends after a later one tells nothing new", async () => {
  const clock = movableClock("2030-01-01T00:00:00Z");
  const slow = Promise.withResolvers<boolean>();
  const answers = [slow.promise, Promise.resolve(true)];
  const ask = () => answers.shift()!;
  const { confirm, known, net } = monitor({ clock, ask, sentinels: ["192.0.2.1:53"] });
  const first = confirm();
  clock.moveBy(1000);
  await confirm();

  slow.resolve(false);

  expect((await first)?.state).toBe("offline");
  expect(known().state).toBe("online");
  expect(net.changes).toEqual([]);
});

test("every change is reported once, with its time", async () => {
  const { confirm, known, clock, net } = monitor();
  const shown = ({ from, to }: OnlineChange) =>
    `${from.state} to ${to.state} at ${new Date(to.since).toISOString().slice(11, 19)}`;

  for (const answers of [3, 3, 0, 0, 1, 1, 3, 3]) {
    net.answers = answers;
    await confirm();
    clock.moveBy(60_000);
  }

  expect(net.changes.map(shown)).toEqual([
    "online to offline at 00:02:00",
    "offline to degraded at 00:04:00",
    "degraded to online at 00:06:00",
  ]);
  expect(known()).toMatchObject({ state: "online", since: Date.parse("2030-01-01T00:06:00Z") });
});

test("a monitor that is offline from the start is reported as such", async () => {
  const { confirm, net } = monitor();
  net.answers = 0;

  await confirm();

  expect(net.changes).toMatchObject([{ from: { state: "unknown" }, to: { state: "offline" } }]);
});
