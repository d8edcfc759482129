import { type Ask, dead, means, type Page, type Rule, type Service } from "../record.ts";
import { oembed, PAGE_DECIDES } from "./shared.ts";

/** Codes of https://developers.dailymotion.com/api/platform-api/errors/, "Video access errors". */
const DAILYMOTION_RULES: Rule[] = [
  means("ok_service_protected", { text: "video_password_protected" }),
  dead("service_not_found", "C2", { status: 404, json: { error: { exists: true } } }),
  means("service_private", { status: 403, json: { error: { exists: true } } }),
  means("geo_blocked", { json: { "access_error.code": "DM007" } }),
  means("geo_blocked", { json: { "access_error.title": { matches: "geo-restricted" } } }),
  dead("service_deleted", "C2", { json: { "access_error.code": "DM002" } }),
  dead("service_takedown", "C2", { json: { "access_error.code": ["DM004", "DM005"] } }),
  means("service_private", { json: { "access_error.code": "DM010" } }),
  means("service_processing", { json: { "access_error.code": ["DM003", "DM006", "DM012"] } }),
  // Explicit, or not available on this device or site.
  means("ok_service_protected", {
    json: { "access_error.code": ["DM008", "DM009", "DM014", "DM015", "DM016", "DM019"] },
  }),
  dead("service_not_found", "C2", { json: { access_error: { exists: true } } }),
  means("service_processing", { json: { status: ["waiting", "processing"] } }),
  means("ok_service", { json: { status: ["ready", "published"] } }),
];

const dailymotionAsk: Ask = {
  url: "https://api.dailymotion.com/video/{id}?fields=id,status,access_error,title",
  rules: DAILYMOTION_RULES,
};

/** Pages have status 200 and no content, and the API requires a client id. */
const TWITCH_PAGE: Page = {
  rules: [means("service_unrecognised", { status: [404, 410] })],
  needsMarker: true,
};

/** Matches only the video itself, not the related videos. */
const TIKTOK_TAKEN_DOWN =
  String.raw`"itemStruct"\s*:\s*\{\s*"id"` +
  `(?:(?!"(?:itemStruct|itemList|relatedVideos|shareMeta|statusCode)")[^]){0,50000}?` +
  String.raw`"takeDown"\s*:\s*"?1\b`;

const TIKTOK_PAGE: Page = {
  rules: [
    means("bot_challenge", { text: [`class="verify-wrap"`, "user_verify_page_description"] }),
    means("service_private", {
      matches: String.raw`"statusCode"\s*:\s*(?:10216|10222)\b|"author_secret"|"privateItem"\s*:\s*true`,
    }),
    dead("service_takedown", "C2", { matches: TIKTOK_TAKEN_DOWN }),
    means("ok_service_protected", { matches: String.raw`"isContentClassified"\s*:\s*true` }),
    means("ok_service", {
      matches: String.raw`"itemStruct"\s*:\s*\{\s*"id"`,
      unless: { matches: TIKTOK_TAKEN_DOWN },
    }),
  ],
  needsMarker: true,
};

/** `uri` is the name of the claim on the LBRY network, of which Odysee shows a part. */
const odyseeClaim = (uri: string): Ask[] => [
  oembed(
    "https://odysee.com/$/oembed?url=https%3A%2F%2Fodysee.com%2F{path}",
    means("next", { status: 404 }),
  ),
  {
    url: "https://api.na-backend.odysee.com/api/v1/proxy?m=resolve",
    json: { jsonrpc: "2.0", method: "resolve", params: { urls: [uri] } },
    rules: [
      dead("service_not_found", "C2", { status: 200, text: `"NOT_FOUND"` }),
      means("service_unrecognised", { status: 200, text: `"BLOCKED"` }),
      means("page", { status: 200, text: `"claim_id"` }),
    ],
  },
];

const streamableAsk = (gone: Rule): Ask => ({
  url: "https://ajax.streamable.com/videos/{id}",
  rules: [
    means("ok_service", { status: 200, json: { status: 2 } }),
    means("service_processing", { status: 200, json: { status: [0, 1] } }),
    means("service_unavailable", { status: 200, json: { status: 3 } }),
    gone,
  ],
});

/** The site's own pages whose addresses look like those of videos. */
const STREAMABLE_WORDS =
  "about|account|api|blog|business|careers|clipper|contact|cookies|discover|dmca|editor|explore|faq|features|help|" +
  "home|jobs|legal|login|logout|plans|premium|press|pricing|privacy|pro|profile|recorder|register|search|" +
  "settings|signin|signup|support|team|teams|terms|tools|tos|trending|upgrade|upload|videos";

export const VIDEO: Service[] = [
  {
    id: "vimeo",
    name: "Vimeo",
    hosts: ["vimeo.com"],
    confidence: "M",
    kinds: [
      {
        kind: "video",
        path: String.raw`^/(?:(?:channels|groups)/[^/]+/(?:videos/)?|(?:album|showcase)/\d+/video/|ondemand/[^/]+/|video/)?\d+(?:/[\da-f]+)?/?$`,
        ask: oembed(
          "https://vimeo.com/api/oembed.json?url={url}",
          means("service_private", { status: 403 }),
          // Also returns 404 for videos that only some sites may embed.
          PAGE_DECIDES,
        ),
        page: {
          headers: { Cookie: "language=en" },
          rules: [
            means("ok_service_protected", { text: `id="pw_form"` }),
            means("service_private", { text: "Because of its privacy settings" }),
            means("service_private", { title: "^Private Video on Vimeo$" }),
            means("service_unavailable", { text: "Please try again in a few minutes.<" }),
            dead("service_not_found", "C2", { text: `class="exception_header"` }),
            means("ok_service", { title: " on Vimeo$" }),
          ],
        },
      },
    ],
    canary: ["https://vimeo.com/76979871", "https://vimeo.com/7073899"],
  },
  {
    id: "dailymotion",
    name: "Dailymotion",
    hosts: ["dailymotion.com", "dai.ly"],
    confidence: "M",
    kinds: [
      {
        kind: "video",
        host: String.raw`(?:^|\.)dai\.ly$`,
        path: "^/(?<id>[a-zA-Z0-9]+)/?$",
        ask: dailymotionAsk,
      },
      {
        kind: "video",
        path: "^/(?:[a-z]{2}/)?(?:embed/|crawler/|swf/)?video/(?<id>[a-zA-Z0-9]+)",
        ask: dailymotionAsk,
      },
      {
        kind: "video",
        path: String.raw`^/player(?:/[a-z0-9]+)?\.html$`,
        query: "(?:^|&)video=(?<id>[a-zA-Z0-9]+)",
        ask: dailymotionAsk,
      },
    ],
    canary: [
      "https://www.dailymotion.com/video/x2jvvep",
      "https://www.dailymotion.com/video/x5kesuj",
    ],
  },
  {
    id: "twitch",
    name: "Twitch",
    hosts: ["twitch.tv"],
    confidence: "M",
    kinds: [
      {
        kind: "clip",
        host: String.raw`^clips\.twitch\.tv$`,
        path: String.raw`^/(?:embed$|[\w-]+/?$)`,
        page: TWITCH_PAGE,
      },
      { kind: "clip", path: String.raw`^/(?:\w+/)?clip/[\w-]+/?$`, page: TWITCH_PAGE },
      { kind: "video", path: String.raw`^/(?:videos|\w+/v(?:ideo)?)/\d+/?$`, page: TWITCH_PAGE },
      {
        kind: "channel",
        host: String.raw`^(?:(?:www|m|go)\.)?twitch\.tv$`,
        path: String.raw`^/(?!directory|downloads|jobs|turbo|login|signup|store|search|settings|prime|p/)\w{3,25}(?:/(?:about|videos|clips|schedule))?/?$`,
        page: TWITCH_PAGE,
      },
    ],
  },
  {
    id: "tiktok",
    name: "TikTok",
    hosts: ["tiktok.com", "tiktokv.com"],
    confidence: "M",
    kinds: [
      {
        kind: "video",
        path: String.raw`^/@(?<user>[\w.-]+)/video/(?<id>\d+)/?$`,
        ask: [
          oembed(
            "https://www.tiktok.com/oembed?url=https%3A%2F%2Fwww.tiktok.com%2F@{user}%2Fvideo%2F{id}",
            // Private and deleted videos get the same message.
            means("next", { status: [400, 404], text: "Something went wrong" }),
            means("page", { status: 404 }),
          ),
          {
            url: "https://www.tiktok.com/@{user}/video/{id}",
            headers: { Accept: "text/html" },
            rules: [
              // Also returned for addresses that it blocks, so the page alone proves nothing.
              dead("service_not_found", "C2", { matches: String.raw`"statusCode"\s*:\s*10204\b` }),
              dead("service_not_found", "C2", { status: 404 }),
              means("page", { status: 200 }),
            ],
          },
        ],
        page: TIKTOK_PAGE,
      },
      { kind: "photo", path: String.raw`^/@[\w.-]+/photo/\d+/?$`, page: TIKTOK_PAGE },
    ],
    canary: [
      "https://www.tiktok.com/@scout2015/video/6718335390845095173",
      "https://www.tiktok.com/@patroxofficial/video/6742501081818877190",
    ],
  },
  {
    id: "rumble",
    name: "Rumble",
    hosts: ["rumble.com"],
    confidence: "M",
    kinds: [
      {
        kind: "embed",
        path: String.raw`^/embed/(?:[\da-z]+\.)?(?<id>[\da-z]+)/?$`,
        ask: {
          url: "https://rumble.com/embedJS/u3/?request=video&ver=2&v={id}",
          rules: [
            means("ok_service", { status: 200, json: { title: { empty: false } } }),
            PAGE_DECIDES,
          ],
        },
      },
      {
        kind: "video",
        path: String.raw`^/(?:shorts/v[\da-z]+|v[\da-z]+(?:-[^/]*|\.html))/?$`,
        ask: oembed("https://rumble.com/api/Media/oembed.json?url={url}", PAGE_DECIDES),
      },
    ],
    canary: ["https://rumble.com/vdmum1-moose-the-dog-helps-girls-dig-a-snow-fort.html"],
  },
  {
    id: "odysee",
    name: "Odysee",
    hosts: ["odysee.com", "lbry.tv"],
    confidence: "M",
    kinds: [
      {
        kind: "video",
        path: "^/(?<path>@(?<channel>[^/:]+):(?<channelId>[0-9a-f]+)/(?<claim>[^/:]+):(?<claimId>[0-9a-f]+))/?$",
        ask: odyseeClaim("lbry://@{channel}#{channelId}/{claim}#{claimId}"),
      },
      {
        kind: "channel",
        path: "^/(?<path>@(?<channel>[^/:]+):(?<channelId>[0-9a-f]+))/?$",
        ask: odyseeClaim("lbry://@{channel}#{channelId}"),
      },
      {
        kind: "video",
        path: "^/(?<path>(?<claim>[^/:@$]+):(?<claimId>[0-9a-f]+))/?$",
        ask: odyseeClaim("lbry://{claim}#{claimId}"),
      },
    ],
    canary: ["https://odysee.com/@veritasium:f/we-built-an-unrideable-bike-to-show-how:b"],
  },
  {
    id: "bitchute",
    name: "BitChute",
    hosts: ["bitchute.com"],
    confidence: "M",
    kinds: [
      {
        kind: "video",
        path: String.raw`^/(?:video|embed|torrent/[^/]+)/(?<id>[\w-]+?)(?:\.webtorrent)?/?$`,
        ask: {
          url: "https://api.bitchute.com/api/beta9/video",
          json: { video_id: "{id}" },
          rules: [
            means("ok_service", { status: 200, json: { video_name: { exists: true } } }),
            means("geo_blocked", { status: 403, text: "location" }),
            means("service_private", { status: 403, json: { errors: { exists: true } } }),
            dead("service_not_found", "C2", { status: 404 }),
          ],
        },
      },
    ],
    canary: ["https://www.bitchute.com/video/UGlrF9o9b-Q/"],
  },
  {
    id: "streamable",
    name: "Streamable",
    hosts: ["streamable.com"],
    confidence: "M",
    kinds: [
      {
        kind: "video",
        path: "^/(?:[eos]/|(?=[a-z]*[0-9]))(?<id>[0-9a-z]{3,8})(?:/[0-9a-z]+)?/?$",
        ask: streamableAsk(dead("service_not_found", "C2", { status: [404, 410] })),
      },
      // Letters only, so it may also be a word.
      {
        kind: "video",
        path: `^/(?!(?:${STREAMABLE_WORDS})(?:/|$))(?<id>[a-z]{3,8})(?:/[0-9a-z]+)?/?$`,
        ask: streamableAsk(PAGE_DECIDES),
      },
    ],
    canary: ["https://streamable.com/dnd1", "https://streamable.com/moo"],
  },
];
