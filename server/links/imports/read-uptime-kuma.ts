import { openWhole } from "./json.ts";
import { isOftener, itemOfMonitor, OFTENER } from "./monitors.ts";
import type { Reader, Reading } from "./reading.ts";
import { Unreadable } from "./unreadable.ts";

/** Types that ask for a page. */
const PAGES = new Set(["http", "keyword", "json-query", "real-browser"]);

type Monitor = Record<string, unknown>;

/** Reads a backup of Uptime Kuma. Its groups, or else the first tag of a monitor, make the group. */
export const readUptimeKuma = (into: Reading): Reader =>
  openWhole((value) => {
    const monitors = monitorsIn(value);
    const byId = new Map(monitors.map((monitor) => [monitor.id, monitor]));
    let line = 0;
    for (const monitor of monitors) {
      line++;
      if (monitor.type !== "group") into.items.push(itemOf(monitor, byId, line));
    }
    if (monitors.some(({ interval }) => isOftener(Number(interval)))) into.notes.push(OFTENER);
    const paused = monitors.filter(({ active }) => active === false || active === 0).length;
    if (paused > 0) into.notes.push(`${paused} of its monitors are paused; they are read as well.`);
  });

function monitorsIn(value: unknown): Monitor[] {
  const { monitorList } = (value ?? {}) as { monitorList?: unknown };
  if (typeof monitorList === "object" && monitorList !== null) return Object.values(monitorList);
  throw new Unreadable("This is no backup of Uptime Kuma: it has no monitorList.");
}

function itemOf(monitor: Monitor, byId: Map<unknown, Monitor>, line: number) {
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
function pathOf(monitor: Monitor, byId: Map<unknown, Monitor>): string {
  const names: string[] = [];
  const seen = new Set<unknown>();
  for (let at = byId.get(monitor.parent); at && !seen.has(at); at = byId.get(at.parent)) {
    seen.add(at);
    names.unshift(textOf(at.name));
  }
  return names.join(" / ");
}

const tagOf = ({ tags }: Monitor) => (Array.isArray(tags) ? textOf(tags[0]?.name) : "");

const textOf = (value: unknown) => (typeof value === "string" ? value.trim() : "");
