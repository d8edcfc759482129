import type { Cells } from "./noted.ts";
import { cellOf, isBlank, openRows } from "./read-csv.ts";
import { openWhole } from "./read-json.ts";
import {
  columnName,
  createUnusedNames,
  type Item,
  itemOf,
  type Reader,
  type Reading,
  textOf,
  Unreadable,
  type UnusedNames,
} from "./reading.ts";

/** Types that request a page. */
const PAGES = new Set(["http", "keyword", "json-query", "real-browser"]);

type RecordOfMonitor = Record<string, unknown>;

/** Reads a backup of Uptime Kuma. The groups around a monitor, or else its first tag, become the group. */
export const readUptimeKuma = (into: Reading): Reader =>
  openWhole((value) => {
    const monitors = kumaMonitorsIn(value);
    const byId = new Map(monitors.map((monitor) => [monitor.id, monitor]));
    let line = 0;
    for (const monitor of monitors) {
      line++;
      if (monitor.type !== "group") into.items.push(itemOfKuma(monitor, byId, line));
    }
    if (monitors.some(({ interval }) => isMoreOften(Number(interval)))) into.notes.push(MORE_OFTEN);
    const paused = monitors.filter(({ active }) => active === false || active === 0).length;
    if (paused > 0)
      into.notes.push(`${paused} of its monitors are paused; they are imported as well.`);
    into.notes.push(...kumaNamesLeftOut(value as RecordOfMonitor, monitors));
  }, into.mostWhole);

const READ_OF_KUMA = [
  "id",
  "type",
  "url",
  "hostname",
  "name",
  "description",
  "parent",
  "tags",
].concat(["interval", "active", "pathName", "childrenIDs"]);

/** What a backup has besides its monitors, and what monitors have that is not read. */
function kumaNamesLeftOut(backup: RecordOfMonitor, monitors: RecordOfMonitor[]): string[] {
  const unused = createUnusedNames();
  unused.addFrom(backup, ["version", "monitorList"]);
  addNamesOf(unused, monitors, READ_OF_KUMA);
  return unused.remarks("Field");
}

/** Numbers and switches that are 0 or off say nothing. */
function addNamesOf(unused: UnusedNames, monitors: RecordOfMonitor[], read: string[]) {
  for (const monitor of monitors) {
    const set = Object.entries(monitor).filter(([, value]) => value !== 0 && value !== false);
    unused.addFrom(Object.fromEntries(set), read);
  }
}

function kumaMonitorsIn(value: unknown): RecordOfMonitor[] {
  const { monitorList } = (value ?? {}) as { monitorList?: unknown };
  if (typeof monitorList === "object" && monitorList !== null) return Object.values(monitorList);
  throw new Unreadable("This is not a backup of Uptime Kuma: it has no monitorList.");
}

function itemOfKuma(monitor: RecordOfMonitor, byId: Map<unknown, RecordOfMonitor>, line: number) {
  const type = textOf(monitor.type);
  const about = {
    url: textOf(monitor.url),
    name: textOf(monitor.hostname) || textOf(monitor.name),
    isPage: PAGES.has(type),
    group: pathOf(monitor, byId) || tagOf(monitor),
    interval: Number(monitor.interval),
    cells: { title: monitor.name, note: monitor.description, tags: monitor.tags },
  };
  return itemOfMonitor({ ...about, type }, line);
}

/** The names of the groups around it, outermost first. */
function pathOf(monitor: RecordOfMonitor, byId: Map<unknown, RecordOfMonitor>): string {
  const names: string[] = [];
  const seen = new Set<unknown>();
  for (let at = byId.get(monitor.parent); at && !seen.has(at); at = byId.get(at.parent)) {
    seen.add(at);
    names.unshift(textOf(at.name));
  }
  return names.join(" / ");
}

const tagOf = ({ tags }: RecordOfMonitor) => (Array.isArray(tags) ? textOf(tags[0]?.name) : "");

/** The types of its API, by number. The first two request a page. */
const TYPES = new Map([
  ["1", "HTTP"],
  ["2", "keyword"],
  ["3", "ping"],
  ["4", "port"],
  ["5", "heartbeat"],
]);

/** Reads an export of UptimeRobot: a table, or the monitors as its API returns them. */
export async function readUptimeRobot(into: Reading, head: string): Promise<Reader> {
  const unused = createUnusedNames();
  let line = 0;
  let isNoted = false;
  const take = (monitors: RecordOfMonitor[]) => {
    for (const monitor of monitors) into.items.push(itemOfRobot(monitor, ++line));
    addNamesOf(unused, monitors, READ_OF_ROBOT.concat(intervalNameIn(monitors[0] ?? {}) ?? []));
    if (isNoted || !monitors.some((monitor) => isMoreOften(intervalOf(monitor)))) return;
    isNoted = true;
    into.notes.push(MORE_OFTEN);
  };
  const reader = /^\s*[[{]/.test(head)
    ? openWhole((value) => take(robotMonitorsIn(value).map(withPlainNames)), into.mostWhole)
    : await openTable(head, take);
  return {
    write: reader.write,
    end() {
      reader.end();
      into.notes.push(...unused.remarks("Field"));
    },
  };
}

const READ_OF_ROBOT = [
  "url",
  "url/ip",
  "monitor_url",
  "type",
  "monitor_type",
  "friendly_name",
].concat(["group_name", "group", "tags"]);

function openTable(head: string, take: (monitors: RecordOfMonitor[]) => void): Promise<Reader> {
  let titles: string[] | null = null;
  return openRows(head, (rows) => {
    const body = titles ? rows : rows.slice(1);
    titles ??= (rows[0] ?? []).map(columnName);
    const names = titles;
    take(body.filter((row) => !isBlank(row)).map((row) => monitorOf(names, row)));
  });
}

const monitorOf = (names: string[], row: string[]): RecordOfMonitor =>
  Object.fromEntries(names.map((name, i) => [name, cellOf(row, i)]));

function robotMonitorsIn(value: unknown): RecordOfMonitor[] {
  const { monitors, data } = (value ?? {}) as { monitors?: unknown; data?: unknown };
  const found = [value, monitors, data].find(Array.isArray);
  if (found) return found.filter((each) => typeof each === "object" && each !== null);
  throw new Unreadable("This is not an export of UptimeRobot: it has no list of monitors.");
}

/** "friendlyName" → "friendly_name" */
const withPlainNames = (monitor: RecordOfMonitor): RecordOfMonitor =>
  Object.fromEntries(
    Object.entries(monitor).map(([name, value]) => [
      columnName(name.replace(/([a-z])([A-Z])/g, "$1_$2")),
      value,
    ]),
  );

function itemOfRobot(monitor: RecordOfMonitor, line: number) {
  const url = plainText(monitor.url ?? monitor["url/ip"] ?? monitor.monitor_url);
  const given = plainText(monitor.type ?? monitor.monitor_type);
  const type = TYPES.get(given) ?? given;
  const about = {
    name: url || plainText(monitor.friendly_name),
    group: plainText(monitor.group_name ?? monitor.group),
    interval: intervalOf(monitor),
    isPage: /^(http|keyword)/i.test(type) || (type === "" && /^https?:/i.test(url)),
    cells: { title: monitor.friendly_name, tags: monitor.tags },
  };
  return itemOfMonitor({ ...about, url, type }, line);
}

/** The name may have a unit. */
const intervalNameIn = (monitor: RecordOfMonitor) =>
  Object.keys(monitor).find((each) => /^(monitor(ing)?_)?interval/.test(each));

/** In seconds. */
function intervalOf(monitor: RecordOfMonitor): number {
  const name = intervalNameIn(monitor);
  return name ? Number.parseFloat(plainText(monitor[name])) : Number.NaN;
}

const plainText = (value: unknown) =>
  typeof value === "string" ? value.trim() : typeof value === "number" ? String(value) : "";

const SECONDS = { hourly: 3600, daily: 86_400, weekly: 604_800, monthly: 2_592_000 };

/** A monitor of another program. */
type Monitor = {
  url: string;
  /** Shown if it has no URL. */
  name: string;
  /** The program's name for its type. */
  type: string;
  isPage: boolean;
  group: string;
  /** Seconds between two checks; NaN if unknown. */
  interval: number;
  /** What is noted about it. */
  cells: Cells;
};

/** A monitor without a page becomes an item with a problem. */
function itemOfMonitor(monitor: Monitor, line: number): Item {
  const { url, name, type, isPage, group, interval, cells } = monitor;
  const item = itemOf(isPage ? url : name || url, line, { group, ...cells });
  if (isPage) return { ...item, frequency: nearestFrequency(interval) };
  return { ...item, problem: `A monitor of the type “${type}” does not watch a page.` };
}

/** The nearest frequency by ratio; empty for an unknown interval. */
function nearestFrequency(seconds: number): string {
  if (!(seconds > 0)) return "";
  const distance = (length: number) => Math.abs(Math.log(length / seconds));
  const sorted = Object.entries(SECONDS).sort(([, a], [, b]) => distance(a) - distance(b));
  return sorted[0]![0];
}

const MORE_OFTEN =
  "Pages that were checked every few minutes are checked every hour: links change slowly.";

const isMoreOften = (seconds: number) => seconds > 0 && seconds < SECONDS.hourly / 2;
