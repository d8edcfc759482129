import { dead, means, type Rule, type Service, type When } from "../record.ts";
import { oembed, PAGE_DECIDES, PRIVATE } from "./shared.ts";

/** Google's messages in place of a document. A document's own title proves that it exists. */
const GOOGLE_DOCS: Rule[] = [
  means("login_required", { url: String.raw`^https://accounts\.google\.com/` }),
  means("login_required", { status: 401 }),
  means("login_required", {
    status: 403,
    text: ["You need access", "accounts.google.com/AccountChooser"],
  }),
  means("ok_service", { status: 200, title: " - Google (?:Docs|Sheets|Slides|Drawings)$" }),
  dead("service_not_found", "C2", {
    status: [400, 404, 410],
    text: "Sorry, the file you have requested does not exist",
  }),
  dead("service_not_found", "C2", {
    // Any document may contain these words with status 200, but not the markup of the error.
    status: 200,
    type: "^text/html",
    matches: String.raw`class="errorMessage"[^>]{0,200}>\s*Sorry, the file you have requested does not exist`,
  }),
];

const SCRIBD_REMOVED: Rule = dead("service_deleted", "C1", {
  url: "^https?://[^/]+/(?:[^?#]*/)?(?:removal|deleted)/",
});

/** Present with every deck, whose title and slides may contain any words. */
const SLIDESHARE_SHOWS_IT: When = { text: '"slideshow":{"' };

const SLIDESHARE_MISSING: Rule[] = [
  dead("service_deleted", "C2", {
    matches: String.raw`>\s*Uploaded Content Removed\s*<`,
    unless: SLIDESHARE_SHOWS_IT,
  }),
  dead("service_not_found", "C2", {
    title: String.raw`^404 error\. Page Not Found`,
    unless: SLIDESHARE_SHOWS_IT,
  }),
  dead("service_not_found", "C2", {
    matches: String.raw`>\s*Sorry! We could not find what you were looking for`,
    unless: SLIDESHARE_SHOWS_IT,
  }),
];

export const DOCUMENTS: Service[] = [
  {
    id: "google-docs",
    name: "Google Docs",
    hosts: ["docs.google.com"],
    confidence: "M",
    kinds: [
      {
        kind: "document",
        path: String.raw`^/(?:a/[^/]+/)?(?:document|spreadsheets|presentation|drawings)/(?:u/\d+/)?d/(?:e/)?[\w-]+`,
        page: { rules: GOOGLE_DOCS },
      },
      {
        kind: "form",
        path: String.raw`^/(?:a/[^/]+/)?forms/(?:u/\d+/)?d/(?:e/)?[\w-]+`,
        page: {
          rules: [means("ok_service", { text: "no longer accepting responses" }), ...GOOGLE_DOCS],
        },
      },
    ],
    canary: [
      "https://docs.google.com/spreadsheets/d/1BxiMVs0XRA5nFMdKvBdBZjgmUUqptlbs74OgvE2upms/edit",
    ],
  },
  {
    id: "scribd",
    name: "Scribd",
    hosts: ["scribd.com"],
    confidence: "M",
    kinds: [
      {
        kind: "document",
        path: String.raw`^/(?:mobile/)?(?:doc|document|presentation)/\d+(?:/|$)`,
        ask: oembed("https://www.scribd.com/services/oembed/?format=json&url={url}", PAGE_DECIDES),
        page: { rules: [SCRIBD_REMOVED] },
      },
      {
        kind: "book",
        path: String.raw`^/(?:book|read|audiobook|listen|embeds)/\d+(?:/|$)`,
        page: { rules: [SCRIBD_REMOVED] },
      },
    ],
    canary: [
      "https://www.scribd.com/doc/110799637/Synthesis-of-Knowledge-Effects-of-Fire-and-Thinning-Treatments-on-Understory-Vegetation-in-Dry-U-S-Forests",
    ],
  },
  {
    id: "slideshare",
    name: "SlideShare",
    hosts: ["slideshare.net"],
    confidence: "M",
    kinds: [
      {
        kind: "mobile-deck",
        path: "^/mobile/(?<user>[^/]+)/(?<id>[^/]+)/?$",
        ask: oembed(
          "https://www.slideshare.net/api/oembed/2?format=json&url=https%3A%2F%2Fwww.slideshare.net%2F{user}%2F{id}",
          PAGE_DECIDES,
        ),
        page: { rules: SLIDESHARE_MISSING },
      },
      {
        kind: "deck",
        path: String.raw`^/(?!(?:category|developers|explore|search|secret|tag)/)[^/]+/[^/]+(?:/\d+)?/?$`,
        ask: oembed("https://www.slideshare.net/api/oembed/2?format=json&url={url}", PAGE_DECIDES),
        page: { rules: SLIDESHARE_MISSING },
      },
    ],
    canary: ["https://www.slideshare.net/Slideshare/get-started-with-slide-share"],
  },
  {
    id: "issuu",
    name: "Issuu",
    hosts: ["issuu.com"],
    confidence: "M",
    kinds: [
      {
        kind: "publication",
        path: "^/(?<user>[^/]+)/docs/(?<id>[^/]+)(?:/|$)",
        ask: oembed(
          // May also be returned for what is gone.
          "https://issuu.com/oembed?format=json&url=https%3A%2F%2Fissuu.com%2F{user}%2Fdocs%2F{id}",
          PAGE_DECIDES,
          { status: 401, means: "page", undecided: "service_private" },
        ),
        page: {
          rules: [
            dead("service_not_found", "C2", {
              matches: String.raw`>\s*We can(?:'|’|&#x27;|&#39;|&rsquo;)t find what you`,
              unless: { text: "documentTextVersion" },
            }),
          ],
        },
      },
    ],
    canary: [
      "https://issuu.com/issuu/docs/motions-1-2019/",
      "https://issuu.com/iscience/docs/issue23",
    ],
  },
  {
    id: "speakerdeck",
    name: "Speaker Deck",
    hosts: ["speakerdeck.com"],
    confidence: "M",
    kinds: [
      {
        kind: "deck",
        path: "^/(?!(?:c|features|p|player|users)/)[^/]+/[^/]+/?$",
        ask: oembed("https://speakerdeck.com/oembed.json?url={url}", PAGE_DECIDES),
      },
    ],
    canary: ["https://speakerdeck.com/speakerdeck/introduction-to-speakerdeck"],
  },
  {
    id: "figma",
    name: "Figma",
    hosts: ["figma.com"],
    confidence: "M",
    kinds: [
      {
        kind: "file",
        // Each kind of file has its own path segment, so match by the length of the key.
        path: String.raw`^/[\w-]+/[0-9A-Za-z]{22,128}(?:/|$)`,
        ask: oembed("https://www.figma.com/api/oembed?url={url}", PRIVATE),
      },
    ],
    canary: ["https://www.figma.com/file/2oGA2ADNXOYWnlBI47UN3R/Safe-Return-(Community)"],
  },
  {
    id: "canva",
    name: "Canva",
    hosts: ["canva.com"],
    confidence: "L",
    kinds: [
      {
        kind: "design",
        path: String.raw`^/design/[\w-]+/(?:[\w-]+/)?view/?$`,
        ask: oembed("https://www.canva.com/_oembed?url={url}"),
      },
    ],
  },
  {
    id: "miro",
    name: "Miro",
    hosts: ["miro.com"],
    confidence: "L",
    kinds: [
      {
        kind: "board",
        path: String.raw`^/app/board/[\w-]+(?:=|%3D)?(?:/|$)`,
        ask: oembed("https://miro.com/api/v1/oembed?url={url}", PRIVATE),
      },
    ],
    canary: ["https://miro.com/app/board/uXjVPZH3NrA=/"],
  },
  {
    id: "prezi",
    name: "Prezi",
    hosts: ["prezi.com"],
    confidence: "L",
    kinds: [
      {
        kind: "video",
        path: String.raw`^/v/(?!embed/)[\w-]+(?:/|$)`,
        ask: oembed("https://prezi.com/v/oembed/?format=json&url={url}", PRIVATE),
      },
    ],
    canary: ["https://prezi.com/v/zrmitn0impxx/"],
  },
  {
    id: "padlet",
    name: "Padlet",
    hosts: ["padlet.com"],
    confidence: "L",
    kinds: [
      {
        kind: "padlet",
        path: String.raw`^/(?!(?:auth|dashboard|features|help)/)[\w.-]+/(?=[^/]*\d)[\w-]{10,}/?$`,
        ask: oembed("https://padlet.com/oembed/?format=json&url={url}", PRIVATE, PAGE_DECIDES),
      },
    ],
    canary: ["https://padlet.com/cogdogblog/aos9fosbbwk4"],
  },
  {
    id: "sketchfab",
    name: "Sketchfab",
    hosts: ["sketchfab.com"],
    confidence: "M",
    kinds: [
      {
        kind: "model",
        path: "^/(?:3d-models|models)/(?:[^/]*-)?(?<id>[0-9a-f]{32})(?:/|$)",
        ask: oembed("https://sketchfab.com/oembed?url=https%3A%2F%2Fsketchfab.com%2Fmodels%2F{id}"),
      },
      {
        kind: "folder",
        path: "^/[^/]+/folders/(?:[^/]*-)?[0-9a-f]{32}/?$",
        ask: oembed("https://sketchfab.com/oembed?url={url}"),
      },
    ],
    canary: [
      "https://sketchfab.com/3d-models/loring-tweet-power-line-9a48434e545f44d08801c8ce2a72e41b",
      "https://sketchfab.com/models/e7995659092c4d8c92031b0a03887cfa",
    ],
  },
  {
    id: "codepen",
    name: "CodePen",
    hosts: ["codepen.io"],
    confidence: "M",
    kinds: [
      {
        kind: "pen",
        path: String.raw`^/(?<user>(?:team/)?[^/]+)/(?:pen|full|details|embed)/(?:preview/)?(?<id>\w+)/?$`,
        ask: oembed(
          "https://codepen.io/api/oembed?format=json&url=https%3A%2F%2Fcodepen.io%2F{user}%2Fpen%2F{id}",
        ),
      },
    ],
    canary: ["https://codepen.io/gingerdude/pen/JXwgdK"],
  },
  {
    id: "codesandbox",
    name: "CodeSandbox",
    hosts: ["codesandbox.io"],
    confidence: "M",
    kinds: [
      {
        kind: "sandbox",
        path: String.raw`^/(?:s|embed)/[\w-]+/?$`,
        ask: oembed("https://codesandbox.io/oembed?format=json&url={url}", PRIVATE),
      },
    ],
    canary: ["https://codesandbox.io/s/new"],
  },
  {
    id: "replit",
    name: "Replit",
    hosts: ["replit.com", "repl.it"],
    confidence: "L",
    kinds: [
      {
        kind: "repl",
        path: "^/@(?<user>[^/]+)/(?<id>[^/]+)/?$",
        ask: oembed(
          "https://replit.com/data/oembed/?url=https%3A%2F%2Freplit.com%2F%40{user}%2F{id}",
        ),
      },
    ],
    canary: ["https://replit.com/@replitfaris/python-hello-world"],
  },
  {
    id: "observable",
    name: "Observable",
    hosts: ["observablehq.com"],
    confidence: "L",
    kinds: [
      {
        kind: "notebook",
        // On another host the same path leads to the code.
        host: String.raw`^(?:www\.)?observablehq\.com$`,
        path: "^/(?:embed/)?(?:@[^/]+/[^/]+|d/[0-9a-f]{16})",
        ask: oembed("https://api.observablehq.com/oembed?format=json&url={url}"),
      },
    ],
    canary: ["https://observablehq.com/@d3/stacked-to-grouped-bars"],
  },
  {
    id: "kickstarter",
    name: "Kickstarter",
    hosts: ["kickstarter.com", "kck.st"],
    confidence: "M",
    kinds: [
      {
        kind: "project",
        path: "^/projects/(?<creator>[^/]+)/(?<id>[^/]+)(?:/|$)",
        ask: oembed(
          // Nothing here is private, but bot protection returns this status to programs.
          "https://www.kickstarter.com/services/oembed?format=json&url=https%3A%2F%2Fwww.kickstarter.com%2Fprojects%2F{creator}%2F{id}",
          means("page", { status: 403 }),
        ),
      },
    ],
    canary: [
      "https://www.kickstarter.com/projects/597507018/pebble-e-paper-watch-for-iphone-and-android",
    ],
  },
];
