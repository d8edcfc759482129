import { dead, means, type Rule, type Service } from "../record.ts";
import { IS_JSON } from "./shared.ts";

/** Replays may contain anything, so only the archive's own markup counts. */
const WAYBACK: Rule[] = [
  means("ok_service", { header: { "memento-datetime": "." }, matches: String.raw`\S` }),
  means("ok_service", { header: { "memento-datetime": "." } }),
  means("ok_service", {
    text: [
      "BEGIN WAYBACK TOOLBAR INSERT",
      "__wm.wombat(",
      'id="playback"',
      "response at crawl time",
    ],
  }),
  means("service_private", {
    text: [
      "URL has been excluded from the Wayback Machine",
      "Page cannot be displayed due to robots.txt",
    ],
  }),
  dead("service_not_found", "C2", {
    status: 404,
    text: [
      "has not archived that URL",
      "hasn't archived that URL",
      "doesn't have that page archived",
    ],
  }),
  means("service_unrecognised", { status: 200 }),
];

export const KNOWLEDGE: Service[] = [
  {
    id: "doi",
    name: "DOI",
    hosts: ["doi.org"],
    confidence: "H",
    kinds: [
      {
        kind: "doi",
        path: String.raw`^/(?<id>10[.\d]*(?:/|%2[Ff]).+)$`,
        ask: {
          url: "https://doi.org/api/handles/{id|raw}",
          rules: [
            means("ok_service", { json: { responseCode: 1 } }),
            dead("service_not_found", "C1", { json: { responseCode: 100 } }),
          ],
        },
        page: {
          rules: [
            means("ok_service", {
              status: 200,
              url: String.raw`^https?://(?!(?:[^/]+\.)?doi\.org/)`,
            }),
          ],
        },
      },
    ],
    canary: ["https://doi.org/10.1000/182"],
  },
  {
    id: "arxiv",
    name: "arXiv",
    hosts: ["arxiv.org"],
    confidence: "M",
    kinds: [{ kind: "paper", path: "^/(?:abs|pdf|html|format|src|e-print)/." }],
    canary: ["https://arxiv.org/abs/1706.03762"],
    gapMs: 3000,
  },
  {
    id: "wikipedia",
    name: "Wikipedia",
    hosts: ["wikipedia.org"],
    confidence: "H",
    kinds: [{ kind: "article", path: "^/wiki/." }],
    canary: ["https://en.wikipedia.org/wiki/Athena"],
  },
  {
    id: "stackexchange",
    name: "Stack Exchange",
    hosts: [
      "stackoverflow.com",
      "stackexchange.com",
      "serverfault.com",
      "superuser.com",
      "askubuntu.com",
      "stackapps.com",
      "mathoverflow.net",
    ],
    confidence: "M",
    kinds: [{ kind: "question", path: String.raw`^/(?:questions|q|a)/\d+(?:/|$)` }],
    canary: ["https://stackoverflow.com/questions/11227809"],
  },
  {
    id: "archive-org",
    name: "Internet Archive",
    hosts: ["archive.org"],
    confidence: "M",
    kinds: [
      {
        kind: "file",
        host: String.raw`^(?:www\.)?archive\.org$`,
        path: String.raw`^/download/(?<id>[\w.-]+)/.`,
        ask: {
          url: "https://archive.org/metadata/{id}",
          rules: [
            dead("service_deleted", "C1", { json: { is_dark: true } }),
            // Only the page shows the files of the item.
            means("page", { json: IS_JSON }),
          ],
        },
        page: { rules: [means("ok_service", { status: 200 })] },
      },
      {
        kind: "item",
        host: String.raw`^(?:www\.)?archive\.org$`,
        path: String.raw`^/(?:details|embed|download|stream)/(?<id>[\w.-]+)(?:/|$)`,
        ask: {
          url: "https://archive.org/metadata/{id}",
          rules: [
            dead("service_deleted", "C1", { json: { is_dark: true } }),
            means("page", { json: { "": { empty: true } } }),
            means("ok_service", {
              status: 200,
              matches: String.raw`^\s*\{`,
              json: { "": { exists: true }, is_dark: { exists: false }, error: { exists: false } },
            }),
          ],
        },
        page: {
          rules: [
            dead("service_deleted", "C2", {
              matches: String.raw`>\s*Item not available\b[\s\S]{0,2000}?Items may be taken down for various reasons`,
              unless: { text: ["item-details-metadata", 'itemprop="name"'] },
            }),
            means("login_required", {
              matches: String.raw`>\s*You must log in to view this content`,
            }),
          ],
        },
      },
    ],
    canary: ["https://archive.org/details/Cops1922"],
  },
  {
    id: "wayback",
    name: "Wayback Machine",
    hosts: ["web.archive.org", "wayback.archive.org"],
    confidence: "L",
    kinds: [
      {
        kind: "capture",
        path: String.raw`^/web/(?:\d{1,14}(?:[a-z]{2}_)?/)?(?:\w+:/|[\w-]+\.)`,
        page: { rules: WAYBACK },
      },
    ],
    canary: ["https://web.archive.org/web/2010/https://www.wikipedia.org/"],
  },
  {
    id: "pastebin",
    name: "Pastebin",
    hosts: ["pastebin.com"],
    confidence: "M",
    kinds: [
      {
        kind: "paste",
        path: "^/(?:(?:raw|dl|print|report|embed|embed_js|embed_iframe)/)?(?<id>[0-9A-Za-z]{2,})/?$",
        page: {
          rules: [
            means("ok_service_protected", { text: "postpasswordverificationform-password" }),
            means("service_private", { text: "Error, this is a private paste" }),
            means("ok_service", { status: 200, text: "/report/{id}" }),
          ],
        },
      },
    ],
    canary: ["https://pastebin.com/raw/FLwrCYsT"],
  },
  {
    id: "nexusmods",
    name: "Nexus Mods",
    hosts: ["nexusmods.com"],
    confidence: "L",
    kinds: [
      {
        kind: "mod",
        path: String.raw`^/(?:games/)?(?<game>[^/]+)/mods/(?<id>\d+)(?:/|$)`,
        page: {
          rules: [
            dead("service_deleted", "C2", {
              matches: String.raw`<h[1-3][^>]{0,200}>\s*(?:hidden mod|mod (?:has been )?removed)\s*<`,
              unless: { text: "modtabs" },
            }),
            means("login_required", { matches: String.raw`>\s*Adult-only content\s*<` }),
          ],
        },
      },
    ],
  },
  {
    id: "moddb",
    name: "Mod DB",
    hosts: ["moddb.com"],
    confidence: "L",
    kinds: [
      {
        kind: "download",
        path: "^/(?:[^/]+/[^/]+/)?(?:downloads|addons)/.",
        page: {
          rules: [
            dead("service_not_found", "C2", {
              matches: String.raw`>\s*The download requested could not be found\.?\s*<`,
              // Comments may contain the message.
              unless: { matches: String.raw`<h5>\s*Filename\s*</h5>` },
            }),
          ],
        },
      },
      { kind: "page", path: "^/(?:mods|games|engines|groups|members|company|news)/." },
    ],
  },
];
