import { FileText, GitBranch, Globe, type LucideIcon, Network, Rss, Send } from "lucide-preact";
import type { SourceKind } from "./queries.ts";

/** How a setting is entered, and what it is if nothing was. */
export type Setting = { name: string; label: string; hint?: string } & (
  | { as: "text"; placeholder?: string }
  | { as: "number"; first: number; least: number }
  | { as: "lines" }
  | { as: "words"; first: string[] }
  | { as: "check"; first: boolean }
  | { as: "choice"; options: { value: string; label: string }[] }
);

const EXCLUDE: Setting = {
  name: "exclude",
  as: "lines",
  label: "Leave out",
  hint: "Paths, one per line, such as /archive/ or /*.pdf$.",
};
const INCLUDE: Setting = {
  name: "include",
  as: "lines",
  label: "Include only",
  hint: "Paths, one per line. Empty for all.",
};
const ELEMENTS: Setting = {
  name: "elements",
  as: "words",
  label: "Elements",
  first: ["links", "images", "media", "frames"],
  hint: "Any of links, images, media, frames, scripts, styles and metadata, with commas.",
};
const CHOSEN: Setting[] = [
  { name: "query", as: "text", label: "Only those found by" },
  { name: "tag", as: "text", label: "Only those with the tag" },
];
const BOOKMARKS: Setting[] = [
  ...CHOSEN,
  { name: "archived", as: "check", first: false, label: "Archived bookmarks too" },
];

type Kind = {
  name: string;
  /** As the form offers it; nothing for what cannot be read at an address. */
  offer?: string;
  icon?: LucideIcon;
  /** What it calls its pages. */
  page?: string;
  /** How it sends a credential, if it is read with one or may be. */
  credential?: string;
  /** In pairs, where two go side by side. */
  settings?: (Setting | [Setting, Setting])[];
};

/** All that is said about each kind of source, in the order of the form. */
export const KINDS: Record<SourceKind, Kind> = {
  site: {
    name: "Site",
    offer: "a site",
    icon: Globe,
    settings: [
      [
        {
          name: "scope",
          as: "choice",
          label: "Pages",
          options: [
            { value: "path", label: "This folder and below" },
            { value: "host", label: "The whole host" },
            { value: "domain", label: "The whole domain" },
          ],
        },
        { name: "max_pages", as: "number", first: 10_000, least: 1, label: "Most pages" },
      ],
      [
        {
          name: "depth",
          as: "number",
          first: 20,
          least: 0,
          label: "Clicks from the first page",
          hint: "0 reads the first page and those of sitemaps.",
        },
        {
          name: "sitemaps",
          as: "choice",
          label: "Sitemaps",
          options: [
            { value: "true", label: "Read them too" },
            { value: "only", label: "Only their pages" },
            { value: "false", label: "Ignore them" },
          ],
        },
      ],
      [INCLUDE, EXCLUDE],
      {
        name: "watch",
        as: "choice",
        label: "Watch",
        hint: "Internal pages that do not answer are always watched.",
        options: [
          { value: "external", label: "External links" },
          { value: "all", label: "All links" },
          { value: "internal", label: "Internal links" },
        ],
      },
      ELEMENTS,
      { name: "watch_nofollow", as: "check", first: true, label: "Links marked nofollow too" },
      { name: "fragments", as: "check", first: true, label: "Look for missing anchors" },
    ],
  },
  sitemap: {
    name: "Sitemap",
    offer: "a sitemap",
    icon: Network,
    page: "file",
    settings: [[INCLUDE, EXCLUDE]],
  },
  feed: {
    name: "Feed",
    offer: "a feed",
    icon: Rss,
    page: "item",
    settings: [
      { name: "content", as: "check", first: true, label: "Links inside items too" },
      { name: "follow", as: "check", first: false, label: "Read the feeds of an OPML list" },
      {
        name: "keep_days",
        as: "number",
        first: 0,
        least: 0,
        label: "Days to keep links",
        hint: "After they were last in the feed. 0 keeps them for good.",
      },
    ],
  },
  list: {
    name: "List or document",
    offer: "a list of links",
    page: "document",
    settings: [
      {
        name: "format",
        as: "choice",
        label: "Format",
        options: [
          { value: "", label: "As the file says" },
          { value: "text", label: "Text" },
          { value: "csv", label: "CSV" },
          { value: "json", label: "JSON" },
          { value: "bookmarks", label: "Bookmarks of a browser" },
          { value: "html", label: "HTML" },
          { value: "markdown", label: "Markdown" },
          { value: "opml", label: "OPML" },
          { value: "sitemap", label: "Sitemap" },
          { value: "uptime-kuma", label: "Uptime Kuma" },
          { value: "uptimerobot", label: "UptimeRobot" },
        ],
      },
    ],
  },
  git: {
    name: "Repository",
    offer: "a repository",
    icon: GitBranch,
    page: "file",
    credential: "bearer",
    settings: [
      [
        { name: "ref", as: "text", label: "Branch or tag", placeholder: "The default branch" },
        {
          name: "base_url",
          as: "text",
          label: "Published at",
          placeholder: "https://docs.example.org/",
        },
      ],
      [INCLUDE, EXCLUDE],
    ],
  },
  linkding: {
    name: "linkding",
    offer: "linkding",
    page: "bookmark",
    credential: "token",
    settings: BOOKMARKS,
  },
  karakeep: {
    name: "karakeep",
    offer: "karakeep",
    page: "bookmark",
    credential: "bearer",
    settings: BOOKMARKS,
  },
  linkace: {
    name: "LinkAce",
    offer: "LinkAce",
    page: "bookmark",
    credential: "bearer",
    settings: CHOSEN,
  },
  wordpress: {
    name: "WordPress",
    offer: "WordPress",
    icon: Globe,
    credential: "basic",
    settings: [
      {
        name: "types",
        as: "words",
        first: ["posts", "pages"],
        label: "Types",
        hint: "As its API calls them, with commas.",
      },
      ELEMENTS,
    ],
  },
  push: {
    name: "Sent by a program",
    icon: Send,
  },
};

export const iconOf = (kind: SourceKind) => KINDS[kind].icon ?? FileText;
