import { challenge, file, json, page, text, to } from "./played-web.ts";
import { tellOf } from "./told.ts";

const titled = (title: string, rest = "", status = 200) =>
  page(
    `<!DOCTYPE html><html lang="en"><head><title>${title}</title></head><body>${rest}</body></html>`,
    status,
  );

const withData = (title: string, name: string, data: unknown) =>
  titled(title, `<div id="content"></div><script>var ${name} = ${JSON.stringify(data)};</script>`);

const missing = () => titled("Not found", "<h1>404</h1><p>There is nothing here.</p>", 404);
const video = (title = "A video") => json({ type: "video", version: "1.0", title });

const ZOO = "https://www.youtube.com/watch?v=jNQXAC9IVRw";
const ZOO_OEMBED =
  "GET https://www.youtube.com/oembed?format=json&url=https%3A%2F%2Fwww.youtube.com%2Fwatch%3Fv%3DjNQXAC9IVRw";
const ZOO_THUMB = "GET https://i.ytimg.com/vi/jNQXAC9IVRw/0.jpg";
const YT_OEMBED = "www.youtube.com/oembed";
const YT_THUMB = "i.ytimg.com/vi/jNQXAC9IVRw/0.jpg";
const YT_COOKIES = { cookie: "SOCS=CAI; PREF=hl=en" };

/** A watch page as YouTube sends it, as far as its player is concerned. */
const watch = (playabilityStatus: object, title = "Me at the zoo") =>
  withData(`${title} - YouTube`, "ytInitialPlayerResponse", {
    responseContext: { mainAppWebResponseContext: { loggedOut: true } },
    playabilityStatus,
    videoDetails: { videoId: "jNQXAC9IVRw", title, shortDescription: title },
  });

const errorScreen = (subreason: string) => ({
  errorScreen: {
    playerErrorMessageRenderer: {
      subreason: { runs: [{ text: subreason }] },
      reason: { simpleText: "Video unavailable" },
      thumbnail: { thumbnails: [{ url: "//s.ytimg.com/yts/img/meh.png", width: 140 }] },
    },
  },
});

const unavailable = (subreason: string, status = "ERROR") =>
  watch({ status, reason: "Video unavailable", ...errorScreen(subreason) });

/** One row for what the watch page says after the oEmbed endpoint was of no use. */
const watched = (what: string, answer: Response, seen: string) => ({
  what,
  url: ZOO,
  web: { [YT_OEMBED]: 500, "www.youtube.com/watch": answer },
  seen,
});

const OLD_NEWS = "https://www.youtube.com/channel/UCTwECeGqMZee77BjdoYtI2Q";
const LIST = "https://www.youtube.com/playlist?list=PLt5yu3-wZAlSLRHmI1qNm0wjyVNWw1pCU";

const browsed = (data: object) => withData("YouTube", "ytInitialData", data);
const alerted = (words: string) =>
  browsed({ alerts: [{ alertRenderer: { type: "ERROR", text: { simpleText: words } } }] });
const YT_HOME_TAB = { tabRenderer: { selected: true, tabIdentifier: "FEwhat_to_watch" } };
const CHANNEL = { metadata: { channelMetadataRenderer: { title: "Creative Commons" } } };
const PLAYLIST = { metadata: { playlistMetadataRenderer: { title: "A list" } } };

tellOf("youtube", {
  urls: [
    ZOO,
    "https://youtu.be/jNQXAC9IVRw?si=abc",
    "https://m.youtube.com/shorts/jNQXAC9IVRw",
    "https://MUSIC.YouTube.com/watch?v=jNQXAC9IVRw",
    "https://www.youtube-nocookie.com/embed/jNQXAC9IVRw",
    "https://www.youtubekids.com/watch?v=jNQXAC9IVRw",
    "https://youtube.googleapis.com/v/jNQXAC9IVRw",
    "https://www.youtube.com/@YouTube",
  ],
  rows: [
    {
      what: "a video",
      url: ZOO,
      web: { [YT_OEMBED]: video("Me at the zoo") },
      seen: "active ok_service",
      asked: [ZOO_OEMBED],
    },
    ...[
      "http://youtube.com/watch?app=desktop&v=jNQXAC9IVRw&t=3s",
      "https://www.youtube.com/watch/jNQXAC9IVRw",
      "https://youtu.be/jNQXAC9IVRw?si=abc",
      "https://youtu.be/watch?v=jNQXAC9IVRw",
      "https://m.youtube.com/shorts/jNQXAC9IVRw",
      "https://www.youtube.com/live/jNQXAC9IVRw?feature=share",
      "https://www.youtube-nocookie.com/embed/jNQXAC9IVRw?rel=0",
      "https://youtube.googleapis.com/v/jNQXAC9IVRw&hl=en&fs=1",
      "https://www.youtube.com/e/jNQXAC9IVRw",
      "https://music.youtube.com/watch?v=jNQXAC9IVRw&list=RDAMVMjNQXAC9IVRw",
    ].map((url) => ({
      what: `a video at ${url}`,
      url,
      web: { [YT_OEMBED]: video("Me at the zoo") },
      seen: "active ok_service",
      asked: [ZOO_OEMBED],
    })),
    {
      what: "a video that may not be embedded",
      url: ZOO,
      web: { [YT_OEMBED]: text("Unauthorized", 401) },
      seen: "active ok_service",
    },
    {
      what: "a private video",
      url: ZOO,
      web: { [YT_OEMBED]: text("Forbidden", 403) },
      seen: "unknown service_private",
    },
    {
      what: "gone, and so is its picture",
      url: ZOO,
      web: { [YT_OEMBED]: text("Not Found", 404), [YT_THUMB]: file("image/jpeg", 404) },
      seen: "dead service_not_found C2",
      asked: [ZOO_OEMBED, ZOO_THUMB],
    },
    {
      what: "an id that YouTube does not take, without a picture",
      url: ZOO,
      web: { [YT_OEMBED]: text("Bad Request", 400), [YT_THUMB]: file("image/jpeg", 404) },
      seen: "dead service_not_found C2",
    },
    {
      what: "said to be gone, while its picture is there and its page shows it",
      url: ZOO,
      web: {
        [YT_OEMBED]: text("Not Found", 404),
        [YT_THUMB]: file("image/jpeg"),
        "www.youtube.com/watch?v=jNQXAC9IVRw": watch({ status: "OK" }),
      },
      seen: "active ok_service",
      asked: [ZOO_OEMBED, ZOO_THUMB, `GET ${ZOO}`],
    },
    {
      what: "said to be gone, while its picture is there and its page says so, too",
      url: ZOO,
      web: {
        [YT_OEMBED]: text("Not Found", 404),
        [YT_THUMB]: file("image/jpeg"),
        "www.youtube.com/watch": unavailable("This video isn't available anymore"),
      },
      seen: "dead service_not_found C2",
    },
    {
      what: "said to be gone, while its picture is there and its page tells nothing",
      url: ZOO,
      web: {
        [YT_OEMBED]: text("Not Found", 404),
        [YT_THUMB]: file("image/jpeg"),
        "www.youtube.com/watch": titled("YouTube", "<p>About Press Copyright</p>"),
      },
      seen: "unknown service_unrecognised",
    },
    {
      what: "said to be gone, while nobody answers for its picture",
      url: ZOO,
      web: {
        [YT_OEMBED]: text("Not Found", 404),
        [YT_THUMB]: file("image/jpeg", 503),
        "www.youtube.com/watch": titled("YouTube"),
      },
      seen: "unknown service_probe_failed",
    },
    {
      what: "200 with the word Forbidden, and the page of a private video",
      url: ZOO,
      web: {
        [YT_OEMBED]: text("Forbidden"),
        "www.youtube.com/watch": watch({
          status: "LOGIN_REQUIRED",
          reason: "This video is private",
          messages: ["This is a private video. Please sign in to verify that you may see it."],
        }),
      },
      seen: "unknown service_private",
    },
    {
      what: "an answer without a title",
      url: ZOO,
      web: {
        [YT_OEMBED]: json({ type: "video", title: "" }),
        "www.youtube.com/watch": titled("YouTube"),
      },
      seen: "unknown service_probe_failed",
    },
    {
      what: "too many questions",
      url: ZOO,
      web: { [YT_OEMBED]: text("Too Many Requests", 429) },
      seen: "unknown service_rate_limited",
    },
    {
      what: "a wall, and a page that tells nothing",
      url: ZOO,
      web: { [YT_OEMBED]: challenge(), "www.youtube.com/watch": titled("A page") },
      seen: "unknown service_probe_failed",
    },
    watched("no oEmbed, and a page that plays", watch({ status: "OK" }), "active ok_service"),
    watched(
      "no oEmbed, and a page whose title speaks of death",
      watch({ status: "OK" }, "This video has been removed for violating YouTube's rules"),
      "active ok_service",
    ),
    watched(
      "no oEmbed, and a stream that has yet to begin",
      watch({ status: "LIVE_STREAM_OFFLINE", reason: "Premieres in 2 hours" }),
      "active ok_service",
    ),
    watched(
      "no oEmbed, and a player that wants no program",
      watch({ status: "LOGIN_REQUIRED", reason: "Sign in to confirm you’re not a bot" }),
      "unknown bot_challenge",
    ),
    watched(
      "no oEmbed, and a player that has enough",
      unavailable("This content isn't available, try again later.", "UNPLAYABLE"),
      "unknown service_rate_limited",
    ),
    watched(
      "no oEmbed, and an account that was terminated",
      unavailable(
        "This video is no longer available because the YouTube account associated with this video has been terminated.",
      ),
      "dead service_account_gone C1",
    ),
    watched(
      "no oEmbed, and an account that was closed",
      unavailable(
        "This video is no longer available because the uploader has closed their YouTube account.",
      ),
      "dead service_account_gone C1",
    ),
    watched(
      "no oEmbed, and a claim of copyright",
      unavailable(
        "This video is no longer available due to a copyright claim by Somebody",
        "UNPLAYABLE",
      ),
      "dead service_takedown C1",
    ),
    watched(
      "no oEmbed, and a violation",
      unavailable("This video has been removed for violating YouTube's policy on hate speech."),
      "dead service_takedown C1",
    ),
    watched(
      "no oEmbed, and content that violated",
      unavailable(
        "This video has been removed because its content violated YouTube's Terms of Service.",
      ),
      "dead service_takedown C1",
    ),
    watched(
      "no oEmbed, and a video that its uploader removed",
      unavailable("This video has been removed by the uploader"),
      "dead service_deleted C1",
    ),
    watched(
      "no oEmbed, and an age to be confirmed",
      watch({ status: "LOGIN_REQUIRED", reason: "Sign in to confirm your age" }),
      "active ok_service_protected",
    ),
    watched(
      "no oEmbed, and an age to be verified",
      watch({ status: "AGE_VERIFICATION_REQUIRED", reason: "Age-restricted" }),
      "active ok_service_protected",
    ),
    watched(
      "no oEmbed, and some other sign-in",
      watch({ status: "LOGIN_REQUIRED", reason: "Please sign in" }),
      "unknown login_required",
    ),
    watched(
      "no oEmbed, and a country where it is not shown",
      watch({
        status: "UNPLAYABLE",
        reason: "The uploader has not made this video available in your country",
      }),
      "unknown geo_blocked",
    ),
    watched(
      "no oEmbed, and a video for members",
      watch({
        status: "UNPLAYABLE",
        reason: "This video is available to this channel's members on level: Gold",
      }),
      "active ok_service_protected",
    ),
    watched(
      "no oEmbed, and a microformat that speaks of death where a reason would",
      withData("YouTube", "ytInitialPlayerResponse", {
        playabilityStatus: { status: "ERROR", reason: "Something is wrong" },
        microformat: { title: { simpleText: "This video has been removed for violating rules" } },
        videoDetails: { videoId: "jNQXAC9IVRw" },
      }),
      "dead service_not_found C2",
    ),
    watched(
      "no oEmbed, and a video that is not played for a reason nobody knows",
      watch({ status: "UNPLAYABLE", reason: "The stream has ended" }, "Bread in your country"),
      "unknown service_probe_failed",
    ),
    {
      what: "no oEmbed, and a page about consent",
      url: ZOO,
      web: {
        [YT_OEMBED]: 500,
        "www.youtube.com/watch": to(
          "https://consent.youtube.com/m?continue=https%3A%2F%2Fwww.youtube.com%2F",
        ),
        "consent.youtube.com/m": titled("Before you continue to YouTube"),
      },
      seen: "unknown consent_wall",
    },
    {
      what: "an id with something behind it that YouTube forgives",
      url: "https://www.youtube.com/watch?v=jNQXAC9IVRw?t=30",
      web: { "www.youtube.com/watch?v=jNQXAC9IVRw%3Ft%3D30": watch({ status: "OK" }) },
      seen: "active ok_service",
      asked: ["GET https://www.youtube.com/watch?v=jNQXAC9IVRw%3Ft%3D30"],
      headers: YT_COOKIES,
    },
    {
      what: "an odd id and a page that tells nothing",
      url: "https://www.youtube.com/watch?v=jNQXAC9IVRw?t=30",
      web: { "www.youtube.com/watch": titled("YouTube") },
      seen: "unknown service_unrecognised",
    },
    {
      what: "a short address with half an id",
      url: "https://youtu.be/jNQXAC9",
      web: { "www.youtube.com/watch": unavailable("This video isn't available anymore") },
      seen: "dead service_not_found C2",
      asked: ["GET https://www.youtube.com/watch?v=jNQXAC9"],
    },
    {
      what: "a channel",
      url: `${OLD_NEWS}/videos`,
      web: { "www.youtube.com/channel/UCTwECeGqMZee77BjdoYtI2Q": browsed(CHANNEL) },
      seen: "active ok_service",
      asked: [`GET ${OLD_NEWS}`],
      headers: YT_COOKIES,
    },
    {
      what: "a handle in other letters",
      url: "https://m.youtube.com/@%D0%BD%D0%BE%D0%B2%D0%BE/featured",
      web: { "www.youtube.com/@%D0%BD%D0%BE%D0%B2%D0%BE": browsed(CHANNEL) },
      seen: "active ok_service",
    },
    {
      what: "a channel by its old name",
      url: "https://www.youtube.com/c/CreativeCommons",
      web: { "www.youtube.com/c/CreativeCommons": browsed(CHANNEL) },
      seen: "active ok_service",
    },
    {
      what: "a channel's stream that is embedded",
      url: "https://www.youtube.com/embed/live_stream?channel=UCTwECeGqMZee77BjdoYtI2Q",
      web: { "www.youtube.com/channel/UCTwECeGqMZee77BjdoYtI2Q": browsed(CHANNEL) },
      seen: "active ok_service",
      asked: [`GET ${OLD_NEWS}`],
    },
    {
      what: "a name that nobody has",
      url: "https://www.youtube.com/@nobody-has-this",
      web: { "www.youtube.com/@nobody-has-this": missing() },
      seen: "dead http_404 C2",
    },
    {
      what: "a channel that was terminated",
      url: OLD_NEWS,
      web: {
        "www.youtube.com/channel/UCTwECeGqMZee77BjdoYtI2Q": alerted(
          "This account has been terminated for a violation of YouTube's Terms of Service.",
        ),
      },
      seen: "dead service_account_gone C1",
    },
    {
      what: "a channel that was removed",
      url: OLD_NEWS,
      web: {
        "www.youtube.com/channel/UCTwECeGqMZee77BjdoYtI2Q": alerted(
          "This channel was removed because it violated our Community Guidelines.",
        ),
      },
      seen: "dead service_account_gone C1",
    },
    {
      what: "a channel that does not exist",
      url: OLD_NEWS,
      web: {
        "www.youtube.com/channel/UCTwECeGqMZee77BjdoYtI2Q": alerted("This channel does not exist."),
      },
      seen: "dead service_not_found C2",
    },
    {
      what: "a channel that is not for this country",
      url: OLD_NEWS,
      web: {
        "www.youtube.com/channel/UCTwECeGqMZee77BjdoYtI2Q": alerted(
          "This channel is not available in your country.",
        ),
      },
      seen: "unknown geo_blocked",
    },
    {
      what: "a channel that leads to the home page",
      url: "https://www.youtube.com/user/nobody",
      web: {
        "www.youtube.com/user/nobody": to("https://www.youtube.com/"),
        "www.youtube.com/": browsed({ contents: {} }),
      },
      seen: "dead service_not_found C2",
    },
    {
      what: "a channel in whose place the home page is shown",
      url: "https://www.youtube.com/user/nobody",
      web: { "www.youtube.com/user/nobody": browsed({ contents: { tabs: [YT_HOME_TAB] } }) },
      seen: "dead service_not_found C2",
    },
    {
      what: "a channel behind a page about consent",
      url: OLD_NEWS,
      web: {
        "www.youtube.com/channel/UCTwECeGqMZee77BjdoYtI2Q": to(
          "https://consent.youtube.com/m?continue=https%3A%2F%2Fwww.youtube.com%2F",
        ),
        "consent.youtube.com/m": titled("Before you continue to YouTube"),
      },
      seen: "unknown consent_wall",
    },
    {
      what: "a channel's page that tells nothing",
      url: OLD_NEWS,
      web: { "www.youtube.com/channel/UCTwECeGqMZee77BjdoYtI2Q": browsed({ contents: {} }) },
      seen: "unknown service_unrecognised",
    },
    {
      what: "a playlist",
      url: LIST,
      web: { "www.youtube.com/playlist": browsed(PLAYLIST) },
      seen: "active ok_service",
      asked: [`GET ${LIST}`],
      headers: YT_COOKIES,
    },
    {
      what: "a playlist that is embedded",
      url: "https://www.youtube-nocookie.com/embed/videoseries?list=PLt5yu3-wZAlSLRHmI1qNm0wjyVNWw1pCU",
      web: { "www.youtube.com/playlist": browsed(PLAYLIST) },
      seen: "active ok_service",
      asked: [`GET ${LIST}`],
    },
    {
      what: "a playlist with a header only",
      url: LIST,
      web: { "www.youtube.com/playlist": browsed({ header: { playlistHeaderRenderer: {} } }) },
      seen: "active ok_service",
    },
    {
      what: "a playlist that leads to the home page",
      url: LIST,
      web: {
        "www.youtube.com/playlist": to("https://www.youtube.com/?hl=en"),
        "www.youtube.com/": browsed({ contents: {} }),
      },
      seen: "dead service_not_found C2",
    },
    {
      what: "a playlist that does not exist",
      url: LIST,
      web: { "www.youtube.com/playlist": alerted("The playlist does not exist.") },
      seen: "dead service_not_found C2",
    },
    {
      what: "a private playlist",
      url: LIST,
      web: { "www.youtube.com/playlist": alerted("This playlist is private.") },
      seen: "unknown service_private",
    },
    {
      what: "a playlist in whose place the home page is shown",
      url: LIST,
      web: { "www.youtube.com/playlist": browsed({ contents: { tabs: [YT_HOME_TAB] } }) },
      seen: "dead service_not_found C2",
    },
    {
      what: "a kind of playlist that cannot be viewed",
      url: LIST,
      web: { "www.youtube.com/playlist": alerted("This playlist type is unviewable.") },
      seen: "unknown service_unrecognised",
    },
    {
      what: "a list of one's own, of which nothing special is known",
      url: "https://www.youtube.com/playlist?list=LLTwECeGqMZee77BjdoYtI2Q",
      web: { "www.youtube.com/playlist": alerted("The playlist does not exist.") },
      seen: "active ok",
    },
  ],
});

const VIMEO = "https://vimeo.com/76979871";
const VIMEO_OEMBED = "vimeo.com/api/oembed.json";
const VIMEO_PAGE = "vimeo.com/76979871";

tellOf("vimeo", {
  urls: [
    VIMEO,
    "https://player.vimeo.com/video/76979871?h=abc",
    "https://WWW.Vimeo.com/channels/staffpicks/143603739",
  ],
  rows: [
    {
      what: "a video",
      url: VIMEO,
      web: { [VIMEO_OEMBED]: video() },
      seen: "active ok_service",
      asked: ["GET https://vimeo.com/api/oembed.json?url=https%3A%2F%2Fvimeo.com%2F76979871"],
    },
    ...[
      "https://vimeo.com/581039021/9603038895",
      "https://vimeo.com/channels/tributes/6213729",
      "https://vimeo.com/groups/travelhd/videos/22439234",
      "https://vimeo.com/showcase/3253534/video/119195465",
      "https://vimeo.com/ondemand/thelastcolony/150274832",
      "https://player.vimeo.com/video/98044508?h=0",
    ].map((url) => ({
      what: `a video at ${url}`,
      url,
      web: { [VIMEO_OEMBED]: video() },
      seen: "active ok_service",
      asked: [`GET https://vimeo.com/api/oembed.json?url=${encodeURIComponent(url)}`],
    })),
    {
      what: "private",
      url: VIMEO,
      web: { [VIMEO_OEMBED]: json({ error: "Forbidden" }, 403) },
      seen: "unknown service_private",
    },
    {
      what: "gone",
      url: VIMEO,
      web: { [VIMEO_OEMBED]: json({}, 404), [VIMEO_PAGE]: missing() },
      seen: "dead http_404 C2",
      asked: [
        "GET https://vimeo.com/api/oembed.json?url=https%3A%2F%2Fvimeo.com%2F76979871",
        `GET ${VIMEO}`,
      ],
    },
    {
      what: "gone for good",
      url: VIMEO,
      web: { [VIMEO_OEMBED]: json({}, 410), [VIMEO_PAGE]: 410 },
      seen: "dead http_410 C1",
    },
    {
      what: "said to be gone, while the page says so in its header",
      url: VIMEO,
      web: {
        [VIMEO_OEMBED]: json({}, 404),
        [VIMEO_PAGE]: titled(
          "VimeUhOh",
          `<h1 class="exception_header">Sorry, we couldn’t find that page</h1>`,
        ),
      },
      seen: "dead service_not_found C2",
    },
    {
      what: "said to be gone, while the page is there",
      url: VIMEO,
      web: {
        [VIMEO_OEMBED]: json({}, 404),
        [VIMEO_PAGE]: titled("The New Vimeo Player (You Know, For Videos) on Vimeo"),
      },
      seen: "active ok_service",
    },
    {
      what: "said to be gone, while its page only turns up here and there",
      url: "https://player.vimeo.com/video/98044508",
      web: {
        [VIMEO_OEMBED]: json({}, 404),
        "player.vimeo.com/video/98044508": titled(
          "Sorry",
          `<h1 class="exception_header">Sorry</h1><p>Because of its privacy settings, this video cannot be played here.</p>`,
          403,
        ),
      },
      seen: "unknown service_private",
    },
    {
      what: "said to be gone, while the page calls it private",
      url: VIMEO,
      web: { [VIMEO_OEMBED]: json({}, 404), [VIMEO_PAGE]: titled("Private Video on Vimeo") },
      seen: "unknown service_private",
    },
    {
      what: "said to be gone, while the page wants a password",
      url: VIMEO,
      web: {
        [VIMEO_OEMBED]: json({}, 404),
        [VIMEO_PAGE]: titled(
          "Private Video on Vimeo",
          `<form id="pw_form" method="post"><input type="password" name="password"></form>`,
        ),
      },
      seen: "active ok_service_protected",
    },
    {
      what: "a page that asks for some minutes",
      url: VIMEO,
      web: {
        [VIMEO_OEMBED]: 500,
        // In another language without the cookie.
        [VIMEO_PAGE]: (request) =>
          request.headers.get("Cookie") === "language=en"
            ? titled("Vimeo", "<p>Please try again in a few minutes.</p>")
            : titled("Vimeo", "<p>Veuillez réessayer dans quelques minutes.</p>"),
      },
      seen: "unknown service_unavailable",
    },
    {
      what: "said to be gone, while the page tells nothing",
      url: VIMEO,
      web: { [VIMEO_OEMBED]: json({}, 404), [VIMEO_PAGE]: titled("Vimeo", "<p>Watch</p>") },
      seen: "unknown service_unrecognised",
    },
    {
      what: "no use, and neither is the page",
      url: VIMEO,
      web: { [VIMEO_OEMBED]: challenge(), [VIMEO_PAGE]: titled("Vimeo", "<p>Watch</p>") },
      seen: "unknown service_probe_failed",
    },
    {
      what: "no use, and the page is gone",
      url: VIMEO,
      web: { [VIMEO_OEMBED]: titled("Oops"), [VIMEO_PAGE]: missing() },
      seen: "dead http_404 C2",
    },
  ],
});

const DAILYMOTION = "https://www.dailymotion.com/video/x2jvvep";
const DM_API = "api.dailymotion.com/video/x2jvvep";
const DM_ASKED =
  "GET https://api.dailymotion.com/video/x2jvvep?fields=id,status,access_error,title";
const dmVideo = (fields: object) =>
  json({ id: "x2jvvep", title: "A video", access_error: null, ...fields });
const dmRefused = (code: string) =>
  dmVideo({ status: "published", access_error: { code, title: "It is not shown" } });
const dmError = (code: number, reason: string) =>
  json({ error: { code, message: "It is not there", error_data: { reason } } }, code);

tellOf("dailymotion", {
  urls: [DAILYMOTION, "https://dai.ly/x2jvvep", "https://GEO.dailymotion.com/player.html?video=x"],
  rows: [
    {
      what: "a video",
      url: DAILYMOTION,
      web: { [DM_API]: dmVideo({ status: "published" }) },
      seen: "active ok_service",
      asked: [DM_ASKED],
    },
    ...[
      "https://dai.ly/x2jvvep",
      "https://www.dailymotion.com/embed/video/x2jvvep?autoplay=1",
      "https://www.dailymotion.com/fr/video/x2jvvep_a-title-of-old",
      "https://geo.dailymotion.com/player/x86gw.html?mute=true&video=x2jvvep",
    ].map((url) => ({
      what: `a video at ${url}`,
      url,
      web: { [DM_API]: dmVideo({ status: "ready" }) },
      seen: "active ok_service",
      asked: [DM_ASKED],
    })),
    {
      what: "not there",
      url: DAILYMOTION,
      web: { [DM_API]: dmError(404, "object_not_found") },
      seen: "dead service_not_found C2",
    },
    {
      what: "forbidden",
      url: DAILYMOTION,
      web: { [DM_API]: dmError(403, "access_forbidden") },
      seen: "unknown service_private",
    },
    {
      what: "behind a password",
      url: DAILYMOTION,
      web: { [DM_API]: dmError(403, "video_password_protected") },
      seen: "active ok_service_protected",
    },
    {
      what: "deleted",
      url: DAILYMOTION,
      web: { [DM_API]: dmRefused("DM002") },
      seen: "dead service_deleted C2",
    },
    {
      what: "taken down",
      url: DAILYMOTION,
      web: { [DM_API]: dmRefused("DM005") },
      seen: "dead service_takedown C2",
    },
    {
      what: "not for this country",
      url: DAILYMOTION,
      web: { [DM_API]: dmRefused("DM007") },
      seen: "unknown geo_blocked",
    },
    ...["DM002", null, undefined].map((code) => ({
      what: `not for this country, in words, with code ${code}`,
      url: DAILYMOTION,
      web: {
        [DM_API]: dmVideo({
          status: "published",
          access_error: { code, title: "Video geo-restricted by the owner." },
        }),
      },
      seen: "unknown geo_blocked",
    })),
    {
      what: "private",
      url: DAILYMOTION,
      web: { [DM_API]: dmRefused("DM010") },
      seen: "unknown service_private",
    },
    {
      what: "being published",
      url: DAILYMOTION,
      web: { [DM_API]: dmRefused("DM006") },
      seen: "unknown service_processing",
    },
    {
      what: "explicit",
      url: DAILYMOTION,
      web: { [DM_API]: dmRefused("DM008") },
      seen: "active ok_service_protected",
    },
    {
      what: "refused for another reason",
      url: DAILYMOTION,
      web: { [DM_API]: dmRefused("DM013") },
      seen: "dead service_not_found C2",
    },
    {
      what: "still processed",
      url: DAILYMOTION,
      web: { [DM_API]: dmVideo({ status: "processing" }) },
      seen: "unknown service_processing",
    },
    {
      what: "no use, and a page that is gone",
      url: DAILYMOTION,
      web: { [DM_API]: 500, "www.dailymotion.com/video/x2jvvep": missing() },
      seen: "dead http_404 C2",
    },
    {
      what: "a wall, and a page that tells nothing",
      url: DAILYMOTION,
      web: { [DM_API]: challenge(), "www.dailymotion.com/video/x2jvvep": titled("Dailymotion") },
      seen: "unknown service_probe_failed",
    },
  ],
});

const TWITCH = "https://www.twitch.tv/twitch";
const twitchPage = () =>
  titled("Twitch", `<div id="root"></div><script src="/assets/core.js"></script>`);

tellOf("twitch", {
  urls: [TWITCH, "https://clips.twitch.tv/FaintLightGullWholeWheat", "https://M.Twitch.tv/twitch"],
  rows: [
    {
      what: "a channel, whose page says nothing",
      url: TWITCH,
      web: { "www.twitch.tv/twitch": twitchPage() },
      seen: "unknown service_unrecognised",
      asked: [`GET ${TWITCH}`],
    },
    {
      what: "a video, whose page says nothing",
      url: "https://www.twitch.tv/videos/6528877",
      web: { "www.twitch.tv/videos/6528877": twitchPage() },
      seen: "unknown service_unrecognised",
    },
    {
      what: "a clip, whose page says nothing",
      url: "https://clips.twitch.tv/FaintLightGullWholeWheat",
      web: { "clips.twitch.tv/FaintLightGullWholeWheat": twitchPage() },
      seen: "unknown service_unrecognised",
    },
    {
      what: "a clip of a channel, whose page says nothing",
      url: "https://www.twitch.tv/twitch/clip/FaintLightGullWholeWheat",
      web: { "www.twitch.tv/twitch/clip/FaintLightGullWholeWheat": twitchPage() },
      seen: "unknown service_unrecognised",
    },
    {
      what: "a page of Twitch itself",
      url: "https://www.twitch.tv/directory",
      web: { "www.twitch.tv/directory": twitchPage() },
      seen: "active ok",
    },
    ...[
      TWITCH,
      "https://www.twitch.tv/videos/6528877",
      "https://clips.twitch.tv/FaintLightGullWholeWheat",
      "https://www.twitch.tv/twitch/clip/FaintLightGullWholeWheat",
    ].map((url) => ({
      what: `not found at ${url}, which proves nothing`,
      url,
      web: { [url.replace("https://", "")]: missing() },
      seen: "unknown service_unrecognised",
    })),
    {
      what: "gone for good, which proves nothing either",
      url: TWITCH,
      web: { "www.twitch.tv/twitch": 410 },
      seen: "unknown service_unrecognised",
    },
    {
      what: "a server in trouble",
      url: TWITCH,
      web: { "www.twitch.tv/twitch": 500 },
      seen: "unknown http_500",
    },
    {
      what: "a wall",
      url: TWITCH,
      web: { "www.twitch.tv/twitch": challenge() },
      seen: "unknown bot_challenge",
    },
  ],
});

const TIKTOK = "https://www.tiktok.com/@scout2015/video/6718335390845095173";
const TT_OEMBED = "www.tiktok.com/oembed";
const TT_PAGE = "www.tiktok.com/@scout2015/video/6718335390845095173";
const TT_ASKED =
  "GET https://www.tiktok.com/oembed?url=https%3A%2F%2Fwww.tiktok.com%2F@scout2015%2Fvideo%2F6718335390845095173";

const tiktok = (detail: object) =>
  titled(
    "TikTok - Make Your Day",
    `<div id="app"></div><script id="__UNIVERSAL_DATA_FOR_REHYDRATION__" type="application/json">${JSON.stringify(
      { __DEFAULT_SCOPE__: { "webapp.video-detail": detail } },
    )}</script>`,
  );
const ttItem = (fields: object = {}) =>
  tiktok({ itemInfo: { itemStruct: { id: "6718335390845095173", ...fields } }, statusCode: 0 });
const ttWrong = (code = 400) => json({ code, message: "Something went wrong" }, code);

tellOf("tiktok", {
  urls: [
    TIKTOK,
    "https://vm.tiktok.com/ZTRC5xgJp/",
    "https://VT.TikTok.com/ZTRC5xgJp/",
    "https://www.tiktokv.com/share/video/7668090902816017671/",
  ],
  rows: [
    {
      what: "a video",
      url: `${TIKTOK}?lang=en`,
      web: { [TT_OEMBED]: video() },
      seen: "active ok_service",
      asked: [TT_ASKED],
    },
    {
      what: "a short address of a video",
      url: "https://vm.tiktok.com/ZTRC5xgJp/",
      web: { "vm.tiktok.com/ZTRC5xgJp/": to(TIKTOK), [TT_PAGE]: ttItem(), [TT_OEMBED]: video() },
      seen: "active ok_service",
      asked: ["GET https://vm.tiktok.com/ZTRC5xgJp/", `GET ${TIKTOK}`, TT_ASKED],
    },
    {
      what: "gone",
      url: TIKTOK,
      web: {
        [TT_OEMBED]: ttWrong(),
        [TT_PAGE]: (request) =>
          request.headers.get("Accept") === "text/html"
            ? tiktok({ statusCode: 10204, statusMsg: "item doesn't exist" })
            : json({}),
      },
      seen: "dead service_not_found C2",
      asked: [TT_ASKED, `GET ${TIKTOK}`],
    },
    {
      what: "gone with its page",
      url: TIKTOK,
      web: { [TT_OEMBED]: ttWrong(404), [TT_PAGE]: missing() },
      seen: "dead service_not_found C2",
    },
    {
      what: "taken down",
      url: TIKTOK,
      web: { [TT_OEMBED]: ttWrong(), [TT_PAGE]: ttItem({ takeDown: 1 }) },
      seen: "dead service_takedown C2",
    },
    {
      what: "private",
      url: TIKTOK,
      web: {
        [TT_OEMBED]: ttWrong(),
        [TT_PAGE]: tiktok({ statusCode: 10216, statusMsg: "author_secret" }),
      },
      seen: "unknown service_private",
    },
    {
      what: "said to be gone, while the page shows it",
      url: TIKTOK,
      web: { [TT_OEMBED]: ttWrong(), [TT_PAGE]: ttItem() },
      seen: "active ok_service",
    },
    {
      what: "said to be gone, while the page tells nothing",
      url: TIKTOK,
      web: { [TT_OEMBED]: ttWrong(), [TT_PAGE]: titled("TikTok") },
      seen: "unknown service_unrecognised",
    },
    {
      what: "another 404, and a page that tells nothing",
      url: TIKTOK,
      web: { [TT_OEMBED]: text("Not Found", 404), [TT_PAGE]: titled("TikTok") },
      seen: "unknown service_unrecognised",
    },
    {
      what: "no use, and a page that says the same to addresses it does not like",
      url: TIKTOK,
      web: {
        [TT_OEMBED]: 500,
        [TT_PAGE]: tiktok({ statusCode: 10204, statusMsg: "item doesn't exist" }),
      },
      seen: "unknown service_probe_failed",
    },
    {
      what: "no use, and the page of a private account",
      url: TIKTOK,
      web: { [TT_OEMBED]: 500, [TT_PAGE]: tiktok({ statusCode: 10222 }) },
      seen: "unknown service_private",
    },
    {
      what: "no use, and a page that was taken down",
      url: TIKTOK,
      web: { [TT_OEMBED]: 500, [TT_PAGE]: ttItem({ takeDown: 1 }) },
      seen: "dead service_takedown C2",
    },
    {
      what: "no use, and the page of a video that is there, beside one that was taken down",
      url: TIKTOK,
      web: {
        [TT_OEMBED]: 500,
        [TT_PAGE]: tiktok({
          itemInfo: { itemStruct: { id: "6718335390845095173", takeDown: 0 } },
          shareMeta: { title: "A video" },
          relatedVideos: [{ id: "1", takeDown: 1 }],
        }),
      },
      seen: "active ok_service",
    },
    ...["shareMeta", "statusCode", "itemList", "relatedVideos"].map((next) => ({
      what: `no use, and something that was taken down in ${next}`,
      url: TIKTOK,
      web: {
        [TT_OEMBED]: 500,
        [TT_PAGE]: tiktok({
          itemInfo: { itemStruct: { id: "6718335390845095173" } },
          [next]: { takeDown: 1 },
        }),
      },
      seen: "active ok_service",
    })),
    {
      what: "no use, and a page for grown-ups",
      url: TIKTOK,
      web: { [TT_OEMBED]: 500, [TT_PAGE]: ttItem({ isContentClassified: true }) },
      seen: "active ok_service_protected",
    },
    {
      what: "a wall, and another",
      url: TIKTOK,
      web: {
        [TT_OEMBED]: challenge(),
        [TT_PAGE]: titled("TikTok", `<div class="verify-wrap"></div>`),
      },
      seen: "unknown bot_challenge",
    },
    {
      what: "a photo",
      url: "https://www.tiktok.com/@scout2015/photo/6718335390845095173",
      web: { "www.tiktok.com/@scout2015/photo/6718335390845095173": ttItem() },
      seen: "active ok_service",
    },
    {
      what: "a photo whose page tells nothing",
      url: "https://www.tiktok.com/@scout2015/photo/6718335390845095173",
      web: { "www.tiktok.com/@scout2015/photo/6718335390845095173": titled("TikTok") },
      seen: "unknown service_unrecognised",
    },
    {
      what: "a photo behind a captcha",
      url: "https://www.tiktok.com/@scout2015/photo/6718335390845095173",
      web: {
        "www.tiktok.com/@scout2015/photo/6718335390845095173": titled(
          "TikTok",
          "<script>var pageDescKey = 'user_verify_page_description';</script>",
        ),
      },
      seen: "unknown bot_challenge",
    },
  ],
});

const BILIBILI = "https://www.bilibili.com/video/BV13x41117TL";
const BB_PAGE = "www.bilibili.com/video/BV13x41117TL/";
const bilibili = (state: object) =>
  titled(
    "bilibili",
    `<div id="app"></div><script>window.__INITIAL_STATE__=${JSON.stringify(state)};(function(){})();</script>`,
  );
const bbVideo = () =>
  bilibili({ aid: 8903802, bvid: "BV13x41117TL", p: 1, videoData: { bvid: "BV13x41117TL" } });
const bbError = (trueCode: number) =>
  bilibili({ error: { httpCode: 404, code: 404, trueCode, message: "啥都木有" }, videoData: {} });

tellOf("bilibili", {
  urls: [BILIBILI, "https://b23.tv/BV13x41117TL", "https://M.bilibili.com/video/av8903802"],
  rows: [
    {
      what: "a video",
      url: BILIBILI,
      web: { [BB_PAGE]: bbVideo() },
      seen: "active ok_service",
      asked: [`GET ${BILIBILI}/`],
    },
    {
      what: "a video by its number, on the site for phones",
      url: "https://m.bilibili.com/video/av8903802?p=1",
      web: { "www.bilibili.com/video/av8903802/": bbVideo() },
      seen: "active ok_service",
      asked: ["GET https://www.bilibili.com/video/av8903802/"],
    },
    {
      what: "gone, or not for this country",
      url: BILIBILI,
      web: { [BB_PAGE]: bbError(-404) },
      seen: "unknown geo_blocked",
    },
    {
      what: "for those who have signed in",
      url: BILIBILI,
      web: { [BB_PAGE]: bbError(-403) },
      seen: "unknown login_required",
    },
    {
      what: "gone with its page",
      url: BILIBILI,
      web: { [BB_PAGE]: missing() },
      seen: "dead http_404 C2",
    },
    {
      what: "a refusal",
      url: BILIBILI,
      web: { [BB_PAGE]: titled("出错啦! - bilibili.com", "<p>412</p>", 412) },
      seen: "unknown bot_challenge",
    },
    {
      what: "a refusal by its code",
      url: BILIBILI,
      web: { [BB_PAGE]: json({ code: -352, message: "-352" }) },
      seen: "unknown bot_challenge",
    },
    {
      what: "a page that tells nothing",
      url: BILIBILI,
      web: { [BB_PAGE]: bilibili({ videoData: {} }) },
      seen: "unknown service_unrecognised",
    },
  ],
});

const NICO = "https://www.nicovideo.jp/watch/sm9";
const NICO_API = "www.nicovideo.jp/api/watch/v3_guest/sm9";
const NICO_ASKED =
  "GET https://www.nicovideo.jp/api/watch/v3_guest/sm9?actionTrackId=AAAAAAAAAA_1700000000000";
const nicoRefused = (errorCode: string, status: number, data: object = {}) =>
  json({ meta: { status, errorCode }, data }, status);
const nicoRow = (what: string, answer: Response, seen: string) => ({
  what,
  url: NICO,
  web: { [NICO_API]: answer },
  seen,
});

tellOf("niconico", {
  urls: [NICO, "https://nico.ms/sm9", "https://SP.nicovideo.jp/watch/sm9"],
  rows: [
    {
      what: "a video",
      url: NICO,
      web: { [NICO_API]: json({ meta: { status: 200 }, data: { video: { id: "sm9" } } }) },
      seen: "active ok_service",
      asked: [NICO_ASKED],
      headers: { "X-Frontend-Id": "6", "X-Frontend-Version": "0" },
    },
    {
      what: "a short address of a video",
      url: "https://nico.ms/sm9",
      web: {
        "nico.ms/sm9": to(NICO),
        "www.nicovideo.jp/watch/sm9": titled("新・豪血寺一族 -煩悩解放"),
        [NICO_API]: json({ meta: { status: 200 }, data: { video: { id: "sm9" } } }),
      },
      seen: "active ok_service",
    },
    nicoRow(
      "deleted",
      nicoRefused("FORBIDDEN", 403, { reasonCode: "DELETED_VIDEO" }),
      "dead service_deleted C1",
    ),
    nicoRow(
      "deleted with its channel",
      nicoRefused("FORBIDDEN", 403, { reasonCode: "DELETED_CHANNEL_VIDEO" }),
      "dead service_account_gone C1",
    ),
    nicoRow(
      "taken down by those who own it",
      nicoRefused("NOT_FOUND", 404, { reasonCode: "RIGHT_HOLDER_DELETE_VIDEO" }),
      "dead service_takedown C1",
    ),
    nicoRow(
      "taken down by those who run the site",
      nicoRefused("FORBIDDEN", 403, { reasonCode: "ADMINISTRATOR_DELETE_VIDEO" }),
      "dead service_takedown C1",
    ),
    nicoRow("not there", nicoRefused("NOT_FOUND", 404), "dead service_not_found C2"),
    nicoRow("no id", nicoRefused("INVALID_PARAMETER", 400), "dead service_not_found C2"),
    nicoRow(
      "hidden",
      nicoRefused("FORBIDDEN", 403, { reasonCode: "HIDDEN_VIDEO" }),
      "unknown service_private",
    ),
    ...["HIDDEN_VIDEO", "NOT_ALLOWED"].map((reasonCode) =>
      nicoRow(
        `${reasonCode}, and not there`,
        nicoRefused("NOT_FOUND", 404, { reasonCode }),
        "unknown service_private",
      ),
    ),
    nicoRow(
      "yet to come",
      nicoRefused("FORBIDDEN", 403, {
        reasonCode: "HIDDEN_VIDEO",
        publishScheduledAt: "2030-02-01T00:00:00+09:00",
      }),
      "unknown service_processing",
    ),
    nicoRow(
      "for Japan",
      nicoRefused("FORBIDDEN", 403, { reasonCode: "DOMESTIC_VIDEO" }),
      "unknown geo_blocked",
    ),
    nicoRow(
      "for members of the channel",
      nicoRefused("FORBIDDEN", 403, { reasonCode: "CHANNEL_MEMBER_ONLY" }),
      "active ok_service_protected",
    ),
    nicoRow(
      "forbidden for a reason nobody knows",
      nicoRefused("FORBIDDEN", 403),
      "unknown service_private",
    ),
    nicoRow("under maintenance", nicoRefused("MAINTENANCE", 503), "unknown service_unavailable"),
    {
      what: "no use, and a page that is gone",
      url: NICO,
      web: { [NICO_API]: 500, "www.nicovideo.jp/watch/sm9": missing() },
      seen: "dead http_404 C2",
    },
    {
      what: "no use, and a page that tells nothing",
      url: NICO,
      web: { [NICO_API]: challenge(), "www.nicovideo.jp/watch/sm9": titled("ニコニコ動画") },
      seen: "unknown service_probe_failed",
    },
  ],
});

const RUMBLE = "https://rumble.com/vdmum1-moose-the-dog-helps-girls-dig-a-snow-fort.html";
const RUMBLE_OEMBED = "rumble.com/api/Media/oembed.json";
const RUMBLE_PAGE = "rumble.com/vdmum1-moose-the-dog-helps-girls-dig-a-snow-fort.html";
const RUMBLE_EMBED = "https://rumble.com/embed/ufe9n.v5pv5f/";

tellOf("rumble", {
  urls: [RUMBLE, RUMBLE_EMBED, "https://WWW.Rumble.com/shorts/v5d871x"],
  rows: [
    {
      what: "a video",
      url: RUMBLE,
      web: { [RUMBLE_OEMBED]: video() },
      seen: "active ok_service",
      asked: [`GET https://rumble.com/api/Media/oembed.json?url=${encodeURIComponent(RUMBLE)}`],
    },
    {
      what: "a short video",
      url: "https://rumble.com/shorts/v5d871x",
      web: { [RUMBLE_OEMBED]: video() },
      seen: "active ok_service",
    },
    {
      what: "embedded",
      url: RUMBLE_EMBED,
      web: { "rumble.com/embedJS/u3/": json({ title: "WMAR 2 News" }) },
      seen: "active ok_service",
      asked: ["GET https://rumble.com/embedJS/u3/?request=video&ver=2&v=v5pv5f"],
    },
    {
      what: "embedded and gone",
      url: RUMBLE_EMBED,
      web: {
        "rumble.com/embedJS/u3/": text("Not found", 404),
        "rumble.com/embed/ufe9n.v5pv5f/": missing(),
      },
      seen: "dead http_404 C2",
    },
    {
      what: "embedded and said to be gone, while its page is there",
      url: RUMBLE_EMBED,
      web: {
        "rumble.com/embedJS/u3/": text("Not found", 404),
        "rumble.com/embed/ufe9n.v5pv5f/": titled("Rumble"),
      },
      seen: "unknown service_unrecognised",
    },
    {
      what: "gone",
      url: RUMBLE,
      web: { [RUMBLE_OEMBED]: text("", 404), [RUMBLE_PAGE]: missing() },
      seen: "dead http_404 C2",
    },
    {
      what: "gone for good",
      url: RUMBLE,
      web: { [RUMBLE_OEMBED]: text("", 410), [RUMBLE_PAGE]: 410 },
      seen: "dead http_410 C1",
    },
    {
      what: "said to be gone, while its page is there",
      url: RUMBLE,
      web: { [RUMBLE_OEMBED]: text("", 404), [RUMBLE_PAGE]: titled("Moose the dog") },
      seen: "unknown service_unrecognised",
    },
    {
      what: "forbidden, and its page is there",
      url: RUMBLE,
      web: { [RUMBLE_OEMBED]: json({}, 403), [RUMBLE_PAGE]: titled("Moose the dog") },
      seen: "unknown service_private",
    },
    {
      what: "forbidden, and gone",
      url: RUMBLE,
      web: { [RUMBLE_OEMBED]: json({}, 403), [RUMBLE_PAGE]: missing() },
      seen: "dead http_404 C2",
    },
    {
      what: "a wall, and another",
      url: RUMBLE,
      web: { [RUMBLE_OEMBED]: challenge(), [RUMBLE_PAGE]: challenge() },
      seen: "unknown bot_challenge",
    },
  ],
});

const ODYSEE = "https://odysee.com/@veritasium:f/we-built-an-unrideable-bike-to-show-how:b";
const ODYSEE_OEMBED = "odysee.com/$/oembed";
const ODYSEE_ASKED =
  "GET https://odysee.com/$/oembed?url=https%3A%2F%2Fodysee.com%2F%40veritasium%3Af%2Fwe-built-an-unrideable-bike-to-show-how%3Ab";
const LBRY = "api.na-backend.odysee.com/api/v1/proxy";
const lbryAsked = (uri: string) =>
  `POST https://${LBRY}?m=resolve {"jsonrpc":"2.0","method":"resolve","params":{"urls":["${uri}"]}}`;
const resolved = (claim: object) =>
  json({ jsonrpc: "2.0", result: { "lbry://@veritasium#f/we-built#b": claim } });

tellOf("odysee", {
  urls: [ODYSEE, "https://lbry.tv/@LBRYFoundation:0/Episode-1:e", "https://WWW.Odysee.com/@RT:fd"],
  rows: [
    {
      what: "a video",
      url: ODYSEE,
      web: { [ODYSEE_OEMBED]: video() },
      seen: "active ok_service",
      asked: [ODYSEE_ASKED],
    },
    {
      what: "a video at its old home, by its own name",
      url: "https://lbry.tv/Episode-1:e7",
      web: { [ODYSEE_OEMBED]: video() },
      seen: "active ok_service",
      asked: ["GET https://odysee.com/$/oembed?url=https%3A%2F%2Fodysee.com%2FEpisode-1%3Ae7"],
    },
    {
      what: "gone",
      url: ODYSEE,
      web: {
        [ODYSEE_OEMBED]: 404,
        [LBRY]: resolved({ error: { name: "NOT_FOUND", text: "Could not find claim." } }),
      },
      seen: "dead service_not_found C2",
      asked: [
        ODYSEE_ASKED,
        lbryAsked("lbry://@veritasium#f/we-built-an-unrideable-bike-to-show-how#b"),
      ],
    },
    {
      what: "a channel",
      url: "https://odysee.com/@RT:fd",
      web: { [ODYSEE_OEMBED]: json({ type: "rich", title: "RT" }) },
      seen: "active ok_service",
    },
    {
      what: "a channel that is gone",
      url: "https://odysee.com/@RT:fd",
      web: { [ODYSEE_OEMBED]: 404, [LBRY]: resolved({ error: { name: "NOT_FOUND" } }) },
      seen: "dead service_not_found C2",
      asked: [
        "GET https://odysee.com/$/oembed?url=https%3A%2F%2Fodysee.com%2F%40RT%3Afd",
        lbryAsked("lbry://@RT#fd"),
      ],
    },
    {
      what: "a video of no channel, gone",
      url: "https://odysee.com/Episode-%C3%A9:e7",
      web: { [ODYSEE_OEMBED]: 404, [LBRY]: resolved({ error: { name: "NOT_FOUND" } }) },
      seen: "dead service_not_found C2",
      asked: [
        "GET https://odysee.com/$/oembed?url=https%3A%2F%2Fodysee.com%2FEpisode-%C3%A9%3Ae7",
        lbryAsked("lbry://Episode-é#e7"),
      ],
    },
    {
      what: "blocked",
      url: ODYSEE,
      web: { [ODYSEE_OEMBED]: 404, [LBRY]: resolved({ error: { name: "BLOCKED" } }) },
      seen: "unknown service_unrecognised",
      asked: [
        ODYSEE_ASKED,
        lbryAsked("lbry://@veritasium#f/we-built-an-unrideable-bike-to-show-how#b"),
      ],
    },
    {
      what: "said to be gone, while the network has it and the page shows something",
      url: ODYSEE,
      web: {
        [ODYSEE_OEMBED]: 404,
        [LBRY]: resolved({ claim_id: "b1e2", name: "we-built" }),
        "odysee.com/@veritasium:f/we-built-an-unrideable-bike-to-show-how:b": titled("Odysee"),
      },
      seen: "unknown service_unrecognised",
    },
    {
      what: "private",
      url: ODYSEE,
      web: { [ODYSEE_OEMBED]: json({}, 401) },
      seen: "unknown service_private",
    },
    {
      what: "no use, and a page that tells nothing",
      url: ODYSEE,
      web: {
        [ODYSEE_OEMBED]: 404,
        [LBRY]: 500,
        "odysee.com/@veritasium:f/we-built-an-unrideable-bike-to-show-how:b": titled("Odysee"),
      },
      seen: "unknown service_probe_failed",
    },
    {
      what: "a wall, and a page that is gone",
      url: ODYSEE,
      web: {
        [ODYSEE_OEMBED]: challenge(),
        "odysee.com/@veritasium:f/we-built-an-unrideable-bike-to-show-how:b": missing(),
      },
      seen: "dead http_404 C2",
    },
  ],
});

const BITCHUTE = "https://www.bitchute.com/video/UGlrF9o9b-Q/";
const BC_API = "api.bitchute.com/api/beta9/video";
const BC_ASKED = `POST https://${BC_API} {"video_id":"UGlrF9o9b-Q"}`;
const bcForbidden = (message: string) =>
  json(
    {
      errors: [
        { context: "AUTH", message: "Forbidden - Cannot perform this action" },
        { context: "reason", message },
      ],
    },
    403,
  );

tellOf("bitchute", {
  urls: [BITCHUTE, "https://old.bitchute.com/video/UGlrF9o9b-Q/", "https://BitChute.com/embed/x/"],
  rows: [
    {
      what: "a video",
      url: BITCHUTE,
      web: { [BC_API]: json({ video_id: "UGlrF9o9b-Q", video_name: "The first video" }) },
      seen: "active ok_service",
      asked: [BC_ASKED],
    },
    {
      what: "a video that is embedded, on the old site",
      url: "https://old.bitchute.com/embed/UGlrF9o9b-Q",
      web: { [BC_API]: json({ video_id: "UGlrF9o9b-Q", video_name: "The first video" }) },
      seen: "active ok_service",
      asked: [BC_ASKED],
    },
    {
      what: "a torrent of a video",
      url: "https://www.bitchute.com/torrent/Zee5BE49045h/UGlrF9o9b-Q.webtorrent",
      web: { [BC_API]: json({ video_id: "UGlrF9o9b-Q", video_name: "The first video" }) },
      seen: "active ok_service",
      asked: [BC_ASKED],
    },
    {
      what: "gone",
      url: BITCHUTE,
      web: { [BC_API]: json({ errors: [{ message: "Not found" }] }, 404) },
      seen: "dead service_not_found C2",
    },
    {
      what: "not for this country",
      url: BITCHUTE,
      web: { [BC_API]: bcForbidden("Content access is restricted based on the users location") },
      seen: "unknown geo_blocked",
    },
    {
      what: "refused for another reason",
      url: BITCHUTE,
      web: { [BC_API]: bcForbidden("Sensitive content") },
      seen: "unknown service_private",
    },
    {
      what: "no use, and a page that tells nothing",
      url: BITCHUTE,
      web: { [BC_API]: 503, "www.bitchute.com/video/UGlrF9o9b-Q/": titled("BitChute") },
      seen: "unknown service_probe_failed",
    },
    {
      what: "a wall, and another",
      url: BITCHUTE,
      web: { [BC_API]: challenge(), "www.bitchute.com/video/UGlrF9o9b-Q/": challenge() },
      seen: "unknown bot_challenge",
    },
  ],
});

const STREAMABLE = "https://streamable.com/dnd1";
const ST_API = "ajax.streamable.com/videos/dnd1";
const ST_ASKED = `GET https://${ST_API}`;

tellOf("streamable", {
  urls: [STREAMABLE, "https://streamable.com/e/dnd1", "https://WWW.Streamable.com/s/okkqk/drxjds"],
  rows: [
    {
      what: "a video",
      url: STREAMABLE,
      web: { [ST_API]: json({ status: 2, title: "A goal" }) },
      seen: "active ok_service",
      asked: [ST_ASKED],
    },
    {
      what: "a video that is embedded",
      url: "https://streamable.com/o/dnd1",
      web: { [ST_API]: json({ status: 2, title: "A goal" }) },
      seen: "active ok_service",
      asked: [ST_ASKED],
    },
    {
      what: "still processed",
      url: STREAMABLE,
      web: { [ST_API]: json({ status: 1 }) },
      seen: "unknown service_processing",
    },
    {
      what: "broken",
      url: STREAMABLE,
      web: { [ST_API]: json({ status: 3 }) },
      seen: "unknown service_unavailable",
    },
    ...[STREAMABLE, "https://streamable.com/e/dnd1"].map((url) => ({
      what: `gone at ${url}`,
      url,
      web: { [ST_API]: json({}, 404) },
      seen: "dead service_not_found C2",
      asked: [ST_ASKED],
    })),
    {
      what: "removed",
      url: STREAMABLE,
      web: { [ST_API]: json({}, 410) },
      seen: "dead service_not_found C2",
    },
    {
      what: "embedded by letters only, and gone",
      url: "https://streamable.com/o/moo",
      web: { "ajax.streamable.com/videos/moo": json({}, 404) },
      seen: "dead service_not_found C2",
    },
    {
      what: "a video of letters only",
      url: "https://streamable.com/moo",
      web: { "ajax.streamable.com/videos/moo": json({ status: 2 }) },
      seen: "active ok_service",
      asked: ["GET https://ajax.streamable.com/videos/moo"],
    },
    {
      what: "gone, and so is the page of what may be a word",
      url: "https://streamable.com/moo",
      web: {
        "ajax.streamable.com/videos/moo": json({}, 404),
        "streamable.com/moo": missing(),
      },
      seen: "dead http_404 C2",
    },
    {
      what: "no video, but a page of the site of which nobody knew",
      url: "https://streamable.com/muse",
      web: {
        "ajax.streamable.com/videos/muse": json({}, 404),
        "streamable.com/muse": titled("Clip a video"),
      },
      seen: "unknown service_unrecognised",
    },
    ...["login", "signup", "terms"].map((word) => ({
      what: `a page of the site: ${word}`,
      url: `https://streamable.com/${word}`,
      web: { [`streamable.com/${word}`]: titled("Welcome", "<p>Welcome to Streamable.</p>") },
      seen: "active ok",
    })),
    {
      what: "no use, and a page that is gone",
      url: STREAMABLE,
      web: { [ST_API]: titled("Oops"), "streamable.com/dnd1": missing() },
      seen: "dead http_404 C2",
    },
    {
      what: "a wall, and a page that tells nothing",
      url: STREAMABLE,
      web: { [ST_API]: challenge(), "streamable.com/dnd1": titled("Streamable") },
      seen: "unknown service_probe_failed",
    },
  ],
});

const OK_RU = "https://ok.ru/video/20079905452";
const OK_PAGE = "ok.ru/video/20079905452";
const okSays = (words: string) =>
  titled("OK", `<div class="vp_video_stub"><div class="vp_video_stub_txt">${words}</div></div>`);
const okRow = (what: string, answer: Response | number, seen: string) => ({
  what,
  url: OK_RU,
  web: { [OK_PAGE]: answer },
  seen,
});

tellOf("ok-ru", {
  urls: [OK_RU, "https://M.ok.ru/video/2361249957145", "http://www.odnoklassniki.ru/video/1"],
  rows: [
    {
      what: "a video",
      url: "https://m.ok.ru/videoembed/20079905452?nochat=1",
      web: {
        [OK_PAGE]: titled(
          "Культура меняет нас",
          `<div data-module="OKVideo" data-options="{&quot;flashvars&quot;:{}}"></div>`,
        ),
      },
      seen: "active ok_service",
      asked: [`GET ${OK_RU}`],
      headers: { "Accept-Language": "en-GB,en;q=0.8" },
    },
    okRow("not there", okSays("Video has not been found"), "dead service_not_found C2"),
    okRow(
      "not there, in other words",
      okSays("Video hasn&#39;t been found"),
      "dead service_not_found C2",
    ),
    okRow("not there, in Russian", okSays("Видеоролик не найден"), "dead service_not_found C2"),
    okRow(
      "an error page",
      titled("OK", `<div class="p404 error-page"><h1>This page doesn't exist</h1></div>`),
      "dead service_not_found C2",
    ),
    okRow(
      "taken down",
      okSays("Video has been blocked due to author's rights infingement"),
      "dead service_takedown C2",
    ),
    okRow(
      "without its group",
      okSays("Group, where this video was posted, has not been found"),
      "dead service_account_gone C2",
    ),
    okRow(
      "blocked, and who knows where",
      titled("OK", `<div class="error-page"><p>The video is blocked</p></div>`),
      "unknown service_unrecognised",
    ),
    okRow(
      "for some only",
      okSays("Access to this video has been restricted by its author"),
      "unknown service_private",
    ),
    {
      what: "for those who have signed in",
      url: OK_RU,
      web: {
        [OK_PAGE]: to("https://ok.ru/dk/main/st.redirect/%2Fvideo"),
        "ok.ru/dk/main/st.redirect/%2Fvideo": titled("OK", "<h1>Welcome</h1>"),
      },
      seen: "unknown login_required",
    },
    ...[
      "Video has been blocked due to author's rights infingement",
      "Group, where this video was posted, has not been found",
      "Video has not been found",
      '<a href="https://example.com/how-to-make-an-error-page">An error page</a>',
    ].map((words) =>
      okRow(
        `a video beside the words ${words}`,
        titled("A video", `<div data-module="OKVideo"></div><p>${words}</p>`),
        "active ok_service",
      ),
    ),
    okRow(
      "a page that leads to an error",
      titled("OK", '<a href="https://example.com/how-to-make-an-error-page">How to</a>'),
      "unknown service_unrecognised",
    ),
    okRow("a page that tells nothing", titled("OK"), "unknown service_unrecognised"),
    okRow("gone with its page", missing(), "dead http_404 C2"),
    okRow("a wall", challenge(), "unknown bot_challenge"),
  ],
});

const VK = "https://vk.com/video205387401_165548505";
const VK_PAGE = "vk.com/video205387401_165548505";
const vkSays = (words: string) =>
  titled("Error | VK", `<div class="message_page_body">${words}</div>`);
const vkRow = (what: string, answer: Response, seen: string) => ({
  what,
  url: VK,
  web: { [VK_PAGE]: answer },
  seen,
});
const vkVideo = (rest = "") =>
  titled("No name", `<script>{"mvData":{"md_title":"No name"}}</script>${rest}`);

tellOf("vk", {
  urls: [
    VK,
    "https://m.vk.ru/wall-23538238_35",
    "https://VKVideo.ru/video-127553155_456242961",
    "https://vkontakte.ru/video205387401_165548505",
  ],
  rows: [
    {
      what: "a video",
      url: "https://vksport.vkvideo.ru/video205387401_165548505?list=abc",
      web: { [VK_PAGE]: vkVideo() },
      seen: "active ok_service",
      asked: [`GET ${VK}`],
      headers: { cookie: "remixlang=3" },
    },
    {
      what: "a video over a page",
      url: "https://vk.com/feed?z=video205387401_165548505%2Fbb50",
      web: { [VK_PAGE]: vkVideo() },
      seen: "active ok_service",
      asked: [`GET ${VK}`],
    },
    vkRow(
      "a video about death",
      vkVideo("<p>Once I wrote that this video has been deleted.</p>"),
      "active ok_service",
    ),
    ...[
      "<p>It was removed from public access by request of the copyright holder.</p>",
      '<div id="video_ext_msg" style="display: none"></div>',
      '<div class="video_layer_message" hidden>This video has been deleted.</div>',
      '<div class="video_layer_message" hidden>Its link, for its author has been blocked.</div>',
      `<div class="video_layer_message" hidden>It was removed from public access by request of the copyright holder.</div>`,
    ].map((rest) => vkRow(`a video with ${rest}`, vkVideo(rest), "active ok_service")),
    {
      what: "a post with a word of holders of copyright",
      url: "https://vk.com/wall-23538238_35",
      web: {
        "vk.com/wall-23538238_35": titled(
          "A wall",
          `<div class="wall_post_text">My song was removed from public access by request of the copyright holder.</div>`,
        ),
      },
      seen: "active ok",
    },
    vkRow(
      "deleted",
      titled("VK", "<!>This video is no longer available, because it has been deleted.<!>"),
      "dead service_deleted C2",
    ),
    vkRow(
      "without its author",
      titled("VK", "<!>Видеозапись недоступна, так как её автор был заблокирован.<!>"),
      "dead service_account_gone C2",
    ),
    vkRow(
      "taken down",
      vkSays("The video A song was removed from public access by request of the copyright holder."),
      "dead service_takedown C2",
    ),
    {
      what: "embedded, with a message in its place",
      url: "https://vk.com/video_ext.php?oid=-77521&id=162222515&hash=87b0",
      web: {
        "vk.com/video_ext.php": titled("VK", `<div id="video_ext_msg">No such video.</div>`),
      },
      seen: "dead service_not_found C2",
    },
    vkRow("not for everybody", vkSays("<b>Access denied</b>"), "unknown service_private"),
    vkRow(
      "for those who have signed in",
      titled("VK", "<!>Please log in or sign up"),
      "unknown login_required",
    ),
    vkRow(
      "not for this country",
      vkSays("<p>The video A song is not available in your region.</p>"),
      "unknown geo_blocked",
    ),
    vkRow(
      "away for now",
      titled("VK", "<!>Видео временно недоступно"),
      "unknown service_unavailable",
    ),
    vkRow(
      "an error that says nothing",
      titled("VK", '<div>Unknown error</div><script>{"md_title":""}</script>'),
      "unknown service_unrecognised",
    ),
    vkRow("a page that tells nothing", titled("VK"), "unknown service_unrecognised"),
    {
      what: "a browser that VK does not like",
      url: VK,
      web: {
        [VK_PAGE]: titled("VK", `<meta http-equiv="refresh" content="0;url=/badbrowser.php">`),
        "vk.com/badbrowser.php": titled("VK", "<p>Your browser is out of date</p>"),
      },
      seen: "unknown bot_challenge",
    },
    {
      what: "behind a challenge",
      url: VK,
      web: {
        [VK_PAGE]: to("https://vk.com/challenge.html?redirect=x"),
        "vk.com/challenge.html": titled("VK", "<p>One moment</p>"),
      },
      seen: "unknown bot_challenge",
    },
    {
      what: "a document",
      url: "https://vk.com/doc1_2?hash=abc",
      web: { "vk.com/doc1_2": titled("a.pdf", `<script>Docs.initDoc({"docId":2});</script>`) },
      seen: "active ok_service",
      headers: { cookie: "remixlang=3" },
    },
    {
      what: "a document that is sent at once",
      url: "https://vk.com/doc1_2?hash=abc",
      web: {
        "vk.com/doc1_2": to("https://psv4.userapi.com/c1/a.pdf"),
        "psv4.userapi.com/c1/a.pdf": file("application/pdf"),
      },
      seen: "active ok_service",
    },
    {
      what: "a document for its owner",
      url: "https://vk.com/doc1_2",
      web: {
        "vk.com/doc1_2": titled("VK", "<p>This document is available only to its owner.</p>"),
      },
      seen: "unknown service_private",
    },
    {
      what: "a document's page that tells nothing",
      url: "https://vk.com/doc1_2",
      web: { "vk.com/doc1_2": titled("VK") },
      seen: "unknown service_unrecognised",
    },
    {
      what: "a deleted post",
      url: "https://vk.com/wall-23538238_35",
      web: { "vk.com/wall-23538238_35": vkSays("This post has been deleted.") },
      seen: "dead service_deleted C2",
      headers: { cookie: "remixlang=3" },
    },
    {
      what: "a post on a wall that is gone",
      url: "https://vk.com/wall-23538238_35",
      web: { "vk.com/wall-23538238_35": missing() },
      seen: "dead http_404 C2",
    },
  ],
});

const RUTUBE = "https://rutube.ru/video/3eac3b4561676c17df9132a9a1e62e3e/";
const RT_API = "rutube.ru/api/video/3eac3b4561676c17df9132a9a1e62e3e/";
const RT_ASKED = `GET https://${RT_API}?format=json`;
const rtVideo = () => json({ id: "3eac3b4561676c17df9132a9a1e62e3e", title: "A kangaroo" });

tellOf("rutube", {
  urls: [
    RUTUBE,
    "https://rutube.ru/play/embed/3eac3b4561676c17df9132a9a1e62e3e",
    "https://WWW.RuTube.ru/shorts/3eac3b4561676c17df9132a9a1e62e3e/",
  ],
  rows: [
    {
      what: "a video",
      url: RUTUBE,
      web: { [RT_API]: rtVideo() },
      seen: "active ok_service",
      asked: [RT_ASKED],
    },
    {
      what: "a video that is embedded",
      url: "https://rutube.ru/play/embed/3eac3b4561676c17df9132a9a1e62e3e?t=3",
      web: { [RT_API]: rtVideo() },
      seen: "active ok_service",
      asked: [RT_ASKED],
    },
    {
      what: "a private video with its key",
      url: "https://rutube.ru/video/private/3eac3b4561676c17df9132a9a1e62e3e/?p=aB-c_1",
      web: { [RT_API]: rtVideo() },
      seen: "active ok_service",
      asked: [`${RT_ASKED}&p=aB-c_1`],
    },
    {
      what: "a private video without its key",
      url: "https://rutube.ru/video/private/3eac3b4561676c17df9132a9a1e62e3e/",
      web: { [RT_API]: json({ detail: "Forbidden" }, 403) },
      seen: "unknown service_private",
      asked: [RT_ASKED],
    },
    {
      what: "a private video with a wrong key",
      url: "https://rutube.ru/video/private/3eac3b4561676c17df9132a9a1e62e3e/?p=wrong",
      web: { [RT_API]: json({ detail: "Unauthorized" }, 401) },
      seen: "unknown service_private",
    },
    {
      what: "not for this country",
      url: RUTUBE,
      web: { [RT_API]: json({ detail: { type: "blocking_rule", name: "geo" } }, 403) },
      seen: "unknown geo_blocked",
    },
    {
      what: "gone",
      url: RUTUBE,
      web: { [RT_API]: json({ detail: "Not found." }, 404) },
      seen: "dead service_not_found C2",
    },
    {
      what: "no use, and a page that is gone",
      url: RUTUBE,
      web: { [RT_API]: missing(), "rutube.ru/video/3eac3b4561676c17df9132a9a1e62e3e/": missing() },
      seen: "dead http_404 C2",
    },
    {
      what: "a wall, and a page that tells nothing",
      url: RUTUBE,
      web: {
        [RT_API]: challenge(),
        "rutube.ru/video/3eac3b4561676c17df9132a9a1e62e3e/": titled("RUTUBE"),
      },
      seen: "unknown service_probe_failed",
    },
  ],
});
