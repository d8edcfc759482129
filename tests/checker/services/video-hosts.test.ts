import { challenge, json, page, text, to } from "./played-web.ts";
import { type Row, tellOf } from "./told.ts";

const site = (body: string, title = "A page") =>
  `<!DOCTYPE html><html><head><title>${title}</title></head><body><nav><a href="/">Home</a></nav>
  <main>${body}</main></body></html>`;

/** One page, and what comes of it. */
const shown = (url: string, what: string, seen: string, body: string, title?: string): Row => ({
  what,
  url,
  web: { [keyOf(url)]: site(body, title) },
  seen,
});

const keyOf = (url: string) => url.replace("https://", "");

/** An error is an error, whatever else stands on its page. */
const failing = (url: string, body: string, key = keyOf(url)): Row => ({
  what: "an error with what only a video has",
  url,
  web: { [key]: page(site(body), 503) },
  seen: "unknown http_503",
});

/** What a host may answer whose pages prove nothing by their status. */
const troubled = (url: string, key = keyOf(url)): Row[] => [
  { what: "gone, by the status", url, web: { [key]: 404 }, seen: "dead http_404 C2" },
  { what: "behind a wall", url, web: { [key]: challenge() }, seen: "unknown bot_challenge" },
  {
    what: "a page that says neither",
    url,
    web: { [key]: site("<h1>Welcome</h1><p>Videos for all.</p>") },
    seen: "unknown service_unrecognised",
  },
];

const PROTECTED = "active ok_service_protected";
const GONE = { missing: "dead service_not_found C2", deleted: "dead service_deleted C2" };

const TED = "https://www.ted.com/talks/jill_bolte_taylor_s_powerful_stroke_of_insight";
const TED_OEMBED = "www.ted.com/services/v1/oembed.json";
const TED_PAGE = keyOf(TED);

tellOf("ted", {
  urls: [
    TED,
    "https://ted.com/talks/lang/de/jill_bolte_taylor_s_powerful_stroke_of_insight",
    "https://EMBED.ted.com/talks/jill_bolte_taylor_s_powerful_stroke_of_insight.html",
  ],
  rows: [
    {
      what: "a talk",
      url: TED,
      web: { [TED_OEMBED]: json({ type: "video", title: "My stroke of insight" }) },
      seen: "active ok_service",
      asked: [
        "GET https://www.ted.com/services/v1/oembed.json?url=https%3A%2F%2Fwww.ted.com%2Ftalks%2Fjill_bolte_taylor_s_powerful_stroke_of_insight",
      ],
    },
    {
      what: "a talk in another place",
      url: "https://embed.ted.com/talks/lang/de/some_talk.html",
      web: { [TED_OEMBED]: json({ type: "video", title: "Some talk" }) },
      seen: "active ok_service",
      asked: [
        "GET https://www.ted.com/services/v1/oembed.json?url=https%3A%2F%2Fwww.ted.com%2Ftalks%2Fsome_talk",
      ],
    },
    {
      what: "gone",
      url: TED,
      web: { [TED_OEMBED]: text("Not Found", 404), [TED_PAGE]: 404 },
      seen: "dead http_404 C2",
    },
    {
      what: "a talk that is there, but not for others to show",
      url: TED,
      web: { [TED_OEMBED]: 404, [TED_PAGE]: site("<h1>My stroke of insight</h1>") },
      seen: "unknown service_unrecognised",
    },
    {
      what: "a talk that is not for all",
      url: TED,
      web: {
        [TED_OEMBED]: text("Forbidden", 403),
        [TED_PAGE]: site("<h1>My stroke of insight</h1>"),
      },
      seen: "unknown service_private",
    },
    {
      what: "forbidden, and gone",
      url: TED,
      web: { [TED_OEMBED]: text("Forbidden", 403), [TED_PAGE]: 404 },
      seen: "dead http_404 C2",
    },
    {
      what: "a talk while the endpoint is ill",
      url: TED,
      web: { [TED_OEMBED]: 500, [TED_PAGE]: site("<h1>My stroke of insight</h1>") },
      seen: "unknown service_probe_failed",
    },
  ],
});

const WISTIA = "https://home.wistia.com/medias/xfepf8u5c4";
const WISTIA_OEMBED = "fast.wistia.com/oembed.json";
const WISTIA_JSON = "https://fast.wistia.net/embed/medias/5vd7p4bct5.json";

tellOf("wistia", {
  urls: [
    WISTIA,
    "https://HOME.WISTIA.COM/medias/xfepf8u5c4",
    "https://fast.wistia.net/embed/iframe/5vd7p4bct5",
    "https://wi.st/medias/xfepf8u5c4",
  ],
  rows: [
    {
      what: "a video",
      url: WISTIA,
      web: { [WISTIA_OEMBED]: json({ type: "video", html: "<iframe></iframe>" }) },
      seen: "active ok_service",
      asked: [
        "GET https://fast.wistia.com/oembed.json?url=https%3A%2F%2Fhome.wistia.com%2Fmedias%2Fxfepf8u5c4",
      ],
    },
    {
      what: "a player",
      url: WISTIA_JSON,
      web: { [WISTIA_OEMBED]: json({ type: "video", html: "<iframe></iframe>" }) },
      seen: "active ok_service",
      asked: [
        "GET https://fast.wistia.com/oembed.json?url=https%3A%2F%2Ffast.wistia.com%2Fembed%2Fiframe%2F5vd7p4bct5",
      ],
    },
    {
      what: "gone",
      url: WISTIA,
      web: { [WISTIA_OEMBED]: text("", 404) },
      seen: GONE.missing,
    },
    {
      what: "a player that is gone",
      url: WISTIA_JSON,
      web: { [WISTIA_OEMBED]: text("", 404) },
      seen: GONE.missing,
    },
    {
      what: "a player that says itself that it is gone",
      url: WISTIA_JSON,
      web: { [WISTIA_OEMBED]: 500, [keyOf(WISTIA_JSON)]: json({ error: true }) },
      seen: GONE.missing,
    },
    {
      what: "a video that is not for all",
      url: WISTIA,
      web: { [WISTIA_OEMBED]: text("Unauthorized", 401) },
      seen: "unknown service_private",
    },
    {
      what: "a video while the endpoint is walled",
      url: WISTIA,
      web: { [WISTIA_OEMBED]: challenge(), [keyOf(WISTIA)]: site("<h1>A video</h1>") },
      seen: "unknown service_probe_failed",
    },
  ],
});

const LOOM = "https://www.loom.com/share/43d05f362f734614a2e81b4694a3a523";
const LOOM_OEMBED = "www.loom.com/v1/oembed";

tellOf("loom", {
  urls: [
    LOOM,
    "https://loom.com/embed/43d05f362f734614a2e81b4694a3a523",
    "https://WWW.LOOM.COM/share/A-ruler-for-Windows-43d05f362f734614a2e81b4694a3a523",
  ],
  rows: [
    {
      what: "a video",
      url: LOOM,
      web: { [LOOM_OEMBED]: json({ type: "video", title: "A Ruler for Windows" }) },
      seen: "active ok_service",
      asked: [
        "GET https://www.loom.com/v1/oembed?url=https%3A%2F%2Fwww.loom.com%2Fshare%2F43d05f362f734614a2e81b4694a3a523",
      ],
    },
    {
      what: "a player of a video with a title",
      url: "https://www.loom.com/embed/A-ruler-43d05f362f734614a2e81b4694a3a523",
      web: { [LOOM_OEMBED]: json({ type: "video", title: "A Ruler for Windows" }) },
      seen: "active ok_service",
      asked: [
        "GET https://www.loom.com/v1/oembed?url=https%3A%2F%2Fwww.loom.com%2Fshare%2F43d05f362f734614a2e81b4694a3a523",
      ],
    },
    { what: "gone", url: LOOM, web: { [LOOM_OEMBED]: text("", 404) }, seen: GONE.missing },
    {
      what: "a video with a password",
      url: LOOM,
      web: {
        [LOOM_OEMBED]: text("", 401),
        [keyOf(LOOM)]: site('<script>ssr = {"is_protected":true,"needs_password": true}</script>'),
      },
      seen: PROTECTED,
    },
    {
      what: "a video with a password, in the words of its API",
      url: LOOM,
      web: {
        [LOOM_OEMBED]: text("", 403),
        [keyOf(LOOM)]: site(
          '<script>x = {"__typename":"VideoPasswordMissingOrIncorrect"}</script>',
        ),
      },
      seen: PROTECTED,
    },
    {
      what: "a private video",
      url: LOOM,
      web: {
        [LOOM_OEMBED]: text("", 403),
        [keyOf(LOOM)]: site('<script>x = {"__typename":"PrivateVideo"}</script>'),
      },
      seen: "unknown service_private",
    },
    {
      what: "a video while the endpoint is ill",
      url: LOOM,
      web: { [LOOM_OEMBED]: page("<h1>Sorry</h1>"), [keyOf(LOOM)]: site("<h1>A Ruler</h1>") },
      seen: "unknown service_probe_failed",
    },
  ],
});

const SENDVID = "https://sendvid.com/b1iydjd3";
const SENDVID_API = "sendvid.com/api/v1/videos/b1iydjd3/status.json";
const KNOWN = { [SENDVID_API]: json({ status: "completed" }) };

tellOf("sendvid", {
  urls: [SENDVID, "https://www.sendvid.com/embed/b1iydjd3", "HTTPS://SENDVID.COM/"],
  rows: [
    {
      what: "a video",
      url: SENDVID,
      web: {
        ...KNOWN,
        [keyOf(SENDVID)]: site('<video><source type="video/mp4" src="//a.sendvid.com/v.mp4">'),
      },
      seen: "active ok_service",
      asked: [`GET https://${SENDVID_API}`, `GET ${SENDVID}`],
    },
    {
      what: "a video, by its title",
      url: SENDVID,
      web: {
        [SENDVID_API]: challenge(),
        [keyOf(SENDVID)]: site('<meta name="twitter:title" content="Holiday">'),
      },
      seen: "active ok_service",
    },
    {
      what: "gone",
      url: SENDVID,
      web: { [SENDVID_API]: json({ code: "file_not_found", message: "File not found." }, 404) },
      seen: "dead service_not_found C1",
    },
    {
      what: "an API that has moved",
      url: SENDVID,
      web: { [SENDVID_API]: text("Not Found", 404), [keyOf(SENDVID)]: site("<p>Hello</p>") },
      seen: "unknown service_probe_failed",
    },
    ...[
      failing(SENDVID, '<meta name="twitter:title" content="Holiday">'),
      ...troubled(SENDVID),
    ].map((row) => ({ ...row, web: { ...KNOWN, ...row.web } })),
    {
      what: "an address of the site's own",
      url: "https://sendvid.com/register",
      web: { "sendvid.com/register": site("<h1>Sign up now</h1><p>It is free.</p>") },
      seen: "active ok",
    },
  ],
});

const VIDGUARD = "https://vidguard.to/v/Xy12Zw";

tellOf("vidguard", {
  urls: [VIDGUARD, "https://www.vembed.net/e/Xy12Zw", "https://LISTEAMED.net/d/Xy12Zw"],
  rows: [
    {
      ...shown(VIDGUARD, "a video", "active ok_service", "<h4>Holiday</h4>"),
      asked: [`GET ${VIDGUARD}`],
    },
    shown(
      "https://vidguard.to/e/Xy12Zw",
      "a player",
      "active ok_service",
      '<meta name="twitter:title" content="Holiday">',
    ),
    shown(VIDGUARD, "gone, in its words", "dead service_not_found C1", "Not found err:1002"),
    {
      what: "led to a page about all videos",
      url: VIDGUARD,
      web: { [keyOf(VIDGUARD)]: to("/v/all"), "vidguard.to/v/all": site("<h4>Videos</h4>") },
      seen: "unknown service_unrecognised",
    },
    failing(VIDGUARD, "<h4>Holiday</h4>"),
    ...troubled(VIDGUARD),
  ],
});

const STREAMTAPE = "https://streamtape.com/v/Zq8A-bL/holiday.mp4";

tellOf("streamtape", {
  urls: [
    STREAMTAPE,
    "https://www.streamtape.to/e/Zq8A-bL",
    "https://STRCLOUD.link/v/Zq8A-bL",
    "https://streamta.pe/v/Zq8A-bL",
  ],
  rows: [
    {
      ...shown(
        STREAMTAPE,
        "a video",
        "active ok_service",
        '<meta name="og:title" content="holiday.mp4">',
      ),
      asked: [`GET ${STREAMTAPE}`],
    },
    shown(
      "https://streamtape.com/e/Zq8A-bL",
      "a player",
      "active ok_service",
      '<video id="mainvideo"></video>',
    ),
    shown(
      STREAMTAPE,
      "a video, by a property",
      "active ok_service",
      '<meta property="og:title" content="holiday.mp4">',
    ),
    shown(
      STREAMTAPE,
      "a video that is called so",
      "active ok_service",
      '<meta name="og:title" content="Video not found.mp4"><h2>Video not found.mp4</h2>',
    ),
    shown(
      STREAMTAPE,
      "a video that is called no more than so",
      "active ok_service",
      '<meta property="og:title" content="Video not found"><h2>Video not found</h2>',
    ),
    shown(
      STREAMTAPE,
      "a player of what is called so",
      "active ok_service",
      "<h2>Video not found.mp4</h2><video></video>",
    ),
    shown(
      STREAMTAPE,
      "gone, in its words, with a player",
      "unknown service_unrecognised",
      "<h1> Video not found!</h1><video></video>",
    ),
    shown(STREAMTAPE, "gone, in its words", GONE.missing, "<h1> Video not found!</h1>"),
    {
      what: "gone, in its words, as if it were ill",
      url: STREAMTAPE,
      web: { [keyOf(STREAMTAPE)]: page(site("<h1>Video not found!</h1>"), 500) },
      seen: GONE.missing,
    },
    {
      what: "ill, or gone without a word",
      url: STREAMTAPE,
      web: { [keyOf(STREAMTAPE)]: page(site("<h1>Oops</h1>"), 500) },
      seen: "unknown unconfirmed (service_not_found in 24 hours)",
    },
    failing(STREAMTAPE, "<video></video>"),
    {
      what: "a page about videos, to which it leads",
      url: STREAMTAPE,
      web: { [keyOf(STREAMTAPE)]: to("/v/all"), "streamtape.com/v/all": site("<video></video>") },
      seen: "unknown service_unrecognised",
    },
    ...troubled(STREAMTAPE),
  ],
});

const DOOD = "https://dood.to/d/abc123";
const DOOD_PLAYER = "https://dood.to/e/abc123";

tellOf("doodstream", {
  urls: [DOOD, "https://doodstream.com/e/abc123", "https://www.playmogo.com/d/abc123"],
  rows: [
    {
      ...shown(
        DOOD_PLAYER,
        "a video, for all that it says",
        "active ok_service",
        "<div hidden><h1>Not Found</h1><p>video you are looking for is not found.</p></div><script>$.get('/pass_md5/12-34/xyz')</script>",
      ),
      asked: [`GET ${DOOD_PLAYER}`],
    },
    shown(DOOD, "a video in its frame", "active ok_service", '<iframe src="/e/abc123"></iframe>'),
    shown(
      DOOD,
      "a video in an empty frame, of which more is to be asked",
      "active ok_service",
      "<iframe src=\"/e/\"></iframe><script>get('/cptr/12')</script>",
    ),
    {
      what: "a video at its new name",
      url: DOOD,
      web: {
        [keyOf(DOOD)]: to("https://playmogo.com/d/abc123"),
        "playmogo.com/d/abc123": site('<iframe src="/e/abc123"></iframe>'),
      },
      seen: "active ok_service",
    },
    {
      what: "another video, to which a lost one leads",
      url: DOOD,
      web: {
        [keyOf(DOOD)]: to("/d/xyz789"),
        "dood.to/d/xyz789": site("<script>$.get('/pass_md5/12-34/xyz')</script>"),
      },
      seen: "unknown service_unrecognised",
    },
    shown(DOOD, "gone, as an empty frame shows", GONE.missing, '<iframe src="/e/"></iframe>'),
    shown(
      DOOD,
      "an empty frame that waits for somebody",
      "unknown service_unrecognised",
      '<iframe src="/e/"></iframe><script>minimalUserResponseInMiliseconds = 200</script>',
    ),
    shown(
      DOOD,
      "gone, by its title",
      GONE.missing,
      "<p>Watch others.</p>",
      "Video not found | DoodStream",
    ),
    shown(
      DOOD,
      "gone, in its words",
      GONE.missing,
      "<h1>Oops! Sorry</h1> <p>File you are looking for is not found.</p>",
    ),
    shown(
      DOOD_PLAYER,
      "a player of nothing",
      GONE.missing,
      "<h1>Not Found</h1><p>video you are looking for is not found.</p>",
    ),
    shown(
      DOOD_PLAYER,
      "a player with a false word",
      "unknown service_unrecognised",
      "<h1>Not Found</h1><p>video you are looking for is not found.</p><video></video>",
    ),
    shown(
      DOOD,
      "a false word beside where a player would be",
      "unknown service_unrecognised",
      "<h1>Not Found</h1><p>video you are looking for is not found.</p>",
    ),
    ...["/", "/?ref=abc"].map((home) => ({
      what: `gone, since it leads to ${home}`,
      url: DOOD,
      web: { [keyOf(DOOD)]: to(home), [`dood.to${home}`]: site("<h1>DoodStream</h1>") },
      seen: GONE.missing,
    })),
    ...[
      { there: "https://dood.to/captcha", seen: "unknown service_unrecognised" },
      { there: "https://dood.to/videos", seen: "unknown service_unrecognised" },
      { there: "https://ads.example.com/go", seen: "unknown soft404_suspected" },
      { there: "https://playmogo.com/", seen: "unknown soft404_suspected" },
    ].map(({ there, seen }) => ({
      what: `led to ${there}`,
      url: DOOD,
      web: { [keyOf(DOOD)]: to(there), [keyOf(there)]: site("<h1>Go on</h1>") },
      seen,
    })),
    {
      what: "a site in trouble at home",
      url: DOOD,
      web: { [keyOf(DOOD)]: to("/"), "dood.to/": 500 },
      seen: "unknown http_500",
    },
    failing(DOOD, '<iframe src="/e/abc123"></iframe>'),
    shown(
      DOOD_PLAYER,
      "a player that says neither",
      "unknown service_unrecognised",
      "<p>Loading</p>",
    ),
    ...troubled(DOOD),
  ],
});

const MIXDROP = "https://mixdrop.ag/f/abc123";

tellOf("mixdrop", {
  urls: [MIXDROP, "https://www.mixdrop.ps/e/abc123", "https://M1XDROP.net/emb/abc123"],
  rows: [
    {
      ...shown(
        MIXDROP,
        "a file",
        "active ok_service",
        '<div><img src="/imgs/icon-file.png" alt=""/> <span title="holiday.mp4">holiday.mp4</span>12 MB</div>',
      ),
      asked: [`GET ${MIXDROP}`],
    },
    shown(
      "https://mixdrop.ag/e/abc123",
      "a player",
      "active ok_service",
      '<script>MDCore.ref = "abc123";</script>',
    ),
    shown(
      MIXDROP,
      "gone, by its picture",
      "dead service_not_found C1",
      '<img src="/imgs/illustration-notfound.png"><script>MDCore.x = 1</script>',
    ),
    {
      what: "a page about the player, to which it leads",
      url: MIXDROP,
      web: {
        [keyOf(MIXDROP)]: to("/player/"),
        "mixdrop.ag/player/": site("<script>MDCore.x = 1</script>"),
      },
      seen: "unknown service_unrecognised",
    },
    failing(MIXDROP, "<script>MDCore.x = 1</script>"),
    ...troubled(MIXDROP),
  ],
});

/** A page that is there may hold any words: in a title, or in what people say below. */
const quoted = (words: string[], player: string, row: (what: string, body: string) => Row): Row[] =>
  words.map((some) =>
    row(`there, beside the words ${some}`, `<h1>${some}</h1>${player}<p>${some}</p>`),
  );

const PORNHUB = "https://www.pornhub.com/view_video.php?viewkey=648719015";
const PH_PAGE = "www.pornhub.com/view_video.php";
const ph = (what: string, seen: string, body: string): Row => ({
  ...shown(PORNHUB, what, seen, body),
  web: { [PH_PAGE]: site(body) },
});

tellOf("pornhub", {
  urls: [
    PORNHUB,
    "https://de.pornhub.com/view_video.php?viewkey=648719015",
    "https://pornhub.org/embed/648719015",
    "https://WWW.PORNHUBPREMIUM.com/view_video.php?viewkey=648719015",
  ],
  rows: [
    {
      ...ph("a video", "active ok_service", "<script>var flashvars_1 = {};</script>"),
      asked: [`GET ${PORNHUB}`],
      headers: {
        cookie:
          "age_verified=1; accessAgeDisclaimerPH=1; accessAgeDisclaimerUK=1; accessPH=1; platform=pc",
      },
    },
    {
      what: "a player in another language",
      url: "https://fr.pornhub.org/embed/648719015",
      web: { [PH_PAGE]: site("<script>var flashvars_1 = {};</script>") },
      seen: "active ok_service",
      asked: [`GET ${PORNHUB}`],
    },
    {
      what: "another video, to which a lost one leads",
      url: PORNHUB,
      web: {
        [`${PH_PAGE}?viewkey=648719015`]: to("/view_video.php?viewkey=ph2"),
        [`${PH_PAGE}?viewkey=ph2`]: site("<script>var flashvars_1 = {};</script>"),
      },
      seen: "unknown service_unrecognised",
    },
    ph("removed", GONE.deleted, "<span>This video has been removed</span>"),
    ph("disabled", GONE.deleted, '<h2 style="">This video has been disabled.</h2>'),
    ph("removed, by its markup", GONE.deleted, '<div class="video removed"><p>Gone</p></div>'),
    ph(
      "a video of which a comment was removed",
      "active ok_service",
      '<p class="removed">…</p><script>var flashvars_1 = {};</script>',
    ),
    ...quoted(
      [
        "This video has been removed",
        "This video has been disabled",
        "Video has been removed at the request of its owner",
        "Video has been flagged for verification in accordance with rules",
        "This video is currently unavailable",
      ],
      "<script>var flashvars_1 = {};</script>",
      (what, body) => ph(what, "active ok_service", body),
    ),
    ph(
      "taken down",
      "dead service_takedown C2",
      "<span>Video has been removed at the request of the copyright owner</span>",
    ),
    ph(
      "flagged",
      "dead service_takedown C2",
      "<span>Video has been flagged for verification in accordance with our trust and safety policy.</span>",
    ),
    ph(
      "away",
      "unknown unconfirmed (service_not_found in 24 hours)",
      "<span>This video is currently unavailable</span>",
    ),
    ph("private", "unknown service_private", '<i id="iconLocked"></i>'),
    ph("paid", PROTECTED, "<h2>Upgrade to Pornhub Premium to enjoy this video.</h2>"),
    ph("for sale", PROTECTED, "<script>name = 'Buy on video player'</script>"),
    ph("not shown here", "unknown geo_blocked", '<div class="geoBlocked"></div>'),
    ph(
      "not shown in the country",
      "unknown geo_blocked",
      "<p>This content is unavailable in your country.</p>",
    ),
    ph(
      "away for a country",
      "unknown geo_blocked",
      '<div class="limited-functionality"></div><p>This video has been removed</p>',
    ),
    failing(PORNHUB, "<script>var flashvars_1 = {};</script>", PH_PAGE),
    ...troubled(PORNHUB, PH_PAGE),
  ],
});

const XVIDEOS = "https://www.xvideos.com/video.ucuvbkfda4e/a_video";

tellOf("xvideos", {
  urls: [
    XVIDEOS,
    "https://fr.xvideos.com/video4588838/a_video",
    "https://xvideos2.com/embedframe/4588838",
    "https://XVIDEOS.es/video4588838",
  ],
  rows: [
    {
      ...shown(
        XVIDEOS,
        "a video",
        "active ok_service",
        "<script>html5player.setVideoTitle('A video');</script>",
      ),
      asked: [`GET ${XVIDEOS}`],
    },
    {
      what: "a video that has a new address",
      url: "https://www.xvideos.com/video4588838/a_video",
      web: {
        "www.xvideos.com/video4588838/a_video": to(XVIDEOS),
        [keyOf(XVIDEOS)]: site("<script>html5player.setVideoHLS('x')</script>"),
      },
      seen: "active ok_service",
    },
    {
      what: "a list, to which a lost one leads",
      url: XVIDEOS,
      web: {
        [keyOf(XVIDEOS)]: to("/tags/a"),
        "www.xvideos.com/tags/a": site("<script>html5player.setVideoHLS('x')</script>"),
      },
      seen: "unknown service_unrecognised",
    },
    shown(
      "https://www.xvideos.com/embedframe/4588838",
      "a player of what was deleted",
      GONE.deleted,
      "<p> This video has been deleted</p>",
    ),
    shown(
      XVIDEOS,
      "taken down",
      "dead service_takedown C2",
      '<h1 class="inlineError">We received a request to have this video deleted.</h1>',
    ),
    shown(
      XVIDEOS,
      "gone",
      GONE.missing,
      '<h1 class="inlineError">Sorry, this video is not available.</h1>',
    ),
    shown(
      XVIDEOS,
      "no page",
      GONE.missing,
      "<h1>Sorry but the page you requested was not found.</h1>",
    ),
    shown(
      XVIDEOS,
      "not shown here",
      "unknown geo_blocked",
      '<h1 class="inlineError">Sorry, this video is not available in your country.</h1>',
    ),
    shown(
      XVIDEOS,
      "another error",
      "unknown unconfirmed (service_not_found in 24 hours)",
      '<h1 class="inlineError">We are sorry.</h1>',
    ),
    ...quoted(
      [
        "We received a request to have this video deleted",
        "This video has been deleted",
        "Sorry, this video is not available",
        "Page not found",
        '<i class="inlineError">Oh</i>',
        '<div class="removed">A comment</div>',
      ],
      "<script>html5player.setVideoTitle('A');</script>",
      (what, body) => shown(XVIDEOS, what, "active ok_service", body),
    ),
    shown(XVIDEOS, "removed, in its words", GONE.deleted, "<p>This video has been removed</p>"),
    shown(XVIDEOS, "removed, by its markup", GONE.deleted, '<div class="removed">Gone</div>'),
    shown(XVIDEOS, "no such page", GONE.missing, "<h1>Page not found</h1>"),
    shown(XVIDEOS, "a player", "active ok_service", "<script>setVideoTitle('A')</script>"),
    failing(XVIDEOS, "<script>setVideoTitle('A')</script>"),
    ...troubled(XVIDEOS),
  ],
});

const XHAMSTER = "https://xhamster.com/videos/a-video-1509445";
const xh = (what: string, seen: string, body: string, status: number): Row => ({
  what,
  url: XHAMSTER,
  web: { [keyOf(XHAMSTER)]: page(body, status) },
  seen,
});

tellOf("xhamster", {
  urls: [
    XHAMSTER,
    "https://de.xhamster.com/videos/a-video-xhnBJZx",
    "https://m.xhamster2.com/movies/1509445/a_video.html",
    "https://XHAMSTER.desi/xembed.php?video=3328539",
    "https://xhvid.com/videos/lk-mm-xhc6wn6",
  ],
  rows: [
    {
      ...shown(
        XHAMSTER,
        "a video",
        "active ok_service",
        '<script>window.initials={"videoModel":{"title":"A video"}};</script>',
      ),
      asked: [`GET ${XHAMSTER}`],
      headers: { cookie: "lang=en; video_titles_translation=0" },
    },
    {
      what: "a player",
      url: "https://xhamster.com/xembed.php?video=3328539",
      web: {
        "xhamster.com/xembed.php": site('<script>x={"xplayerSettings": {"a":1}}</script>'),
      },
      seen: "active ok_service",
    },
    xh("deleted", GONE.deleted, "<title>Page was deleted</title><h1>Sorry</h1>", 423),
    xh("locked", "unknown http_423", "<title>Locked</title><h1>Sorry</h1>", 423),
    xh("gone, by a status of its own", GONE.missing, "<h1>Sorry</h1>", 452),
    xh("gone for good, by the status", "dead http_410 C1", "<h1>Sorry</h1>", 410),
    xh(
      "for friends",
      "unknown service_private",
      "<p>This video is visible to <b>friends</b></p>",
      403,
    ),
    shown(XHAMSTER, "deleted, in its words", GONE.deleted, "<p>This video was deleted</p>"),
    shown(XHAMSTER, "removed, in its words", GONE.deleted, "<p>This video has been removed</p>"),
    shown(XHAMSTER, "removed, by its markup", GONE.deleted, '<div class="removed">Gone</div>'),
    ...quoted(
      [
        "This video was deleted",
        "This video has been removed",
        '<div class="removed">A comment</div>',
      ],
      '<script>window.initials={"videoModel":{"title":"A video"}};</script>',
      (what, body) => shown(XHAMSTER, what, "active ok_service", body),
    ),
    shown(XHAMSTER, "closed", GONE.deleted, '<div class="box" id="videoClosed">Closed</div>'),
    {
      what: "led to an error",
      url: XHAMSTER,
      web: {
        [keyOf(XHAMSTER)]: to("/site/error"),
        "xhamster.com/site/error": site("<h1>Sorry</h1>"),
      },
      seen: GONE.missing,
    },
    shown(XHAMSTER, "locked by a password", PROTECTED, '<div class="video-password-block"></div>'),
    shown(XHAMSTER, "for sale", PROTECTED, '<div class="buy_tips">Buy it</div>'),
    shown(XHAMSTER, "paid", PROTECTED, "<tipt>This video is paid</tipt>"),
    failing(XHAMSTER, '<script>x={"videoModel":{}}</script>'),
    ...troubled(XHAMSTER),
  ],
});

const REDTUBE = "https://www.redtube.com/38864951";

tellOf("redtube", {
  urls: [
    REDTUBE,
    "https://it.redtube.com/66418",
    "https://www.redtube.com.br/103224331",
    "https://EMBED.redtube.com/?bgcolor=000000&id=1443286",
  ],
  rows: [
    {
      ...shown(
        REDTUBE,
        "a video",
        "active ok_service",
        '<script>playervars: {"mediaDefinitions":[{}]}</script>',
      ),
      asked: [`GET ${REDTUBE}`],
      headers: { cookie: "language=en" },
    },
    {
      what: "a player in another language",
      url: "https://embed.redtube.com/?bgcolor=000000&id=38864951",
      web: { [keyOf(REDTUBE)]: site("<script>mediaDefinition: []</script>") },
      seen: "active ok_service",
      asked: [`GET ${REDTUBE}`],
    },
    {
      what: "another video, to which a lost one leads",
      url: REDTUBE,
      web: {
        [keyOf(REDTUBE)]: to("/1234567"),
        "www.redtube.com/1234567": site("<script>mediaDefinition: []</script>"),
      },
      seen: "unknown service_unrecognised",
    },
    shown(REDTUBE, "deleted", GONE.deleted, '<div class="video-deleted-info">Sorry</div>'),
    shown(
      REDTUBE,
      "deleted, with a player",
      "unknown service_unrecognised",
      '<div class="video-deleted-info">Sorry</div><script>mediaDefinition: []</script>',
    ),
    shown(
      REDTUBE,
      "private, with a player",
      "unknown service_private",
      '<p class="private_video_text">Sorry</p><script>mediaDefinition: []</script>',
    ),
    shown(REDTUBE, "removed, by its markup", GONE.deleted, '<div class="removed">Gone</div>'),
    ...quoted(
      [
        "This video has been removed",
        "Video has been flagged for verification",
        "My page is no longer available",
        "Error Page Not Found",
        "This video is private",
        '<div class="removed">A comment</div>',
      ],
      '<script>playervars: {"mediaDefinitions":[{}]}</script>',
      (what, body) => shown(REDTUBE, what, "active ok_service", body),
    ),
    shown(REDTUBE, "removed", GONE.deleted, "<p>This video has been removed.</p>"),
    shown(
      REDTUBE,
      "flagged",
      "dead service_takedown C2",
      "<p>Video has been flagged for verification in accordance with our policy</p>",
    ),
    shown(REDTUBE, "gone", GONE.missing, "<p>This video is no longer available.</p>"),
    shown(REDTUBE, "no page", GONE.missing, "<p>Error Page Not Found</p>"),
    shown(REDTUBE, "private", "unknown service_private", '<p class="private_video_text">Sorry</p>'),
    shown(REDTUBE, "for friends", "unknown service_private", "<p>This video is private</p>"),
    shown(REDTUBE, "away", GONE.deleted, '<p class="unavailable_text">Sorry</p>'),
    failing(REDTUBE, "<script>mediaDefinition: []</script>"),
    ...troubled(REDTUBE),
  ],
});
