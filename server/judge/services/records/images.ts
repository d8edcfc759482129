import { dead, means, type Page, type Rule, type Service, type When } from "../record.ts";
import { oembed, PAGE_DECIDES, PRIVATE } from "./shared.ts";

/** The whole site is blocked in the United Kingdom, and possibly elsewhere. */
const IMGUR_REGION: Rule = means("geo_blocked", {
  text: ["Content not viewable in your region", "Content not available in your region"],
});

const IMGUR_HOSTS = String.raw`(?:[\w-]+\.)*imgur\.(?:com|io)`;

/** The picture in place of removed ones, with status 200: recognized by its address, or by its MD5 elsewhere. */
const IMGUR_REMOVED: Rule[] = [
  dead("service_deleted", "C1", {
    url: String.raw`^https?://${IMGUR_HOSTS}/removed\.\w{3,4}(?:$|[?#])`,
  }),
  dead("service_deleted", "C1", { header: { etag: "d835884373f4d6c8f24742ceabe74946" } }),
];

const IMGUR_SHOWN: Rule = means("ok_service", { status: 200, text: "oembed.json" });

/** Pages are filled by scripts. Only those of existing items name their oEmbed endpoint. */
const IMGUR_PAGE: Page = {
  needsMarker: true,
  rules: [
    ...IMGUR_REMOVED,
    IMGUR_REGION,
    IMGUR_SHOWN,
    dead("service_not_found", "C2", { status: 200, title: "imgur" }),
  ],
};

/** Browsers are redirected to the page about the file. */
const IMGUR_FILE: Page = { rules: [...IMGUR_REMOVED, IMGUR_REGION, IMGUR_SHOWN] };

/** Present with everything that exists. The page may also quote error messages in a title or a comment. */
const FLICKR_SHOWS_IT: When = { matches: '<meta[^>]{0,100}content="flickr_photos:' };

const FLICKR_PAGE: Page = {
  rules: [
    means("ip_blocked", { text: "Request forbidden by administrative rules" }),
    dead("service_account_gone", "C2", {
      matches: String.raw`>\s*This member is no longer active on Flickr`,
      unless: FLICKR_SHOWS_IT,
    }),
    dead("service_not_found", "C2", { matches: String.raw`class="(?:[^"]{0,100}\s)?Four04Case\b` }),
    means("service_private", { status: 403 }),
    means("ok_service", { status: 200, text: "flickr_photos:photo" }),
  ],
};

const REDGIFS_HEADERS = { Origin: "https://www.redgifs.com", Referer: "https://www.redgifs.com/" };

export const IMAGES: Service[] = [
  {
    id: "imgur",
    name: "Imgur",
    hosts: ["imgur.{com,io}"],
    confidence: "H",
    kinds: [
      {
        kind: "file",
        host: String.raw`^i\.(?:stack\.)?imgur\.(?:com|io)$`,
        path: String.raw`^/\w{5,8}(?:\.\w+)?$`,
        page: IMGUR_FILE,
      },
      {
        kind: "file",
        host: `^${IMGUR_HOSTS}$`,
        path: String.raw`^/\w{5,8}\.(?:png|jpe?g|gifv?|webp|mp4|webm)$`,
        page: IMGUR_FILE,
      },
      {
        kind: "post",
        host: String.raw`^(?:www\.|m\.)?imgur\.(?:com|io)$`,
        path: "^/(?:a|gallery|t/[^/]+|topic/[^/]+|r/[^/]+)/(?!random(?:/|$))(?:[^/]*-)?[A-Za-z0-9]{5,7}(?:/|$)",
        page: IMGUR_PAGE,
      },
      {
        kind: "image",
        host: String.raw`^(?:www\.|m\.)?imgur\.(?:com|io)$`,
        path: "^/(?!(?:about|account|emerald|gallery|inbox|memegen|privacy|random|rules|search|signin|signout|signup|store|topics|upload|vidgif)$)(?:[^/]*-)?[A-Za-z0-9]{5,7}$",
        page: IMGUR_PAGE,
      },
    ],
    canary: [
      "https://imgur.com/21yMxCS",
      "https://i.imgur.com/21yMxCS.png",
      "https://imgur.com/a/TcBmP",
    ],
  },
  {
    id: "flickr",
    name: "Flickr",
    hosts: ["flickr.com", "flic.kr", "staticflickr.com"],
    confidence: "M",
    kinds: [
      {
        kind: "file",
        path: String.raw`\.(?:jpg|png|gif)$`,
        page: {
          rules: [
            dead("service_not_found", "C2", {
              url: String.raw`/photo_unavailable\w*\.(?:gif|png|jpg)`,
            }),
          ],
        },
      },
      {
        kind: "photo",
        path: String.raw`^/photos/(?<user>[^/]+)/(?<id>\d+)(?:/|$)`,
        ask: oembed(
          "https://www.flickr.com/services/oembed/?format=json&url=https%3A%2F%2Fwww.flickr.com%2Fphotos%2F{user}%2F{id}%2F",
          // Owners can disable embedding of public photos, and private photos may be reported as missing.
          means("page", { status: [401, 403, 404] }),
          means("page", { json: { stat: "fail" } }),
        ),
        page: FLICKR_PAGE,
      },
      { kind: "collection", path: "^/(?:photos|people|groups)/[^/]+", page: FLICKR_PAGE },
    ],
    canary: ["https://www.flickr.com/photos/departingyyz/16089302239"],
  },
  {
    id: "giphy",
    name: "GIPHY",
    hosts: ["giphy.com", "gph.is"],
    confidence: "M",
    kinds: [
      {
        kind: "gif",
        path: "^/(?:gifs|clips)/(?:[^/]*-)?[A-Za-z0-9]+(?:/|$)",
        ask: oembed("https://giphy.com/services/oembed?url={url}"),
      },
      {
        kind: "file",
        path: String.raw`^/media/(?:v1\.[^/]+/)?(?<id>[A-Za-z0-9]+)/[^/]+$`,
        ask: oembed(
          "https://giphy.com/services/oembed?url=https%3A%2F%2Fgiphy.com%2Fgifs%2F{id}",
          PAGE_DECIDES,
        ),
        page: { rules: [means("ok_service", { status: 200, type: "^(?:image|video)/" })] },
      },
    ],
    canary: ["https://giphy.com/gifs/cant-hardly-wait-kW8mnYSNkUYKc"],
  },
  {
    id: "redgifs",
    name: "RedGIFs",
    hosts: ["redgifs.com", "gifdeliverynetwork.com"],
    confidence: "M",
    kinds: [
      {
        kind: "gif",
        // The API requires lower-case ids, the site accepts any.
        path: "^/(?:watch|ifr)/(?<id>[A-Za-z0-9]+)/?$",
        ask: [
          {
            // The token is only valid for the client that requested it, so it is not retained.
            url: "https://api.redgifs.com/v2/auth/temporary",
            headers: REDGIFS_HEADERS,
            rules: [means("next", { json: { token: { empty: false } } })],
            take: { token: "token" },
          },
          {
            url: "https://api.redgifs.com/v2/gifs/{id|lower}",
            headers: { ...REDGIFS_HEADERS, Authorization: "Bearer {token}" },
            rules: [
              means("ok_service", { json: { "gif.id": { empty: false } } }),
              dead("service_deleted", "C1", { status: 410 }),
              dead("service_not_found", "C2", { status: 404 }),
            ],
          },
        ],
      },
    ],
    canary: ["https://www.redgifs.com/watch/foolishforkedabyssiniancat"],
  },
  {
    id: "deviantart",
    name: "DeviantArt",
    hosts: ["deviantart.com", "fav.me", "sta.sh"],
    confidence: "M",
    kinds: [
      {
        kind: "deviation",
        path: String.raw`^/(?:[^/]+/)?art/(?:[^/]*-)?\d+/?$`,
        ask: oembed("https://backend.deviantart.com/oembed?format=json&url={url}", PRIVATE),
      },
    ],
    canary: [
      "https://www.deviantart.com/shimoda7/art/For-the-sake-10073852",
      "https://www.deviantart.com/myria-moon/art/Aime-Moi-261986576",
    ],
  },
  {
    id: "gyazo",
    name: "Gyazo",
    hosts: ["gyazo.com"],
    confidence: "L",
    kinds: [
      {
        kind: "image",
        host: String.raw`^(?:www\.)?gyazo\.com$`,
        path: "^/(?<id>[0-9a-f]{32})/?$",
        ask: oembed("https://api.gyazo.com/api/oembed?url=https%3A%2F%2Fgyazo.com%2F{id}", PRIVATE),
      },
    ],
    canary: ["https://gyazo.com/71e107d77e8495f0e54d2e5b6dc5d326"],
  },
  {
    id: "behance",
    name: "Behance",
    hosts: ["behance.net"],
    confidence: "L",
    kinds: [
      {
        kind: "project",
        path: String.raw`^/(?:gallery|[^/]+/services)/\d+(?:/|$)`,
        ask: oembed("https://www.behance.net/services/oembed?url={url}"),
      },
    ],
    canary: [
      "https://www.behance.net/gallery/17386197/A-Short-Story",
      "https://www.behance.net/gallery/21324767/Nevada-City",
    ],
  },
  {
    id: "smugmug",
    name: "SmugMug",
    hosts: ["smugmug.com"],
    confidence: "L",
    kinds: [
      {
        kind: "photo",
        path: "/i-[A-Za-z0-9]+(?:/|$)",
        ask: oembed("https://api.smugmug.com/services/oembed/?format=json&url={url}"),
      },
      {
        kind: "gallery",
        host: String.raw`^(?!(?:www|api|help|news|photos|secure)\.)[\w-]+\.smugmug\.com$`,
        path: "^/[^/]",
        ask: oembed("https://api.smugmug.com/services/oembed/?format=json&url={url}", PAGE_DECIDES),
      },
    ],
    canary: [
      "https://tdm.smugmug.com/Nature/Dove/i-kCsLJT6",
      "https://tdm.smugmug.com/Nature/Dove",
    ],
  },
  {
    id: "google-photos",
    name: "Google Photos",
    hosts: ["photos.google.com", "photos.app.goo.gl"],
    confidence: "M",
    kinds: [
      {
        kind: "album",
        path: String.raw`^/(?:u/\d+/)?share/[\w-]+`,
        page: {
          rules: [
            dead("service_not_found", "C2", { matches: String.raw`>\s*Album is empty\s*<` }),
            means("ok_service", { status: 200, title: " - Google (?:Photos|Fotos)$" }),
          ],
        },
      },
    ],
  },
];
