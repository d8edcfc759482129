import { dead, means, type Page, type Rule, type Service } from "../record.ts";

const SUSPENDED: Rule = dead("service_account_gone", "C2", {
  matches: String.raw`<h[1-3][^>]{0,200}>\s*This account is suspended\.?\s*<`,
  // Stories may have such titles and headings.
  unless: { text: "<article" },
});

/** A page may be behind an age verification or not available in the region. */
const STEAM_STORE: Page = {
  rules: [
    means("geo_blocked", { text: "currently unavailable in your region" }),
    means("ok_service_protected", {
      status: 200,
      url: String.raw`^https://store\.steampowered\.com/agecheck/{type}/{id}(?:[/?]|$)`,
      // The age verification page is titled after the item, in any language.
      title: String.raw`\S.{0,3}\bSteam\b|\bSteam\b.{0,3}\S`,
    }),
    means("ok_service", {
      status: 200,
      url: String.raw`^https://store\.steampowered\.com/{type}/{id}(?:[/?]|$)`,
    }),
    means("geo_blocked", { url: String.raw`^https://store\.steampowered\.com/(?:\?|$)` }),
  ],
};

/** Some missing items redirect to the store's home page. */
const IN_PLAY: Rule = means("ok_service", {
  status: 200,
  url: String.raw`^https://play\.google\.com/store/[^#]{0,1000}[?&]id={id}(?:[&#]|$)`,
});
const IN_APP_STORE: Rule = means("ok_service", {
  status: 200,
  url: String.raw`^https://[a-z]{1,20}\.apple\.com/[^?#]{0,1000}(?<!\d){id}(?:[/?#]|$)`,
});

/** Targets of short addresses that do not exist or require confirmation. */
const SHORT_RULES: Rule[] = [
  dead("service_takedown", "C2", { url: String.raw`//bitly\.com/a/blocked(?:[/?]|$)` }),
  // The visitor may continue, but the page does not show the target.
  means("service_unrecognised", { url: String.raw`//bitly\.com/a/warning(?:[/?]|$)` }),
  dead("service_not_found", "C2", {
    url: String.raw`//(?:www\.)?tinyurl\.com/error\w*\.php(?:\?|$)`,
  }),
];

export const STORES: Service[] = [
  {
    id: "amazon",
    name: "Amazon",
    hosts: [
      "amazon.{com,ae,ca,cn,de,eg,es,fr,ie,in,it,nl,pl,sa,se,sg}",
      "amazon.co.{jp,uk,za}",
      "amazon.com.{au,be,br,mx,tr}",
      "amzn.{asia,eu,to}",
      "a.co",
    ],
    confidence: "M",
    kinds: [
      {
        kind: "product",
        host: String.raw`^(?:(?:www|smile|m)\.)?amazon\.`,
        path: "/(?:dp|gp/product|gp/aw/d|exec/obidos/ASIN|o/ASIN)/(?<id>[0-9A-Za-z]{10})(?:/|$)",
        page: {
          needsMarker: true,
          rules: [
            means("bot_challenge", { status: 202 }),
            means("ok_service", { status: 200, text: ["productTitle", 'id="dp-container"'] }),
          ],
        },
      },
    ],
  },
  {
    id: "ebay",
    name: "eBay",
    hosts: [
      "ebay.{com,at,be,ca,ch,cn,de,es,fr,ie,in,it,nl,ph,pl,to,us}",
      "ebay.co.uk",
      "ebay.com.{au,hk,my,sg}",
    ],
    confidence: "L",
    kinds: [
      {
        kind: "item",
        path: String.raw`^/itm/(?:[^/]+/)?(?<id>\d{9,15})(?:/|$)`,
        page: {
          rules: [
            means("bot_challenge", { text: "Checking your browser before you access" }),
            dead("service_deleted", "C2", {
              matches: String.raw`>\s*This listing was removed\b`,
              unless: { text: "x-item-title" },
            }),
            means("ok_service", {
              status: 200,
              text: ["This listing ended", "This listing was ended", "Bidding ended"],
            }),
          ],
        },
      },
    ],
  },
  {
    id: "etsy",
    name: "Etsy",
    hosts: ["etsy.com", "etsy.me"],
    confidence: "L",
    kinds: [
      {
        kind: "listing",
        path: String.raw`^/(?:[a-z]{2}(?:-[a-z]{2})?/)?listing/(?<id>\d+)(?:/|$)`,
      },
      { kind: "shop", path: "^/(?:[a-z]{2}(?:-[a-z]{2})?/)?shop/(?<name>[^/]+)" },
    ],
  },
  {
    id: "aliexpress",
    name: "AliExpress",
    hosts: ["aliexpress.{com,ru,us}"],
    confidence: "L",
    kinds: [
      {
        kind: "item",
        path: String.raw`^/(?:item|i)/(?:[^/]+/)?(?<id>\d+)\.html$`,
        page: {
          rules: [
            means("bot_challenge", { url: String.raw`/punish\?x5secdata=` }),
            means("bot_challenge", { text: "x5secdata" }),
          ],
        },
      },
    ],
  },
  {
    id: "steam",
    name: "Steam",
    hosts: ["store.steampowered.com", "steamcommunity.com", "s.team"],
    confidence: "M",
    kinds: [
      {
        kind: "app",
        host: String.raw`^store\.steampowered\.com$`,
        path: String.raw`^/(?:agecheck/)?(?<type>app|bundle|sub)/(?<id>\d+)(?:/|$)`,
        page: STEAM_STORE,
      },
      {
        kind: "profile",
        path: "^/(?:id|profiles)/(?<id>[^/]+)",
        page: {
          rules: [
            dead("service_not_found", "C2", {
              matches: String.raw`<h3>\s*The specified profile could not be found\.?\s*</h3>`,
              unless: { text: "g_rgProfileData" },
            }),
            // Present even when the rest of the profile is private.
            means("ok_service", { text: "g_rgProfileData" }),
          ],
        },
      },
      {
        kind: "group",
        path: "^/groups/(?<id>[^/]+)",
        page: {
          rules: [
            dead("service_not_found", "C2", {
              matches: String.raw`<h3>\s*No group could be retrieved for the given URL\.?\s*</h3>`,
              unless: { text: "grouppage_header" },
            }),
          ],
        },
      },
      {
        kind: "workshop",
        path: "^/(?:sharedfiles|workshop)/filedetails/?$",
        query: String.raw`(?:^|&)id=(?<id>\d+)(?:&|$)`,
        page: {
          // Every item contains a hidden "removed" message, and missing items have no message of their own.
          needsMarker: true,
          rules: [
            means("service_private", {
              text: "item is either marked as hidden or you do not have permission",
            }),
            means("ok_service", { text: "workshopItemTitle" }),
          ],
        },
      },
    ],
    canary: [
      "https://store.steampowered.com/app/440/",
      "https://steamcommunity.com/id/gabelogannewell",
    ],
  },
  {
    id: "google-play",
    name: "Google Play",
    hosts: ["play.google.com"],
    confidence: "M",
    kinds: [
      {
        // The link names the country of the store.
        kind: "in-country",
        path: "^/store/(?:apps|audiobooks|books|movies|music/album)/details(?:/|$)",
        query: "^(?=(?:.*&)?gl=[A-Za-z]{2}(?:&|$))(?:.*&)?id=(?<id>[^&]+)",
        page: { needsMarker: true, rules: [IN_PLAY] },
      },
      {
        kind: "anywhere",
        path: "^/store/(?<type>apps|audiobooks|books|movies|music/album)/details(?:/|$)",
        query: "(?:^|&)id=(?<id>[^&]+)",
        ask: {
          url: "https://play.google.com/store/{type|raw}/details?id={id}&gl=US",
          rules: [
            IN_PLAY,
            // The item may be unavailable in this monitor's country only.
            means("page", { status: 404 }),
          ],
        },
        page: { rules: [IN_PLAY] },
      },
    ],
    canary: [
      "https://play.google.com/store/apps/details?id=org.mozilla.firefox",
      "https://play.google.com/store/apps/details?id=org.mozilla.firefox&gl=US",
    ],
  },
  {
    id: "app-store",
    name: "App Store",
    hosts: ["apps.apple.com", "itunes.apple.com"],
    confidence: "H",
    kinds: [
      {
        kind: "in-country",
        path: String.raw`^/(?<country>[a-z]{2})/[\w-]+/(?:[^/]+/)?id(?<id>\d+)/?$`,
        ask: {
          url: "https://itunes.apple.com/lookup?id={id}&country={country}",
          rules: [
            means("page", { json: { resultCount: 0 } }),
            means("ok_service", { json: { resultCount: { exists: true } } }),
          ],
        },
        page: { rules: [IN_APP_STORE] },
      },
      {
        kind: "anywhere",
        path: String.raw`^/[\w-]{3,}/(?:[^/]+/)?id(?<id>\d+)/?$`,
        ask: {
          url: "https://itunes.apple.com/lookup?id={id}",
          rules: [
            means("page", { json: { resultCount: 0 } }),
            means("ok_service", { json: { resultCount: { exists: true } } }),
          ],
        },
        page: {
          // The link names no country, so only the American store was queried.
          rules: [IN_APP_STORE, means("geo_blocked", { status: 404 })],
        },
      },
    ],
    canary: ["https://apps.apple.com/us/app/facebook/id284882215"],
    gapMs: 3000,
  },
  {
    id: "medium",
    name: "Medium",
    hosts: ["medium.com"],
    confidence: "L",
    kinds: [
      {
        kind: "page",
        path: "^/",
        page: {
          rules: [
            dead("service_account_gone", "C1", {
              status: 410,
              text: "User deactivated or deleted their account",
            }),
            SUSPENDED,
          ],
        },
      },
    ],
    canary: ["https://medium.com/about"],
  },
  {
    id: "substack",
    name: "Substack",
    hosts: ["substack.com"],
    confidence: "L",
    kinds: [{ kind: "page", path: "^/", page: { rules: [SUSPENDED] } }],
    canary: ["https://on.substack.com/"],
  },
  {
    id: "notion",
    name: "Notion",
    hosts: ["notion.so", "notion.site"],
    confidence: "L",
    kinds: [
      {
        kind: "site",
        host: String.raw`\.notion\.site$`,
        // All addresses get the same scripted page.
        page: { rules: [means("ok_unverified_app", { status: 200 })] },
      },
      {
        kind: "page",
        path: "^/.*(?<id>[0-9a-f]{32})$",
        page: { rules: [means("ok_unverified_app", { status: 200 })] },
      },
    ],
    canary: ["https://www.notion.so/Notion-Official-83715d7703ee4b8699b5e659a4712dd8"],
  },
  {
    id: "linktree",
    name: "Linktree",
    hosts: ["linktr.ee"],
    confidence: "M",
    kinds: [{ kind: "profile", path: "^/(?<id>[^/]+)/?$" }],
    canary: ["https://linktr.ee/linktree"],
  },
  {
    id: "shortener",
    name: "Short links",
    hosts: [
      "t.co",
      "bit.ly",
      "bitly.com",
      "j.mp",
      "tinyurl.com",
      "is.gd",
      "v.gd",
      "ow.ly",
      "buff.ly",
      "cutt.ly",
      "dlvr.it",
      "goo.gl",
      "ift.tt",
      "rb.gy",
      "rebrand.ly",
      "s.id",
      "shorturl.at",
      "t.ly",
      "tiny.cc",
      "tiny.one",
      "trib.al",
      "u.to",
    ],
    confidence: "M",
    shortens: true,
    kinds: [
      {
        kind: "t-co",
        host: String.raw`(?:^|\.)t\.co$`,
        // Browsers are redirected by a script, programs by HTTP.
        page: { headers: { "User-Agent": "Stillup" }, rules: SHORT_RULES },
      },
      { kind: "link", page: { rules: SHORT_RULES } },
    ],
  },
];
