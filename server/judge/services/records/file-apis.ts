import { type Ask, dead, means, type Rule, type Service } from "../record.ts";

const GOFILE_SITE = { Origin: "https://gofile.io", Referer: "https://gofile.io/" };

/** Gofile, as a guest. Without the token of its pages the API always returns `error-notPremium`, which proves nothing. */
const GOFILE_ASK: Ask[] = [
  {
    url: "https://api.gofile.io/accounts",
    headers: GOFILE_SITE,
    json: {},
    take: { token: "data.token" },
    keepMinutes: 30,
    rules: [
      means("next", { json: { "data.token": { empty: false } } }),
      means("service_rate_limited", { json: { status: "error-rateLimit" } }),
    ],
  },
  {
    url: "https://api.gofile.io/contents/{id}",
    headers: { Authorization: "Bearer {token}", "X-BL": "en-US", ...GOFILE_SITE },
    rules: [
      dead("service_not_found", "C1", { json: { status: "error-notFound" } }),
      means("ok_service_protected", { json: { status: "error-passwordRequired" } }),
      means("ok_service_protected", { json: { "data.passwordStatus": "passwordRequired" } }),
      means("service_private", { json: { "data.canAccess": false } }),
      means("ok_service", { json: { status: "ok" } }),
      means("service_rate_limited", { json: { status: "error-rateLimit" } }),
      // Requires the token of its pages, which a guest does not have.
      means("service_unrecognised", { json: { status: ["error-notPremium", "error-token"] } }),
    ],
  },
];

/** A file of Pixeldrain, in a response about many or about one. */
const PIXELDRAIN_FILE: Rule[] = [
  dead("service_takedown", "C1", { json: { abuse_type: { empty: false } } }),
  means("ok_service_protected", { json: { availability: { empty: false } } }),
  means("ok_service", { json: { id: { empty: false } } }),
  means("service_rate_limited", { json: { value: { matches: "captcha_required$|rate_limit" } } }),
];

const PIXELDRAIN_MISSING = { json: { value: ["not_found", "file_not_found"] } };

const PIXELDRAIN_GONE: Rule = dead("service_not_found", "C1", PIXELDRAIN_MISSING);

/** In a response about one file that reports nothing else. */
const PIXELDRAIN_FINE: Rule = means("ok_service", { json: { success: true } });

export const FILE_APIS: Service[] = [
  {
    id: "fikper",
    name: "Fikper",
    hosts: ["fikper.com"],
    confidence: "H",
    kinds: [
      {
        kind: "file",
        // The service's own pages have lower-case names.
        path: "^/(?=[a-z]*[A-Z0-9])(?<id>[A-Za-z0-9]+)(?:/[^/]*)?$",
        ask: {
          url: "https://sapi.fikper.com/",
          form: { fileHashName: "{id}" },
          rules: [
            dead("service_not_found", "C1", {
              json: { code: 404 },
              // A changed API would return this message.
              unless: { json: { message: { matches: "^Cannot|route" } } },
            }),
            means("ok_service_protected", { json: { password: true } }),
            means("ok_service", { json: { name: { empty: false } } }),
            means("ok_service_protected", {
              json: { message: { matches: "should be premium|File size limit" } },
            }),
            means("service_rate_limited", { json: { message: { matches: "Bandwidth limit" } } }),
            means("service_rate_limited", { json: { code: 405 } }),
          ],
        },
        page: "never",
      },
    ],
  },
  {
    id: "filer-net",
    name: "Filer.net",
    hosts: ["filer.net"],
    confidence: "H",
    kinds: [
      {
        kind: "file",
        path: String.raw`^/(?:app\.php/)?(?:get|dl)/(?<id>[a-z0-9]+)(?:/|$)`,
        ask: [
          {
            url: "https://filer.net/api/status/{id}.json",
            rules: [
              means("ok_service_protected", { json: { "data.premium_only": true } }),
              means("ok_service", { json: { "data.file_name": { empty: false } } }),
              means("ok_service", { json: { "data.name": { empty: false } } }),
              dead("service_not_found", "C1", { json: { status: "file not found" } }),
              dead("service_not_found", "C1", {
                json: { code: { matches: "^505$" } },
                // Other endpoints of this API use the code for this.
                unless: { text: "premium" },
              }),
              means("ok_service", {
                json: { code: { matches: "^200$" } },
                unless: { json: { data: { empty: true } } },
              }),
              means("next", { status: 401 }),
            ],
          },
          {
            url: "https://filer.net/api/multi_status/{id}.json",
            rules: [
              means("ok_service", { json: { code: { matches: "^200$" } }, text: '"{id}"' }),
              dead("service_not_found", "C2", {
                json: { code: { matches: "^200$" }, data: { empty: true } },
              }),
            ],
          },
        ],
        page: "never",
      },
      {
        kind: "folder",
        path: "^/folder/(?<id>[a-z0-9]+)(?:/|$)",
        ask: {
          url: "https://filer.net/api/folder/{id}",
          rules: [
            dead("service_not_found", "C1", { json: { message: "Folder not found" } }),
            dead("service_not_found", "C1", { json: { code: { matches: "^506$" } } }),
            means("ok_service_protected", { json: { code: { matches: "^201$" } } }),
            means("ok_service", { json: { files: { exists: true } } }),
          ],
        },
        page: "never",
      },
    ],
  },
  {
    id: "gofile",
    name: "Gofile",
    hosts: ["gofile.io"],
    confidence: "M",
    gapMs: 500,
    kinds: [
      { kind: "folder", path: "^/d/(?<id>[A-Za-z0-9-]+)/?$", ask: GOFILE_ASK, page: "never" },
      {
        kind: "folder",
        path: "^/$",
        query: "^c=(?<id>[A-Za-z0-9-]+)(?:&|$)",
        ask: GOFILE_ASK,
        page: "never",
      },
    ],
  },
  {
    id: "pixeldrain",
    name: "Pixeldrain",
    hosts: ["pixeldrain.{com,net,nl,biz,tech,dev}", "pixeldra.in"],
    confidence: "H",
    canary: [
      "https://pixeldrain.com/u/jW9E6s4h",
      "https://pixeldrain.com/u/yEK1n2Qc",
      "https://pixeldrain.com/l/zQ7XpWfM",
    ],
    kinds: [
      {
        kind: "file",
        path: "^/(?:u|api/file)/(?<id>[A-Za-z0-9]{2,})(?:/|$)",
        ask: [
          {
            url: "https://pixeldrain.com/api/file/{id}/info",
            batch: { most: 100, answers: { by: "field", field: "id", is: "{id}" } },
            rules: [
              ...PIXELDRAIN_FILE,
              means("next", PIXELDRAIN_MISSING),
              means("next", { json: { success: true } }),
              means("next", { missing: true }),
            ],
          },
          {
            url: "https://pixeldrain.com/api/file/{id}/info",
            rules: [...PIXELDRAIN_FILE, PIXELDRAIN_GONE, PIXELDRAIN_FINE],
          },
        ],
      },
      {
        kind: "list",
        path: "^/(?:l|api/list)/(?<id>[A-Za-z0-9]{2,})(?:/|$)",
        ask: {
          url: "https://pixeldrain.com/api/list/{id}",
          rules: [
            PIXELDRAIN_GONE,
            means("ok_service", { json: { id: { empty: false } } }),
            PIXELDRAIN_FINE,
          ],
        },
      },
      {
        kind: "folder",
        path: "^/(?:d|api/filesystem)/(?<id>[A-Za-z0-9]{8}(?:/.*)?)$",
        ask: {
          url: "https://pixeldrain.com/api/filesystem/{id|raw}?stat",
          rules: [PIXELDRAIN_GONE, means("ok_service", { json: { path: { empty: false } } })],
        },
      },
    ],
  },
  {
    id: "krakenfiles",
    name: "KrakenFiles",
    hosts: ["krakenfiles.com"],
    confidence: "M",
    kinds: [
      {
        kind: "file",
        path: String.raw`^/(?:view|embed-\w+)/(?<id>[A-Za-z0-9]+)(?:/|$)`,
        ask: {
          url: "https://krakenfiles.com/json/{id}",
          rules: [
            means("ok_service", { json: { hash: { empty: false } }, text: '"{id}"' }),
            dead("service_not_found", "C1", { status: 200, json: { "": { empty: true } } }),
            dead("service_not_found", "C1", { status: 404, type: "json" }),
            means("page", { status: 404 }),
          ],
        },
        page: {
          rules: [means("ok_service", { matches: String.raw`class="coin-name">\s{0,20}<h5>[^<]` })],
        },
      },
      {
        kind: "profile",
        path: String.raw`^/profiles/\w+`,
        page: { rules: [means("service_private", { text: "This profile is private" })] },
      },
    ],
  },
  {
    id: "cyberdrop",
    name: "Cyberdrop",
    hosts: ["cyberdrop.{cr,me,to,cc,ch}"],
    confidence: "M",
    canary: ["https://cyberdrop.cr/f/rln0wNQSY5iuA"],
    kinds: [
      {
        kind: "file",
        // Its other domains have ended or redirect to these.
        host: String.raw`(?:^|\.)cyberdrop\.(?:cr|cc|ch)$`,
        path: "^/[ef]/(?<id>[A-Za-z0-9]+)/?$",
        ask: {
          url: "https://api.cyberdrop.cr/api/file/info/{id}",
          rules: [
            means("ok_service", { json: { name: { empty: false } } }),
            dead("service_not_found", "C1", { status: 404, unless: { type: "html" } }),
            means("service_rate_limited", { status: 403 }),
          ],
        },
      },
      { kind: "album", path: "^/a/[A-Za-z0-9]+/?$" },
    ],
  },
];
