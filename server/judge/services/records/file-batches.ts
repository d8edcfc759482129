import { says } from "../families.ts";
import { type Ask, dead, type Kind, means, type Rule, type Service } from "../record.ts";

/** What keep2share and its sister services return about a file, at a path in their response. */
const keep2shareRules = (at = ""): Rule[] => [
  dead("service_deleted", "C1", {
    json: { [`${at}is_available`]: false, [`${at}name`]: { empty: false } },
  }),
  dead("service_not_found", "C1", { json: { [`${at}is_available`]: false } }),
  dead("service_deleted", "C1", { json: { [`${at}isDeleted`]: true } }),
  means("service_private", { json: { [`${at}access`]: "private" } }),
  means("ok_service_protected", { json: { [`${at}access`]: "premium" } }),
  means("ok_service", { json: { [`${at}is_available`]: true } }),
];

const KEEP2SHARE_BLOCKED: Rule = means("service_unavailable", { json: { errorCode: 22 } });

const KEEP2SHARE_REFUSED: Rule[] = [
  dead("service_not_found", "C1", { json: { errorCode: 20 } }),
  means("service_private", { json: { errorCode: 10 } }),
  KEEP2SHARE_BLOCKED,
];

/**
 * keep2share and its sister services. A request about many files returns the files of a folder, and the first id of a
 * file that has several. What it omits, or refuses as part of a batch, is requested alone.
 */
function keep2shareKinds(host: string): Kind[] {
  const list = {
    url: `https://${host}/api/v2/GetFilesInfo`,
    json: { ids: ["{id}"], extended_info: false },
  };
  const many: Ask = {
    ...list,
    batch: { most: 100, answers: { by: "field", at: "files", field: "id", is: "{id}" } },
    rules: [
      ...keep2shareRules(),
      KEEP2SHARE_BLOCKED,
      means("next", { json: { status: "error" }, unless: { status: 429 } }),
      means("next", { json: { errorCode: 20 } }),
      means("next", { missing: true }),
    ],
  };
  const one: Ask = {
    ...list,
    rules: [
      // With neither its current id nor the requested one, it is the first file of a folder.
      means("next", { json: { "files.0.id": { exists: true } }, unless: { text: '"{id}"' } }),
      ...keep2shareRules("files.0."),
      dead("service_not_found", "C1", { json: { files: { empty: true } } }),
      ...KEEP2SHARE_REFUSED,
    ],
  };
  const folder: Ask = {
    url: `https://${host}/api/v2/GetFileStatus`,
    json: { id: "{id}" },
    rules: [...keep2shareRules(), ...KEEP2SHARE_REFUSED],
  };
  return [
    {
      kind: "file",
      path: String.raw`^/(?:f|file|preview)/(?:info/)?(?<id>[a-z0-9]{13}|[\w-]{14,})(?:/|$)`,
      ask: [many, one, folder],
      page: "never",
    },
    {
      kind: "folder",
      path: "^/folder/(?:info/)?(?<id>[a-z0-9]{13,})(?:/|$)",
      ask: folder,
      page: "never",
    },
  ];
}

/** The link checker of Turbobit and Hitfile takes one link per line. `ending` is the end of their links. */
const turbobitAsk = (host: string, ending: string): Ask => ({
  url: `https://app.${host}/api/links/check`,
  headers: { Cookie: "user_lang=en; site_version=2", "X-Requested-With": "XMLHttpRequest" },
  form: { links: `https://${host}/{id}${ending}` },
  batch: {
    most: 50,
    join: `${ending}\nhttps://${host}/`,
    answers: { by: "field", field: "id", is: "{id}" },
  },
  rules: [
    means("ok_service", { json: { status: "active" } }),
    dead("service_not_found", "C2", { json: { status: "inactive" } }),
  ],
});

/** The title of a file's page ends with the size. */
const TURBOBIT_FILE = { title: String.raw`^\s*Download file .{1,300} \([\d.,]{1,20} ?\w{1,10}\)` };

const IN_ENGLISH = { Cookie: "user_lang=en" };

/** For the kinds of 1fichier. Owners choose the domain of a file, so it must be preserved. */
const FICHIER_DOMAIN = String.raw`(?<domain>[a-z0-9]+\.[a-z]+)$`;

const FICHIER_ASK: Ask = {
  url: "https://1fichier.com/check_links.pl",
  form: { "links[]": ["https://{domain}/?{id}"] },
  batch: { most: 100, answers: { by: "line", has: "?{id};" } },
  rules: [
    dead("service_not_found", "C1", { matches: ";;;(?:NOT FOUND|BAD LINK)$" }),
    means("ok_service_protected", { matches: ";;;PRIVATE$" }),
    means("ok_service", { matches: String.raw`;[^;]{1,500};\d{1,20}$` }),
  ],
};

const FICHIER_PAGE: Kind["page"] = {
  headers: { Cookie: "LG=en" },
  rules: [
    means("service_unavailable", { text: "Our services are in maintenance" }),
    means("service_rate_limited", {
      text: ["temporarily limited due to high demand", "you can only download one file at"],
    }),
    dead("service_deleted", "C1", {
      matches: says("[^<>]{0,60}The requested file has been deleted"),
    }),
    dead("service_not_found", "C1", {
      matches: says("[^<>]{0,60}(?:File not found !|The requested file do(?:es)? not exist)"),
    }),
    means("ok_service_protected", {
      text: ["this file is protected", "is not possible to unregistered users"],
    }),
    means("ok_service", { text: '<td class="normal"><span style="font-weight:bold">' }),
  ],
};

export const FILE_BATCHES: Service[] = [
  {
    id: "1fichier",
    name: "1fichier",
    hosts: [
      "{1fichier,alterupload,desfichiers,dfichiers,dl4free,pjointe,tenvoi}.com",
      "{cjoint,desfichiers,piecejointe}.net",
      "megadl.fr",
      "mesfichiers.org",
    ],
    confidence: "H",
    gapMs: 2500,
    kinds: [
      {
        kind: "file",
        host: String.raw`^(?:www\.)?${FICHIER_DOMAIN}`,
        path: "^/$",
        query: "^(?<id>[A-Za-z0-9]{5,20})(?:&|$)",
        ask: FICHIER_ASK,
        page: FICHIER_PAGE,
      },
      {
        kind: "file-in-name",
        host: String.raw`^(?<id>[a-z0-9]{5,20})\.${FICHIER_DOMAIN}`,
        path: "^/$",
        ask: FICHIER_ASK,
        page: FICHIER_PAGE,
      },
    ],
  },
  {
    id: "nitroflare",
    name: "NitroFlare",
    hosts: ["nitroflare.{com,net}", "nitro.download"],
    confidence: "H",
    kinds: [
      {
        kind: "file",
        path: "^/(?:view|watch)/(?<id>[A-Z0-9]+)(?:/|$)",
        ask: {
          url: "https://nitroflare.com/api/v2/getFileInfo?files={id}",
          batch: { most: 100, answers: { by: "key", at: "result.files", key: "{id}" } },
          rules: [
            means("service_unavailable", { text: "we are upgrading the site system" }),
            means("ok_service_protected", {
              json: { status: "online", password: { exists: true } },
            }),
            means("ok_service_protected", { json: { status: "online", premiumOnly: true } }),
            means("ok_service", { json: { status: "online" } }),
            dead("service_deleted", "C1", { json: { status: "offline" } }),
            dead("service_not_found", "C2", { missing: true, status: 200 }),
          ],
        },
        page: {
          rules: [
            means("service_unavailable", { text: "we are upgrading the site system" }),
            dead("service_deleted", "C1", {
              matches: says("[^<>]{0,60}This file has been removed"),
            }),
            dead("service_not_found", "C1", { matches: says("[^<>]{0,60}File doesn't exist") }),
            means("ok_service_protected", { text: "This file is available with Premium only" }),
            means("ok_service", {
              matches: String.raw`<b>File\s{0,20}Name\s{0,20}:\s{0,20}</b>\s{0,20}<span title="[^"]`,
            }),
          ],
        },
      },
    ],
  },
  {
    id: "keep2share",
    name: "Keep2Share",
    hosts: ["{k2s,k2share,keep2share,keep2s}.cc"],
    confidence: "H",
    gapMs: 3000,
    kinds: keep2shareKinds("keep2share.cc"),
  },
  {
    id: "fileboom",
    name: "FileBoom",
    hosts: ["{fboom,fileboom}.me"],
    confidence: "H",
    gapMs: 3000,
    kinds: keep2shareKinds("fileboom.me"),
  },
  {
    id: "tezfiles",
    name: "TezFiles",
    hosts: ["tezfiles.com", "publish2.me"],
    confidence: "M",
    gapMs: 3000,
    kinds: keep2shareKinds("tezfiles.com"),
  },
  {
    id: "turbobit",
    name: "Turbobit",
    hosts: [
      "turbobit.{net,cc}",
      "turb.{to,cc,pw}",
      "turbo.to",
      "trbt.cc",
      "{trbbt,torbobit,turbobeet,turbobita,turbobite,turbobyte,turboget}.net",
      "{tourbobit,trubobit,turbobif,turbobitn,turbobyt}.com",
      "turbobi.pw",
    ],
    confidence: "M",
    kinds: [
      {
        kind: "file",
        path: String.raw`^/(?:download/free/|(?=.*\.html$)|(?=[a-z]*[0-9])(?=[a-z0-9]{12}$))(?<id>[A-Za-z0-9]+)(?:/[^/]*)?(?:\.html)?$`,
        ask: turbobitAsk("turbobit.net", ".html"),
        page: {
          headers: IN_ENGLISH,
          rules: [
            dead("service_not_found", "C2", {
              // The last text stays for as long as the page is open.
              text: [
                "<h2>File Not Found</h2>",
                '<div class="code-404">',
                "File was not found",
                "It could possibly be deleted",
                ">Searching for the file...Please wait",
              ],
              unless: TURBOBIT_FILE,
            }),
            means("ok_service", TURBOBIT_FILE),
          ],
        },
      },
    ],
  },
  {
    id: "hitfile",
    name: "Hitfile",
    hosts: ["hitfile.net", "hil.to"],
    confidence: "M",
    kinds: [
      {
        kind: "file",
        path: String.raw`^/(?!(?:abuse|download|faq|files|impressum|linkchecker|locale|login|premium|reg|reseller|rules|rulesdownload|turbo|upload|user)(?:/|$))(?<id>[A-Za-z0-9]{4,12})(?:/[^/]*)?(?:\.html)?$`,
        ask: turbobitAsk("hitfile.net", ""),
        page: {
          headers: IN_ENGLISH,
          rules: [
            dead("service_not_found", "C1", {
              matches: says("[^<>]{0,60}File was deleted or not found"),
            }),
            means("ok_service", {
              matches: String.raw`<span class="file-size">\s{0,20}\(?[\d.,]{1,20} ?\w`,
            }),
          ],
        },
      },
    ],
  },
];
