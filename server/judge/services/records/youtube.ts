import { type Ask, dead, type Kind, means, type Page, type Rule, type Service } from "../record.ts";

/** The first cookie avoids the cookie consent page in Europe; the second sets the language of the markers. */
const YOUTUBE_COOKIES = { Cookie: "SOCS=CAI; PREF=hl=en" };

/** The player's status on a watch page. `words` must come before the title, which may contain anything. */
const playability = (statuses: string, words = "") =>
  String.raw`"playabilityStatus"\s*:\s*\{\s*"status"\s*:\s*"(?:${statuses})"` +
  (words && `(?:(?!"(?:videoDetails|microformat)")[^]){0,1500}?(?:${words})`);

const YOUTUBE_VIDEO: { ask: Ask[]; page: Page } = {
  ask: [
    {
      url: "https://www.youtube.com/oembed?format=json&url=https%3A%2F%2Fwww.youtube.com%2Fwatch%3Fv%3D{id}",
      rules: [
        // A title is required, since private videos once had status 200 and the body "Forbidden".
        means("ok_service", { status: 200, json: { title: { empty: false } } }),
        // The video exists, but must not be embedded.
        means("ok_service", { status: 401 }),
        means("service_private", { status: 403 }),
        means("next", { status: [400, 404] }),
      ],
    },
    {
      // A 404 has a picture in its body, too.
      url: "https://i.ytimg.com/vi/{id}/0.jpg",
      rules: [dead("service_not_found", "C2", { status: 404 }), means("page", { status: 200 })],
    },
  ],
  page: {
    url: "https://www.youtube.com/watch?v={id}",
    headers: YOUTUBE_COOKIES,
    rules: [
      means("bot_challenge", {
        matches: playability("LOGIN_REQUIRED", "confirm you.{1,6}re not a bot"),
      }),
      means("service_rate_limited", {
        matches: playability("ERROR|UNPLAYABLE", "isn.{1,6}t available, try again later"),
      }),
      dead("service_account_gone", "C1", {
        matches: playability(
          "ERROR|UNPLAYABLE",
          "account associated with this video has been|uploader has closed their YouTube account",
        ),
      }),
      dead("service_takedown", "C1", {
        matches: playability(
          "ERROR|UNPLAYABLE",
          "no longer available due to a copyright claim|removed for violating|its content violated",
        ),
      }),
      dead("service_deleted", "C1", {
        matches: playability("ERROR", "This video has been removed"),
      }),
      means("service_private", {
        matches: playability("LOGIN_REQUIRED", "private video|video is private"),
      }),
      means("ok_service_protected", {
        matches: playability("LOGIN_REQUIRED", "confirm your age|inappropriate"),
      }),
      means("ok_service_protected", {
        matches: playability("AGE_CHECK_REQUIRED|AGE_VERIFICATION_REQUIRED|CONTENT_CHECK_REQUIRED"),
      }),
      means("login_required", { matches: playability("LOGIN_REQUIRED") }),
      means("geo_blocked", {
        matches: playability("UNPLAYABLE", "in your country|blocked it on copyright grounds"),
      }),
      means("ok_service_protected", {
        matches: playability("UNPLAYABLE", "channel.{1,6}s members|members-only|Premium|payment"),
      }),
      means("ok_service", { matches: playability("OK|LIVE_STREAM_OFFLINE") }),
      dead("service_not_found", "C2", { matches: playability("ERROR") }),
    ],
    needsMarker: true,
  },
};

/** The message above the empty page of a channel or playlist. */
const youtubeAlert = (words: string) =>
  String.raw`"alertRenderer"\s*:\s*\{\s*"type"\s*:\s*"ERROR"[^]{0,200}?(?:${words})`;

/** Missing items may redirect to the home page. */
const YOUTUBE_HOME: Rule[] = [
  dead("service_not_found", "C2", { url: String.raw`^https://www\.youtube\.com/?(?:\?|$)` }),
  dead("service_not_found", "C2", { matches: String.raw`"tabIdentifier"\s*:\s*"FEwhat_to_watch"` }),
];

const youtubeChannel = (url: string): Page => ({
  url,
  headers: YOUTUBE_COOKIES,
  rules: [
    dead("service_account_gone", "C1", {
      matches: youtubeAlert("account has been terminated|channel was removed because it violated"),
    }),
    dead("service_not_found", "C2", { matches: youtubeAlert("channel does not exist") }),
    means("geo_blocked", { matches: youtubeAlert("not available in your country") }),
    ...YOUTUBE_HOME,
    means("ok_service", { text: `"channelMetadataRenderer"` }),
  ],
  needsMarker: true,
});

const YOUTUBE: Kind[] = [
  {
    kind: "video",
    path: String.raw`^/(?:watch|movie)(?:_popup)?(?:\.php)?/?$`,
    query: String.raw`(?:^|&)v=(?<id>[\w-]{11})(?:&|$)`,
    ...YOUTUBE_VIDEO,
  },
  {
    kind: "video",
    path: String.raw`^/(?:watch|shorts|embed|live|vi?|e)/(?!videoseries|live_stream)(?<id>[\w-]{11})(?![\w-])`,
    ...YOUTUBE_VIDEO,
  },
  {
    kind: "video",
    host: String.raw`(?:^|\.)youtu\.be$`,
    path: String.raw`^/(?<id>[\w-]{11})(?![\w-])`,
    ...YOUTUBE_VIDEO,
  },
  // YouTube accepts some of these, such as ids with pasted text after them: only the page shows which.
  {
    kind: "odd-video",
    path: "^/watch/?$",
    query: "(?:^|&)v=(?<id>[^&]+)",
    page: YOUTUBE_VIDEO.page,
  },
  {
    kind: "odd-video",
    host: String.raw`(?:^|\.)youtu\.be$`,
    path: "^/(?<id>[^/@]+)/?$",
    page: YOUTUBE_VIDEO.page,
  },
  {
    kind: "playlist",
    path: "^/(?:playlist|watch|embed|embed/videoseries)/?$",
    // Mixes and personal lists look missing to anyone else.
    query: String.raw`(?:^|&)list=(?<id>(?!RD|TL|UL|LL)[\w-]{12,})(?:&|$)`,
    page: {
      url: "https://www.youtube.com/playlist?list={id}",
      headers: YOUTUBE_COOKIES,
      rules: [
        dead("service_not_found", "C2", { matches: youtubeAlert("playlist does not exist") }),
        means("service_private", { matches: youtubeAlert("playlist is private") }),
        ...YOUTUBE_HOME,
        means("ok_service", { text: [`"playlistMetadataRenderer"`, `"playlistHeaderRenderer"`] }),
      ],
      needsMarker: true,
    },
  },
  {
    kind: "channel",
    path: "^/(?<path>(?:channel|c|user)/[^/]+|@[^/]+)(?:/|$)",
    // Passed through unchanged, since some names are not ASCII.
    page: youtubeChannel("https://www.youtube.com/{path|raw}"),
  },
  {
    kind: "channel",
    path: "^/embed/live_stream/?$",
    query: String.raw`(?:^|&)channel=(?<id>UC[\w-]{22})(?:&|$)`,
    page: youtubeChannel("https://www.youtube.com/channel/{id}"),
  },
];

export const YOUTUBE_SERVICES: Service[] = [
  {
    id: "youtube",
    name: "YouTube",
    hosts: [
      "youtube.com",
      "youtu.be",
      "youtube-nocookie.com",
      "youtubekids.com",
      "youtube.googleapis.com",
    ],
    confidence: "H",
    kinds: YOUTUBE,
    canary: [
      "https://www.youtube.com/watch?v=jNQXAC9IVRw",
      "https://www.youtube.com/channel/UCTwECeGqMZee77BjdoYtI2Q",
    ],
  },
];
