import { type Ask, dead, means, type Rule, type Service } from "../record.ts";

/** Unknown transfers usually existed once. A page or plain text in place of JSON proves nothing. */
const NO_SUCH_TRANSFER: Rule = dead("service_expired", "C1", { status: 404, type: "json" });

const WETRANSFER: Ask = {
  url: "https://wetransfer.com/api/v4/transfers/{id}/prepare-download",
  headers: { "X-Requested-With": "XMLHttpRequest" },
  rules: [
    dead("service_expired", "C1", { json: { message: "Transfer not found" } }),
    dead("service_expired", "C1", { json: { error: "invalid_transfer" } }),
    NO_SUCH_TRANSFER,
    means("ok_service_protected", {
      json: { password_protected: true },
      unless: { json: { state: { not: "downloadable" } } },
    }),
    means("ok_service", { json: { state: "downloadable" } }),
    means("service_processing", { json: { state: { matches: "pending|upload|process" } } }),
    dead("service_expired", "C1", { json: { state: { exists: true } } }),
  ],
};

const WETRANSFER_PAGE: { rules: Rule[] } = {
  rules: [dead("service_expired", "C1", { status: 410 })],
};

const TRANSFERNOW: Ask = {
  url: "https://www.transfernow.net/api/transfer/downloads/metadata?transferId={id}&userSecret={secret}&preview=false",
  rules: [
    NO_SUCH_TRANSFER,
    means("ok_service_protected", {
      json: { status: { matches: "^enabled$" }, needPassword: true },
    }),
    means("ok_service", { json: { status: { matches: "^enabled$" } } }),
    // Expired files may still be listed.
    dead("service_expired", "C1", { json: { status: { exists: true } } }),
  ],
};

const FILEMAIL = "https://www.filemail.com/api/transfer/get?filesLimit=100&skipreg=false";

const FILEMAIL_RULES: Rule[] = [
  { ...NO_SUCH_TRANSFER, class: "C2" },
  // Returned for missing transfers, but also during outages.
  { status: 500, means: "service_expired", hours: 24 },
  // Sources disagree about these names.
  ...["transfer.isexpired", "transfer.isExpired", "isexpired", "isExpired"].map(
    (expired): Rule => dead("service_expired", "C2", { json: { [expired]: true } }),
  ),
  ...["transfer.passwordprotected", "transfer.passwordProtected"].map(
    (locked): Rule => means("ok_service_protected", { json: { [locked]: true } }),
  ),
  means("ok_service", { json: { "transfer.files": { empty: false } } }),
];

const SENDGB = {
  rules: [
    dead("service_expired", "C2", { status: 404 }),
    dead("service_expired", "C2", { text: 'class="boo-wrapper"' }),
    means("ok_service", { status: 200, text: ['"submitdownload"', "Total files / Total size"] }),
    dead("service_expired", "C2", { status: 200, unless: { url: "{id}" } }),
  ] satisfies Rule[],
  needsMarker: true as const,
};

const DROPPED_NOTHING = 'class="fileCount">0<';

/** Services that send files to a recipient. All transfers expire after some days. */
export const TRANSFERS: Service[] = [
  {
    id: "wetransfer",
    name: "WeTransfer",
    hosts: ["wetransfer.com", "we.tl"],
    confidence: "M",
    kinds: [
      {
        kind: "transfer",
        path: "^/downloads/(?<id>[0-9a-f]+)/(?<hash>[0-9a-f]{4,12})$",
        ask: { ...WETRANSFER, json: { security_hash: "{hash}" } },
        page: WETRANSFER_PAGE,
      },
      {
        kind: "mailed",
        path: "^/downloads/(?<id>[0-9a-f]+)/(?<recipient>[0-9a-f]+)/(?<hash>[0-9a-f]{4,12})$",
        ask: { ...WETRANSFER, json: { security_hash: "{hash}", recipient_id: "{recipient}" } },
        page: WETRANSFER_PAGE,
      },
    ],
  },
  {
    id: "transfernow",
    name: "TransferNow",
    hosts: ["transfernow.net"],
    confidence: "M",
    kinds: [
      {
        kind: "transfer",
        path: String.raw`^/(?:[a-z]{2}/)?dl/(?<id>\w+)(?:/(?<secret>\w+))?$`,
        ask: TRANSFERNOW,
      },
      {
        kind: "mailed",
        path: "^/(?:[a-z]{2}/)?(?:dltransfer|bld)/?$",
        query: String.raw`(?:^|&)utm_source=(?<id>\w+)(?:&utm_medium=(?<secret>\w+))?`,
        ask: TRANSFERNOW,
      },
    ],
  },
  {
    id: "swisstransfer",
    name: "SwissTransfer",
    hosts: ["swisstransfer.com"],
    confidence: "M",
    kinds: [
      {
        kind: "transfer",
        path: String.raw`^/(?:[a-z]{2}/)?d/(?<id>[\w-]+)$`,
        ask: {
          url: "https://www.swisstransfer.com/api/links/{id}",
          rules: [
            NO_SUCH_TRANSFER,
            dead("service_expired", "C1", { json: { "data.type": "expired" } }),
            dead("service_expired", "C1", { json: { "data.deletedDate": { empty: false } } }),
            dead("service_expired", "C1", {
              json: { "data.container.deletedDate": { empty: false } },
            }),
            dead("service_expired", "C1", {
              text: "Download Number Exceeded",
              unless: { json: { "data.container": { empty: false } } },
            }),
            // The number of downloads is limited.
            dead("service_expired", "C1", {
              json: { "data.downloadCounterCredit": { matches: String.raw`^(?:0|-\d{1,9})$` } },
            }),
            means("ok_service_protected", {
              json: { "data.type": ["need_password", "wrong_password"] },
            }),
            ...["data.containerUUID", "data.container", "data.linkUUID"].map(
              (shown): Rule => means("ok_service", { json: { [shown]: { empty: false } } }),
            ),
          ],
        },
      },
    ],
  },
  {
    id: "filemail",
    name: "Filemail",
    hosts: ["filemail.com", "fil.email"],
    confidence: "L",
    kinds: [
      {
        kind: "transfer",
        path: String.raw`^/d/(?<id>\w+)$`,
        ask: { url: `${FILEMAIL}&transferid={id}`, rules: FILEMAIL_RULES },
      },
      {
        kind: "tracked",
        path: String.raw`^/t/(?<id>\w+)$`,
        ask: { url: `${FILEMAIL}&trackid={id}`, rules: FILEMAIL_RULES },
      },
    ],
  },
  {
    id: "sendgb",
    name: "SendGB",
    hosts: ["sendgb.com"],
    confidence: "L",
    kinds: [
      { kind: "transfer", path: "^/(?<id>[A-Za-z0-9]{6,})$", page: SENDGB },
      {
        kind: "transfer-by-query",
        path: "^/upload/?$",
        query: "^utm_source=(?<id>[A-Za-z0-9]+)",
        page: SENDGB,
      },
    ],
  },
  {
    id: "smash",
    name: "Smash",
    hosts: ["fromsmash.com"],
    confidence: "L",
    kinds: [
      {
        kind: "transfer",
        path: String.raw`^/(?<id>[\w-]{8,12}-[a-z]{2})$`,
        ask: [
          {
            url: "https://iam.eu-central-1.fromsmash.co/account",
            json: {},
            rules: [means("next", { json: { "account.token.token": { empty: false } } })],
            take: { token: "account.token.token" },
            keepMinutes: 30,
          },
          {
            url: "https://link.fromsmash.co/target/{host}%2F{id}?version=10-2019",
            headers: { Authorization: "Bearer {token}" },
            rules: [
              { ...NO_SUCH_TRANSFER, class: "C2" },
              means("next", {
                json: {
                  "target.target": { empty: false },
                  "target.region": { matches: String.raw`^[a-z]{2}-[a-z]{1,20}-\d$` },
                },
              }),
            ],
            take: { target: "target.target", region: "target.region" },
          },
          {
            url: "https://transfer.{region}.fromsmash.co/transfer/{target}/preview?version=07-2020",
            headers: { Authorization: "Bearer {token}" },
            rules: [
              dead("service_expired", "C1", { json: { code: 404 } }),
              means("ok_service_protected", { json: { error: { matches: "^password" } } }),
              dead("service_expired", "C1", {
                json: { "transfer.status": { matches: "^(?:expired|deleted)$" } },
              }),
              means("ok_service", { json: { "transfer.status": { matches: "^uploaded$" } } }),
            ],
          },
        ],
        // All addresses get the same page of the app.
        page: "never",
      },
    ],
  },
  {
    id: "dropmefiles",
    name: "DropMeFiles",
    hosts: ["dropmefiles.com"],
    confidence: "L",
    kinds: [
      {
        kind: "transfer",
        path: "^/[A-Za-z0-9]{3,}$",
        page: {
          headers: { Cookie: "language=en" },
          rules: [
            dead("service_expired", "C1", {
              text: ["due to ending of the share period", "due to exceeding the limit"],
            }),
            dead("service_deleted", "C1", { matches: "> ?Files were<br ?/?> ?deleted<" }),
            dead("service_expired", "C2", { text: DROPPED_NOTHING }),
            dead("service_expired", "C2", { status: 404 }),
            means("ok_service_protected", {
              text: 'name="password"',
              unless: { text: 'name="username"' },
            }),
            means("service_processing", { text: "download when uploaded" }),
            means("ok_service", {
              status: 200,
              matches: String.raw`class="fileSize"> ?[^<\s]`,
              unless: { text: DROPPED_NOTHING },
            }),
          ],
          needsMarker: true,
        },
      },
    ],
  },
];
