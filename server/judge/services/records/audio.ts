import { type Ask, dead, means, type Page, type Rule, type Service } from "../record.ts";
import { oembed } from "./shared.ts";

/** What oEmbed does not know is gone only if the page confirms it. */
const PAGE_AGREES: Rule[] = [means("page", { status: 404 })];

const SOUNDCLOUD_APP = String.raw`^(?:(?:www|m)\.)?soundcloud\.com$`;

/** First path segments that are not user names. */
const SOUNDCLOUD_OWN =
  "charts|community-guidelines|discover|feed|imprint|jobs|login|logout|messages|mobile|notifications|pages|people|premium|press|search|settings|signin|signup|stations|stream|tags|terms-of-use|upload|you";

/** Last path segments of a user's lists. */
const SOUNDCLOUD_LISTS =
  "albums|comments|followers|following|likes|popular-tracks|reposts|sets|spotlight|tracks";

const SOUNDCLOUD_ASK: Ask = oembed(
  "https://soundcloud.com/oembed?format=json&url=https%3A%2F%2Fsoundcloud.com{path}",
  means("service_private", { status: 403 }),
  ...PAGE_AGREES,
);

/** Unknown addresses get the title of the whole site. */
const SOUNDCLOUD_PAGE: Page = {
  rules: [
    dead("service_not_found", "C2", { title: "^soundcloud [-–] hear the world['’]s sounds$" }),
  ],
};

/** The name is free to register. */
const BANDCAMP_FREE: Rule = dead("service_account_gone", "C1", {
  url: String.raw`^https://bandcamp\.com/signup\?(?:.*&)?new_domain=`,
});

export const AUDIO: Service[] = [
  {
    id: "soundcloud",
    name: "SoundCloud",
    hosts: ["soundcloud.com", "snd.sc"],
    confidence: "M",
    kinds: [
      {
        kind: "track",
        host: SOUNDCLOUD_APP,
        path: String.raw`^(?<path>/(?!(?:${SOUNDCLOUD_OWN})/)[\w-]+/(?:sets/)?(?!(?:${SOUNDCLOUD_LISTS})/?$)[\w:-]+(?:/s-\w+)?)/?$`,
        ask: SOUNDCLOUD_ASK,
        page: SOUNDCLOUD_PAGE,
      },
      {
        kind: "user",
        host: SOUNDCLOUD_APP,
        path: String.raw`^(?<path>/(?!(?:${SOUNDCLOUD_OWN})(?:/|$))[\w-]+)(?:/(?:${SOUNDCLOUD_LISTS}))?/?$`,
        ask: SOUNDCLOUD_ASK,
        page: SOUNDCLOUD_PAGE,
      },
    ],
    // Two addresses: on some days user pages were missing, on others access was denied.
    canary: ["https://soundcloud.com/forss/flickermood", "https://soundcloud.com/forss"],
  },
  {
    id: "spotify",
    name: "Spotify",
    hosts: ["open.spotify.com", "play.spotify.com", "spoti.fi", "spotify.link"],
    confidence: "M",
    kinds: [
      {
        kind: "item",
        path: "^/(?:intl-[a-z]+/)?(?:embed/)?(?:user/[^/]+/)?(?<type>track|album|artist|playlist|show|episode|audiobook)/(?<id>[A-Za-z0-9]+)/?$",
        ask: oembed(
          // Rebuilt, since the endpoint rejects queries and trailing slashes.
          "https://open.spotify.com/oembed?url=https%3A%2F%2Fopen.spotify.com%2F{type}%2F{id}",
          ...PAGE_AGREES,
        ),
      },
    ],
    canary: [
      "https://open.spotify.com/track/2qToAcex0ruZfbEbAy9OhW",
      "https://open.spotify.com/artist/7ae4vgLLhir2MCjyhgbGOQ",
    ],
  },
  {
    id: "mixcloud",
    name: "Mixcloud",
    hosts: ["mixcloud.com"],
    confidence: "M",
    kinds: [
      {
        kind: "show",
        path: "^/(?!(?:categories|competitions|developers|discover|genres|media|tag|upload|widget)/)(?<user>[^/]+)/(?!(?:activity|favorites|favourites|followers|following|listens|playlists|stream|uploads)/?$)(?<slug>[^/]+)/?$",
        ask: [
          oembed(
            "https://www.mixcloud.com/oembed/?format=json&url=https%3A%2F%2Fwww.mixcloud.com%2F{user}%2F{slug}%2F",
            means("next", { status: 404 }),
          ),
          {
            url: "https://app.mixcloud.com/graphql",
            json: {
              query:
                "query Show($lookup: CloudcastLookup!) { cloudcastLookup(lookup: $lookup) { name restrictedReason } }",
              variables: { lookup: { username: "{user}", slug: "{slug}" } },
            },
            rules: [
              dead("service_not_found", "C2", {
                json: { "data.cloudcastLookup": null },
                // Also null when the lookup failed.
                unless: { json: { errors: { empty: false } } },
              }),
              means("geo_blocked", {
                json: { "data.cloudcastLookup.restrictedReason": "tracklist" },
              }),
              means("ok_service_protected", {
                json: { "data.cloudcastLookup.restrictedReason": "repeat_play" },
              }),
              means("service_private", {
                json: { "data.cloudcastLookup.restrictedReason": { empty: false } },
              }),
              means("ok_service", { json: { "data.cloudcastLookup.name": { empty: false } } }),
            ],
          },
        ],
      },
    ],
    canary: [
      "https://www.mixcloud.com/dholbach/cryptkeeper/",
      "https://www.mixcloud.com/TechnoLiveSets/jon_rundell-live-electrobeach-festival-benidorm-16-08-2013/",
    ],
  },
  {
    id: "bandcamp",
    name: "Bandcamp",
    hosts: ["bandcamp.com"],
    confidence: "M",
    kinds: [
      {
        kind: "release",
        host: String.raw`^(?!(?:www|daily)\.)[\w-]+\.bandcamp\.com$`,
        path: "^/(?:track|album)/[^/]+/?$",
        page: {
          needsMarker: true,
          rules: [
            BANDCAMP_FREE,
            dead("service_not_found", "C2", {
              matches: String.raw`>\s*Sorry\s*,\s*that something isn['’]t here`,
              unless: { text: "data-tralbum=" },
            }),
            means("ok_service", { status: 200, text: "data-tralbum=" }),
          ],
        },
      },
      { kind: "artist", path: "^/(?:music/?)?$", page: { rules: [BANDCAMP_FREE] } },
    ],
    canary: [
      "https://benprunty.bandcamp.com/track/lanius-battle",
      "https://adrianvonziegler.bandcamp.com/",
    ],
  },
  {
    id: "audiomack",
    name: "Audiomack",
    hosts: ["audiomack.com"],
    confidence: "L",
    kinds: [
      {
        kind: "music",
        path: "^(?<path>/[^/]+/(?:song|album|playlist)/[^/]+)/?$",
        ask: oembed(
          "https://audiomack.com/oembed?format=json&url=https%3A%2F%2Faudiomack.com{path}",
        ),
        page: {
          rules: [
            dead("service_not_found", "C1", {
              matches: String.raw`>\s*This song cannot be found or has been removed`,
            }),
          ],
        },
      },
    ],
    canary: ["https://audiomack.com/audiomack/playlist/just-chillin"],
  },
  {
    id: "hearthis",
    name: "hearthis.at",
    hosts: ["hearthis.at"],
    confidence: "L",
    kinds: [
      {
        kind: "track",
        path: String.raw`^(?<path>/(?!(?:categories|search)/)[^/]+/(?!set(?:/|$))[^/]+(?:/\w+)?)/?$`,
        ask: oembed(
          // The endpoint knows only tracks.
          "https://hearthis.at/oembed/?format=json&url=https%3A%2F%2Fhearthis.at{path}%2F",
          ...PAGE_AGREES,
        ),
        page: {
          rules: [
            dead("service_not_found", "C2", { url: String.raw`hearthis\.at/search/` }),
            means("ok_service", { text: "track-detail track_" }),
          ],
        },
      },
    ],
    canary: ["https://hearthis.at/gdsfm/20180922-motherland-soundsystem-im-sender/"],
  },
  {
    id: "podbean",
    name: "Podbean",
    hosts: ["podbean.com"],
    confidence: "L",
    kinds: [
      {
        kind: "episode",
        host: String.raw`^(?<show>[\w-]+)\.podbean\.com$`,
        path: "^/e/(?<episode>[^/]+)/?$",
        ask: oembed(
          "https://api.podbean.com/v1/oembed?url=https%3A%2F%2F{show}.podbean.com%2Fe%2F{episode}%2F",
        ),
      },
    ],
    canary: [
      "https://podcast.podbean.com/e/jen-and-vernon-chat-podcast-resolutions-twitter-advice-and-predictions-for-2019/",
    ],
  },
  {
    id: "spreaker",
    name: "Spreaker",
    hosts: ["spreaker.com"],
    confidence: "L",
    kinds: [
      {
        kind: "show",
        host: String.raw`^(?:www\.)?spreaker\.com$`,
        path: "^(?<path>/(?:episode|podcast|show|user)/[^/]+(?:/[^/]+)?)/?$",
        ask: oembed("https://api.spreaker.com/oembed?url=https%3A%2F%2Fwww.spreaker.com{path}"),
      },
    ],
    canary: [
      "https://www.spreaker.com/episode/grunge-music-origins-the-raw-sound-that-defined-a-generation--60269615",
    ],
  },
  {
    id: "acast",
    name: "Acast",
    hosts: ["acast.com"],
    confidence: "L",
    kinds: [
      {
        kind: "play",
        path: "^/s/(?<show>[^/]+)/(?<episode>[^/]+)/?$",
        ask: oembed(
          "https://oembed.acast.com/v1/embed-player?url=https%3A%2F%2Fplay.acast.com%2Fs%2F{show}%2F{episode}",
        ),
      },
      {
        kind: "episode",
        path: "^/(?<show>[^/]+)/episodes/(?<episode>[^/]+)/?$",
        ask: oembed(
          // The endpoint may know the episode under another name.
          "https://oembed.acast.com/v1/embed-player?url=https%3A%2F%2Fplay.acast.com%2Fs%2F{show}%2F{episode}",
          ...PAGE_AGREES,
        ),
      },
    ],
    canary: [
      "https://play.acast.com/s/go-off-sis/keepthatsameenergyfeat.kekepalmer",
      "https://shows.acast.com/sparpodcast/episodes/2.raggarmordet-rosterurdetforflutna",
    ],
  },
];
