import { dead, means, type Page, type Rule, type Service } from "../record.ts";

/** VK shows errors in a box, or after `<!>`. */
const vkSays = (words: string) =>
  String.raw`(?:<!>|(?:message_page_body|video_layer_message|video_ext_msg)"[^>]{0,80}>)\s*` +
  String.raw`(?:<[^>]{1,80}>\s*){0,3}[^<]{0,300}(?:${words})`;

/** Only a video's player has it. Hidden boxes for errors may contain text even with a player. */
const VK_PLAYER = `"md_title"`;

/** Without this cookie the language depends on this monitor's address. */
const VK_COOKIE = { Cookie: "remixlang=3" };

const VK_RULES: Rule[] = [
  means("bot_challenge", { url: String.raw`/(?:challenge\.html|badbrowser\.php)` }),
  means("login_required", {
    matches: String.raw`<!>Please log in or |>\s*Only logged in users can see`,
  }),
  dead("service_takedown", "C2", {
    matches: vkSays(
      "removed from public access by request of the copyright holder|изъята из публичного доступа",
    ),
    unless: { text: VK_PLAYER },
  }),
  dead("service_account_gone", "C2", {
    matches: vkSays("its author has been blocked|её автор был заблокирован"),
    unless: { text: VK_PLAYER },
  }),
  dead("service_deleted", "C2", {
    matches: vkSays("has been deleted"),
    unless: { text: VK_PLAYER },
  }),
  means("service_private", {
    matches: String.raw`>\s*(?:Access denied|This document is available only to its owner|You do not have permission)`,
  }),
  means("geo_blocked", {
    matches: ">[^<>]{0,120}(?:not available|blocked) in your (?:region|country)",
  }),
  means("service_unavailable", { matches: vkSays("Видео временно недоступно") }),
  means("service_unrecognised", { matches: String.raw`>\s*Unknown error` }),
];

const VK_VIDEO: Page = {
  headers: VK_COOKIE,
  rules: [
    ...VK_RULES,
    dead("service_not_found", "C2", {
      matches: '<div[^>]{0,80}id="video_ext_msg"',
      unless: { text: VK_PLAYER },
    }),
    means("ok_service", { text: VK_PLAYER }),
  ],
  needsMarker: true,
};

const RUTUBE_RULES: Rule[] = [
  means("ok_service", { status: 200, json: { id: { exists: true } } }),
  means("geo_blocked", { status: 403, text: "blocking_rule" }),
  means("service_private", { status: [401, 403], json: { detail: { exists: true } } }),
  dead("service_not_found", "C2", { status: 404, json: { detail: { exists: true } } }),
];

const OK_PLAYER = `data-module="OKVideo"`;

export const VIDEO_REGIONAL: Service[] = [
  {
    id: "bilibili",
    name: "Bilibili",
    hosts: ["bilibili.com", "b23.tv"],
    confidence: "M",
    kinds: [
      {
        kind: "video",
        path: String.raw`^/video/(?<id>[bB][vV][\da-zA-Z]+|[aA][vV]\d+)(?:/|$)`,
        page: {
          url: "https://www.bilibili.com/video/{id}/",
          rules: [
            means("bot_challenge", { status: 412 }),
            means("bot_challenge", { matches: String.raw`"code"\s*:\s*-352\b` }),
            means("login_required", { matches: String.raw`"trueCode"\s*:\s*-403\b` }),
            // The video may be gone or blocked abroad.
            means("geo_blocked", { matches: String.raw`"trueCode"\s*:\s*-404\b` }),
            means("ok_service", {
              matches: String.raw`__INITIAL_STATE__\s*=[^]{0,500}?"videoData"\s*:\s*\{\s*"`,
            }),
          ],
          needsMarker: true,
        },
      },
    ],
    canary: ["https://www.bilibili.com/video/BV13x41117TL"],
  },
  {
    id: "niconico",
    name: "Niconico",
    hosts: ["nicovideo.jp", "nico.ms"],
    confidence: "M",
    kinds: [
      {
        kind: "video",
        host: String.raw`^(?:(?:www|sp|embed)\.)?nicovideo\.jp$`,
        path: String.raw`^/(?:watch|shorts)/(?<id>(?:[a-z]{2})?\d+)/?$`,
        ask: {
          url: "https://www.nicovideo.jp/api/watch/v3_guest/{id}?actionTrackId=AAAAAAAAAA_1700000000000",
          headers: { "X-Frontend-Id": "6", "X-Frontend-Version": "0" },
          rules: [
            means("ok_service", { status: 200, json: { "meta.status": 200 } }),
            means("service_unavailable", { json: { "meta.errorCode": "MAINTENANCE" } }),
            dead("service_account_gone", "C1", {
              json: { "data.reasonCode": ["DELETED_CHANNEL_VIDEO", "DELETED_COMMUNITY_VIDEO"] },
            }),
            dead("service_takedown", "C1", {
              json: {
                "data.reasonCode": ["ADMINISTRATOR_DELETE_VIDEO", "RIGHT_HOLDER_DELETE_VIDEO"],
              },
            }),
            dead("service_deleted", "C1", {
              json: { "data.reasonCode": { matches: "^DELETED_" } },
            }),
            means("service_processing", {
              json: {
                "data.reasonCode": "HIDDEN_VIDEO",
                "data.publishScheduledAt": { exists: true },
              },
            }),
            means("service_private", {
              json: { "data.reasonCode": ["HIDDEN_VIDEO", "NOT_ALLOWED"] },
            }),
            means("geo_blocked", {
              json: { "data.reasonCode": ["DOMESTIC_VIDEO", "HIGH_RISK_COUNTRY_VIDEO"] },
            }),
            means("ok_service_protected", {
              json: {
                "data.reasonCode": [
                  "CHANNEL_MEMBER_ONLY",
                  "PPV_VIDEO",
                  "PREMIUM_ONLY",
                  "HARMFUL_VIDEO",
                ],
              },
            }),
            dead("service_not_found", "C2", {
              json: { "meta.errorCode": ["NOT_FOUND", "INVALID_PARAMETER"] },
            }),
            means("service_private", { json: { "meta.errorCode": "FORBIDDEN" } }),
          ],
        },
      },
    ],
    canary: ["https://www.nicovideo.jp/watch/sm9"],
  },
  {
    id: "ok-ru",
    name: "OK.ru",
    hosts: ["ok.ru", "odnoklassniki.ru"],
    confidence: "M",
    kinds: [
      {
        kind: "video",
        path: String.raw`^/(?:video|videoembed|live|web-api/video/moviePlayer)/(?<id>\d+(?:-\d+)?)/?$`,
        page: {
          url: "https://ok.ru/video/{id}",
          headers: { "Accept-Language": "en-GB,en;q=0.8" },
          rules: [
            means("login_required", { url: String.raw`/main/st\.redirect/` }),
            means("service_private", {
              matches: String.raw`>\s*Access to (?:this|the) video (?:has been|is) restricted`,
            }),
            // The block may be limited to this country or to embedding sites.
            means("service_unrecognised", {
              matches: String.raw`>\s*(?:The video is blocked|Видеоролик заблокирован|The author of this video has not been found or is blocked)`,
            }),
            dead("service_takedown", "C2", {
              matches: String.raw`>\s*Video has been blocked due to author(?:'|&#39;)s rights inf`,
              unless: { text: OK_PLAYER },
            }),
            dead("service_account_gone", "C2", {
              matches: String.raw`>\s*Group, where this video was posted, has not been found`,
              unless: { text: OK_PLAYER },
            }),
            dead("service_not_found", "C2", {
              matches: String.raw`>\s*(?:Video has(?:n(?:'|&#39;)t| not) been found|Видеоролик не найден)\s*<`,
              unless: { text: OK_PLAYER },
            }),
            dead("service_not_found", "C2", {
              matches: String.raw`class="(?:[^"]{0,100}\s)?error-page"`,
            }),
            means("ok_service", { text: OK_PLAYER }),
          ],
          needsMarker: true,
        },
      },
    ],
    canary: ["https://ok.ru/video/20079905452"],
  },
  {
    id: "vk",
    name: "VK",
    hosts: ["vk.{com,ru}", "vkvideo.ru", "vkontakte.{ru,com}"],
    confidence: "L",
    kinds: [
      {
        kind: "video",
        path: String.raw`^/(?:video|clip)(?<id>-?\d+_\d+)`,
        page: { url: "https://vk.com/video{id}", ...VK_VIDEO },
      },
      {
        kind: "video",
        query: String.raw`(?:^|&)z=(?:video|clip)(?<id>-?\d+_\d+)`,
        page: { url: "https://vk.com/video{id}", ...VK_VIDEO },
      },
      {
        kind: "embed",
        path: String.raw`^/video_ext\.php$`,
        query: String.raw`(?:^|&)oid=-?\d+&`,
        page: VK_VIDEO,
      },
      {
        kind: "doc",
        path: String.raw`^/(?:doc-?\d+_\d+|s/v1/doc/[\w-]+)/?$`,
        page: {
          headers: VK_COOKIE,
          rules: [
            ...VK_RULES,
            means("ok_service", { text: "Docs.initDoc(" }),
            means("ok_service", { status: 200, type: "^(?!text/html)" }),
          ],
          needsMarker: true,
        },
      },
      {
        kind: "wall",
        path: String.raw`^/wall-?\d+_\d+/?$`,
        page: { headers: VK_COOKIE, rules: VK_RULES },
      },
    ],
    canary: ["https://vk.com/video205387401_165548505"],
  },
  {
    id: "rutube",
    name: "Rutube",
    hosts: ["rutube.ru"],
    confidence: "M",
    kinds: [
      {
        kind: "private-video",
        path: String.raw`^/video/private/(?<id>[\da-f]{32})/?$`,
        query: String.raw`(?:^|&)p=(?<key>[\w-]+)`,
        ask: { url: "https://rutube.ru/api/video/{id}/?format=json&p={key}", rules: RUTUBE_RULES },
      },
      {
        kind: "video",
        path: String.raw`^/(?:(?:live/)?video(?:/private)?|(?:play/)?embed|shorts)/(?<id>[\da-f]{32})/?$`,
        ask: { url: "https://rutube.ru/api/video/{id}/?format=json", rules: RUTUBE_RULES },
      },
    ],
    canary: ["https://rutube.ru/video/3eac3b4561676c17df9132a9a1e62e3e/"],
  },
];
