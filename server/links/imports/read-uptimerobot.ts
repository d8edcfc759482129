import { columnName } from "./columns.ts";
import { openWhole } from "./json.ts";
import { isOftener, itemOfMonitor, OFTENER } from "./monitors.ts";
import type { Reader, Reading } from "./reading.ts";
import { cellOf, isBlank, openRows } from "./rows.ts";
import { Unreadable } from "./unreadable.ts";

/** Its API counts its types: the first two ask for a page. */
const TYPES = new Map([
  ["1", "HTTP"],
  ["2", "keyword"],
  ["3", "ping"],
  ["4", "port"],
  ["5", "heartbeat"],
]);

type Monitor = Record<string, unknown>;

/** Reads what UptimeRobot exports: a table, or the monitors as its API gives them. */
export function readUptimeRobot(into: Reading, head: string): Reader | Promise<Reader> {
  let line = 0;
  let isSaid = false;
  const take = (monitors: Monitor[]) => {
    for (const monitor of monitors) into.items.push(itemOf(monitor, ++line));
    if (isSaid || !monitors.some((monitor) => isOftener(intervalOf(monitor)))) return;
    isSaid = true;
    into.notes.push(OFTENER);
  };
  return /^\s*[[{]/.test(head)
    ? openWhole((value) => take(monitorsIn(value).map(withPlainNames)))
    : openTable(head, take);
}

function openTable(head: string, take: (monitors: Monitor[]) => void): Promise<Reader> {
  let titles: string[] | null = null;
  return openRows(head, (rows) => {
    const body = titles ? rows : rows.slice(1);
    titles ??= (rows[0] ?? []).map(columnName);
    const names = titles;
    take(body.filter((row) => !isBlank(row)).map((row) => monitorOf(names, row)));
  });
}

const monitorOf = (names: string[], row: string[]): Monitor =>
  Object.fromEntries(names.map((name, i) => [name, cellOf(row, i)]));

function monitorsIn(value: unknown): Monitor[] {
  const { monitors, data } = (value ?? {}) as { monitors?: unknown; data?: unknown };
  const found = [value, monitors, data].find(Array.isArray);
  if (found) return found.filter((each) => typeof each === "object" && each !== null);
  throw new Unreadable("These are no monitors of UptimeRobot: there is no list of monitors.");
}

/** "friendlyName" and "Friendly Name" alike. */
const withPlainNames = (monitor: Monitor): Monitor =>
  Object.fromEntries(
    Object.entries(monitor).map(([name, value]) => [
      columnName(name.replace(/([a-z])([A-Z])/g, "$1_$2")),
      value,
    ]),
  );

function itemOf(monitor: Monitor, line: number) {
  const url = textOf(monitor.url ?? monitor["url/ip"] ?? monitor.monitor_url);
  const given = textOf(monitor.type ?? monitor.monitor_type);
  const type = TYPES.get(given) ?? given;
  const about = {
    name: url || textOf(monitor.friendly_name),
    group: textOf(monitor.group_name ?? monitor.group),
    interval: intervalOf(monitor),
    isPage: /^(http|keyword)/i.test(type) || (type === "" && /^https?:/i.test(url)),
  };
  return itemOfMonitor({ ...about, url, type }, line);
}

/** Seconds; the heading may say so. */
function intervalOf(monitor: Monitor): number {
  const name = Object.keys(monitor).find((each) => /^(monitor(ing)?_)?interval/.test(each));
  return name ? Number.parseFloat(textOf(monitor[name])) : Number.NaN;
}

const textOf = (value: unknown) =>
  typeof value === "string" ? value.trim() : typeof value === "number" ? String(value) : "";
