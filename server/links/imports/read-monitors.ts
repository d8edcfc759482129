import { columnName, type Item, itemOf, textOf } from "./item.ts";
import { cellOf, isBlank, openRows } from "./read-csv.ts";
import { openWhole } from "./read-json.ts";
import { type Reader, type Reading, Unreadable } from "./reading.ts";

/** Types that ask for a page. */
const PAGES = new Set(["http", "keyword", "json-query", "real-browser"]);

type RecordOfMonitor = Record<string, unknown>;

/** Reads a backup of Uptime Kuma. Its groups, or else the first tag of a monitor, make the group. */
export const readUptimeKuma = (into: Reading): Reader =>
  openWhole((value) => {
    const monitors = kumaMonitorsIn(value);
    const byId = new Map(monitors.map((monitor) => [monitor.id, monitor]));
    let line = 0;
    for (const monitor of monitors) {
      line++;
      if (monitor.type !== "group") into.items.push(itemOfKuma(monitor, byId, line));
    }
    if (monitors.some(({ interval }) => isOftener(Number(interval)))) into.notes.push(OFTENER);
    const paused = monitors.filter(({ active }) => active === false || active === 0).length;
    if (paused > 0) into.notes.push(`${paused} of its monitors are paused; they are read as well.`);
  });

function kumaMonitorsIn(value: unknown): RecordOfMonitor[] {
  const { monitorList } = (value ?? {}) as { monitorList?: unknown };
  if (typeof monitorList === "object" && monitorList !== null) return Object.values(monitorList);
  throw new Unreadable("This is no backup of Uptime Kuma: it has no monitorList.");
}

function itemOfKuma(monitor: RecordOfMonitor, byId: Map<unknown, RecordOfMonitor>, line: number) {
  const type = textOf(monitor.type);
  const about = {
    url: textOf(monitor.url),
    name: textOf(monitor.hostname) || textOf(monitor.name),
    isPage: PAGES.has(type),
    group: pathOf(monitor, byId) || tagOf(monitor),
    interval: Number(monitor.interval),
  };
  return itemOfMonitor({ ...about, type }, line);
}

/** The names of the groups around it, the outermost first. */
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

/** Its API counts its types: the first two ask for a page. */
const TYPES = new Map([
  ["1", "HTTP"],
  ["2", "keyword"],
  ["3", "ping"],
  ["4", "port"],
  ["5", "heartbeat"],
]);

/** Reads what UptimeRobot exports: a table, or the monitors as its API gives them. */
export function readUptimeRobot(into: Reading, head: string): Reader | Promise<Reader> {
  let line = 0;
  let isSaid = false;
  const take = (monitors: RecordOfMonitor[]) => {
    for (const monitor of monitors) into.items.push(itemOfRobot(monitor, ++line));
    if (isSaid || !monitors.some((monitor) => isOftener(intervalOf(monitor)))) return;
    isSaid = true;
    into.notes.push(OFTENER);
  };
  return /^\s*[[{]/.test(head)
    ? openWhole((value) => take(robotMonitorsIn(value).map(withPlainNames)))
    : openTable(head, take);
}

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
  throw new Unreadable("These are no monitors of UptimeRobot: there is no list of monitors.");
}

/** "friendlyName" and "Friendly Name" alike. */
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
  };
  return itemOfMonitor({ ...about, url, type }, line);
}

/** Seconds; the heading may say so. */
function intervalOf(monitor: RecordOfMonitor): number {
  const name = Object.keys(monitor).find((each) => /^(monitor(ing)?_)?interval/.test(each));
  return name ? Number.parseFloat(plainText(monitor[name])) : Number.NaN;
}

const plainText = (value: unknown) =>
  typeof value === "string" ? value.trim() : typeof value === "number" ? String(value) : "";

const SECONDS = { hourly: 3600, daily: 86_400, weekly: 604_800, monthly: 2_592_000 };

/** A monitor as another program keeps it. */
type Monitor = {
  url: string;
  /** What to call it where it has no URL. */
  name: string;
  /** Of the program, as it calls it. */
  type: string;
  isPage: boolean;
  group: string;
  /** Seconds between two checks; not a number where it is not said. */
  interval: number;
};

/** A monitor without a page becomes an item as well, which reports that it is left out. */
function itemOfMonitor(monitor: Monitor, line: number): Item {
  const { url, name, type, isPage, group, interval } = monitor;
  const item = itemOf(isPage ? url : name || url, line, { group });
  if (isPage) return { ...item, frequency: nearestFrequency(interval) };
  return { ...item, problem: `A monitor of the type “${type}” watches no page.` };
}

/** The frequency that is as many times shorter or longer as possible; empty for what is no length of time. */
function nearestFrequency(seconds: number): string {
  if (!(seconds > 0)) return "";
  const farness = (length: number) => Math.abs(Math.log(length / seconds));
  const sorted = Object.entries(SECONDS).sort(([, a], [, b]) => farness(a) - farness(b));
  return sorted[0]![0];
}

/** What to know of intervals that none of our frequencies comes near. */
const OFTENER =
  "Pages that were checked every few minutes are checked every hour: links die slowly.";

const isOftener = (seconds: number) => seconds > 0 && seconds < SECONDS.hourly / 2;
