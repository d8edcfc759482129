import { useQuery } from "@tanstack/preact-query";
import {
  Activity,
  Bell,
  Gauge,
  Globe,
  Link2,
  type LucideIcon,
  Rss,
  Settings2,
  Wrench,
} from "lucide-preact";
import type { Counts } from "../data/counts.ts";
import { many } from "../data/format.ts";
import { type User, useUser } from "../data/session.ts";

type Mark = { text: string; tone: "" | "dead" | "new" };

export type Place = {
  href: string;
  name: string;
  icon: LucideIcon;
  /** The second key, after "g". */
  key?: string;
  mark?: (counts: Counts) => Mark | null;
};

const plain = (count: number): Mark | null => (count > 0 ? { text: many(count), tone: "" } : null);
const dead = (count: number): Mark | null =>
  count > 0 ? { text: many(count), tone: "dead" } : null;
const fresh = (count: number): Mark | null =>
  count > 0 ? { text: `${many(count)} new`, tone: "new" } : null;

export const PLACES = {
  overview: {
    href: "/",
    name: "Overview",
    icon: Gauge,
    key: "o",
    mark: (of) => dead(of.attention),
  },
  links: { href: "/links", name: "Links", icon: Link2, key: "l", mark: (of) => plain(of.links) },
  sites: { href: "/sites", name: "Sites", icon: Globe, key: "s", mark: (of) => plain(of.sites) },
  sources: { href: "/sources", name: "Sources", icon: Rss, key: "r" },
  changes: {
    href: "/changes",
    name: "Changes",
    icon: Activity,
    key: "c",
    mark: (of) => fresh(of.news),
  },
  alerts: {
    href: "/alerts",
    name: "Alerts",
    icon: Bell,
    key: "n",
    mark: (of) => dead(of.failingAlerts),
  },
} satisfies Record<string, Place>;

/** Part of what needs attention, so it has no entry of its own in the sidebar. */
export const REPAIR_PLACE = { href: "/repair", name: "Repair", icon: Wrench };

export const SETTINGS_PLACE = { href: "/settings", name: "Settings", icon: Settings2 };

export type SettingsSection = { path: string; name: string };
type LoadSections = (user: User) => Promise<SettingsSection[]>;

let loadSections: LoadSections;

/** The sections come with the page of the settings, which is loaded later. */
export function offerSections(load: LoadSections) {
  loadSections = load;
}

/** The sections of the settings that the user may see; none until they are loaded. */
export function useSections(): SettingsSection[] {
  const user = useUser();
  const sections = useQuery({
    queryKey: ["sections", user.is_admin],
    queryFn: () => loadSections(user),
    staleTime: Number.POSITIVE_INFINITY,
  });
  return sections.data ?? [];
}

/** Whether the path is the place or below it. */
export const isAt = (path: string, href: string) =>
  path === href || (href !== "/" && path.startsWith(`${href}/`));
