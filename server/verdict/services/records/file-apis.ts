import type { Ask, Rule, Service } from "../record.ts";

const GOFILE_SITE = { Origin: "https://gofile.io", Referer: "https://gofile.io/" };

/**
 * Gofile, as a guest. Without the token that its pages compute it answers `error-notPremium` to whatever it
 * is asked, so that this one says nothing.
 */
const GOFILE_ASK: Ask[] = [
  {
    url: "https://api.gofile.io/accounts",
    headers: GOFILE_SITE,
    json: {},
    take: { token: "data.token" },
    keepMinutes: 30,
    rules: [
      { json: { "data.token": { empty: false } }, means: "next" },
      { json: { status: "error-rateLimit" }, means: "service_rate_limited" },
    ],
  },
  {
    url: "https://api.gofile.io/contents/{id}",
    headers: { Authorization: "Bearer {token}", "X-BL": "en-US", ...GOFILE_SITE },
    rules: [
      { json: { status: "error-notFound" }, means: "service_not_found", class: "C1" },
      { json: { status: "error-passwordRequired" }, means: "ok_service_protected" },
      { json: { "data.passwordStatus": "passwordRequired" }, means: "ok_service_protected" },
      { json: { "data.canAccess": false }, means: "service_private" },
      { json: { status: "ok" }, means: "ok_service" },
      { json: { status: "error-rateLimit" }, means: "service_rate_limited" },
      // It wants the token of its pages, which is no fault of the guest's.
      { json: { status: ["error-notPremium", "error-token"] }, means: "service_unrecognised" },
    ],
  },
];

/** A file of Pixeldrain, in an answer to many or to one. */
const PIXELDRAIN_FILE: Rule[] = [
  { json: { abuse_type: { empty: false } }, means: "service_takedown", class: "C1" },
  { json: { availability: { empty: false } }, means: "ok_service_protected" },
  { json: { id: { empty: false } }, means: "ok_service" },
  { json: { value: { matches: "captcha_required$|rate_limit" } }, means: "service_rate_limited" },
];

const PIXELDRAIN_MISSING = { json: { value: ["not_found", "file_not_found"] } };

const PIXELDRAIN_GONE: Rule = { ...PIXELDRAIN_MISSING, means: "service_not_found", class: "C1" };

/** Where one thing only was asked for, and nothing else is said of it. */
const PIXELDRAIN_FINE: Rule = { json: { success: true }, means: "ok_service" };

export const FILE_APIS: Service[] = [
  {
    id: "fikper",
    name: "Fikper",
    hosts: ["fikper.com"],
    confidence: "H",
    kinds: [
      {
        kind: "file",
        // Its own pages have names in lower case only.
        path: "^/(?=[a-z]*[A-Z0-9])(?<id>[A-Za-z0-9]+)(?:/[^/]*)?$",
        ask: {
          url: "https://sapi.fikper.com/",
          form: { fileHashName: "{id}" },
          rules: [
            {
              json: { code: 404 },
              // Whoever made the API anew would answer so.
              unless: { json: { message: { matches: "^Cannot|route" } } },
              means: "service_not_found",
              class: "C1",
            },
            { json: { password: true }, means: "ok_service_protected" },
            { json: { name: { empty: false } }, means: "ok_service" },
            {
              json: { message: { matches: "should be premium|File size limit" } },
              means: "ok_service_protected",
            },
            { json: { message: { matches: "Bandwidth limit" } }, means: "service_rate_limited" },
            { json: { code: 405 }, means: "service_rate_limited" },
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
              { json: { "data.premium_only": true }, means: "ok_service_protected" },
              { json: { "data.file_name": { empty: false } }, means: "ok_service" },
              { json: { "data.name": { empty: false } }, means: "ok_service" },
              { json: { status: "file not found" }, means: "service_not_found", class: "C1" },
              {
                json: { code: { matches: "^505$" } },
                // Elsewhere in this API the code says that.
                unless: { text: "premium" },
                means: "service_not_found",
                class: "C1",
              },
              {
                json: { code: { matches: "^200$" } },
                unless: { json: { data: { empty: true } } },
                means: "ok_service",
              },
              { status: 401, means: "next" },
            ],
          },
          {
            url: "https://filer.net/api/multi_status/{id}.json",
            rules: [
              { json: { code: { matches: "^200$" } }, text: '"{id}"', means: "ok_service" },
              {
                json: { code: { matches: "^200$" }, data: { empty: true } },
                means: "service_not_found",
                class: "C2",
              },
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
            { json: { message: "Folder not found" }, means: "service_not_found", class: "C1" },
            { json: { code: { matches: "^506$" } }, means: "service_not_found", class: "C1" },
            { json: { code: { matches: "^201$" } }, means: "ok_service_protected" },
            { json: { files: { exists: true } }, means: "ok_service" },
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
              { ...PIXELDRAIN_MISSING, means: "next" },
              { json: { success: true }, means: "next" },
              { missing: true, means: "next" },
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
            { json: { id: { empty: false } }, means: "ok_service" },
            PIXELDRAIN_FINE,
          ],
        },
      },
      {
        kind: "folder",
        path: "^/(?:d|api/filesystem)/(?<id>[A-Za-z0-9]{8}(?:/.*)?)$",
        ask: {
          url: "https://pixeldrain.com/api/filesystem/{id|raw}?stat",
          rules: [PIXELDRAIN_GONE, { json: { path: { empty: false } }, means: "ok_service" }],
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
            { json: { hash: { empty: false } }, text: '"{id}"', means: "ok_service" },
            { status: 200, json: { "": { empty: true } }, means: "service_not_found", class: "C1" },
            { status: 404, type: "json", means: "service_not_found", class: "C1" },
            { status: 404, means: "page" },
          ],
        },
        page: {
          rules: [{ matches: String.raw`class="coin-name">\s{0,20}<h5>[^<]`, means: "ok_service" }],
        },
      },
      {
        kind: "profile",
        path: String.raw`^/profiles/\w+`,
        page: { rules: [{ text: "This profile is private", means: "service_private" }] },
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
        // The others have been given up, or lead to these.
        host: String.raw`(?:^|\.)cyberdrop\.(?:cr|cc|ch)$`,
        path: "^/[ef]/(?<id>[A-Za-z0-9]+)/?$",
        ask: {
          url: "https://api.cyberdrop.cr/api/file/info/{id}",
          rules: [
            { json: { name: { empty: false } }, means: "ok_service" },
            {
              status: 404,
              unless: { type: "html" },
              means: "service_not_found",
              class: "C1",
            },
            { status: 403, means: "service_rate_limited" },
          ],
        },
      },
      { kind: "album", path: "^/a/[A-Za-z0-9]+/?$" },
    ],
  },
];
