import { challenge, file, json, page, text, to, type Web } from "./played-web.ts";
import { type Row, tellOf } from "./told.ts";

/** Pages of sites that are filled by scripts: a title, and little else. */
const shell = (title: string, head = "") =>
  `<!doctype html><html><head><title>${title}</title>${head}</head><body><div id="root"></div><script src="/main.js"></script></body></html>`;

const missing = (title = "Page not found") => page(`<title>${title}</title><h1>${title}</h1>`, 404);

const serverError = () => json({ error: "Internal Server Error" }, 500);

const own = (link: string, answer: Web[string]): Web => {
  const { host, pathname } = new URL(link);
  return { [host + pathname]: answer };
};

/** What an oEmbed endpoint may answer for a link, where its 404 is the last word. */
function oembedRows(link: string, endpoint: string, query: string): Row[] {
  return [
    {
      what: "a picture",
      url: link,
      web: { [endpoint]: json({ version: "1.0", type: "photo", title: "A short story" }) },
      seen: "active ok_service",
      asked: [`GET https://${endpoint}?${query}`],
    },
    {
      what: "one that is not there",
      url: link,
      web: { [endpoint]: text("Not Found", 404) },
      seen: "dead service_not_found C2",
    },
    {
      what: "one that was taken away",
      url: link,
      web: { [endpoint]: text("Gone", 410) },
      seen: "dead service_deleted C2",
    },
    {
      what: "an endpoint that is ill, and a page that looks fine",
      url: link,
      web: { [endpoint]: serverError(), ...own(link, shell("A short story")) },
      seen: "unknown service_probe_failed",
    },
    {
      what: "an endpoint behind a wall, and a page that is missing",
      url: link,
      web: { [endpoint]: challenge(), ...own(link, missing()) },
      seen: "dead http_404 C2",
    },
    {
      what: "an endpoint that has had enough",
      url: link,
      web: { [endpoint]: json({ error: "Too many requests" }, 429) },
      seen: "unknown service_rate_limited",
    },
  ];
}

/** Its status 403 is the last word, too. */
const privateRow = (link: string, endpoint: string): Row => ({
  what: "one that is not for all",
  url: link,
  web: { [endpoint]: json({ error: "Forbidden" }, 403) },
  seen: "unknown service_private",
});

/** Its status 403 is for the page to confirm. */
const refusedRows = (link: string, endpoint: string): Row[] => [
  {
    what: "one that is refused, and a page that looks fine",
    url: link,
    web: { [endpoint]: json({ error: "Forbidden" }, 403), ...own(link, shell("A short story")) },
    seen: "unknown service_private",
  },
  {
    what: "one that is refused, and a page that is missing",
    url: link,
    web: { [endpoint]: json({ error: "Forbidden" }, 403), ...own(link, missing()) },
    seen: "dead http_404 C2",
  },
];

const IMGUR = "https://imgur.com/21yMxCS";
const IMGUR_FILE = "https://i.imgur.com/21yMxCS.png";
const IMGUR_ALBUM = "https://imgur.com/a/TcBmP";
const imgurShown = shell(
  "Test - Imgur",
  '<link rel="alternate" type="application/json+oembed" href="https://api.imgur.com/oembed.json?url=https://imgur.com/21yMxCS" title="Test">',
);
const imgurEmpty = shell("Imgur: The magic of the Internet");

const imgurPicture = (etag: string) =>
  new Response("a picture", { headers: { "Content-Type": "image/png", ETag: `"${etag}"` } });

tellOf("imgur", {
  urls: [
    IMGUR,
    IMGUR_FILE,
    "https://m.imgur.com/r/Celebs/iHJ7tsM",
    "https://IMGUR.io/a/TcBmP",
    "https://i.imgur.io/zxaY6.gif",
    "https://www.imgur.com/upload",
  ],
  rows: [
    {
      what: "a file",
      url: IMGUR_FILE,
      web: { "i.imgur.com/21yMxCS.png": file("image/png") },
      seen: "active ok",
    },
    {
      what: "a file that was removed",
      url: IMGUR_FILE,
      web: {
        "i.imgur.com/21yMxCS.png": to("https://i.imgur.com/removed.png"),
        "i.imgur.com/removed.png": file("image/png"),
      },
      seen: "dead service_deleted C1",
      asked: ["GET https://i.imgur.com/21yMxCS.png", "GET https://i.imgur.com/removed.png"],
    },
    ...[
      "https://imgur.com/21yMxCS",
      "https://imgur.com/21yMxCS.png",
      "https://m.imgur.com/21yMxCS",
      "https://m.imgur.com/21yMxCS.jpg",
      "https://www.imgur.com/gallery/21yMxCS",
      "https://imgur.com/a/TcBmP",
      "https://imgur.io/21yMxCS",
      "https://i.imgur.io/21yMxCS.gifv",
      "https://i.stack.imgur.com/zxaY6.png",
      "https://b.imgur.com/21yMxCS.png",
    ].flatMap((url) =>
      ["https://i.imgur.com/removed.png", "https://imgur.com/removed.png?1"].map((removed) => ({
        what: `one that leads to ${removed}, at ${url}`,
        url,
        web: {
          [url.replace("https://", "")]: to(removed),
          "i.imgur.com/removed.png": file("image/png"),
          "imgur.com/removed.png": file("image/png"),
        },
        seen: "dead service_deleted C1",
      })),
    ),
    ...["https://i.imgur.com/21yMxCS.png", "https://i.stack.imgur.com/zxaY6.png"].map((url) => ({
      what: `one that is the picture of removed ones itself, at ${url}`,
      url,
      web: { [url.replace("https://", "")]: imgurPicture("d835884373f4d6c8f24742ceabe74946") },
      seen: "dead service_deleted C1",
    })),
    ...[
      "https://i.imgur.com/21yMxCS.png",
      "https://imgur.com/21yMxCS.jpg",
      "https://i.stack.imgur.com/zxaY6.png",
      "https://i.imgur.com/removal.png",
    ].map((url) => ({
      what: `another picture, at ${url}`,
      url,
      web: { [url.replace("https://", "")]: imgurPicture("0a1b2c3d4e5f60718293a4b5c6d7e8f9") },
      seen: "active ok",
    })),
    {
      what: "a file that leads to one of another name",
      url: IMGUR_FILE,
      web: {
        "i.imgur.com/21yMxCS.png": to("https://i.imgur.com/21yMxCS.gif"),
        "i.imgur.com/21yMxCS.gif": file("image/gif"),
      },
      seen: "active ok_redirected",
    },
    {
      what: "a file that is not there",
      url: IMGUR_FILE,
      web: { "i.imgur.com/21yMxCS.png": text("Not Found", 404) },
      seen: "dead http_404 C2",
    },
    {
      what: "a file that is shown on its page",
      url: IMGUR_FILE,
      web: {
        "i.imgur.com/21yMxCS.png": to("https://imgur.com/21yMxCS"),
        "imgur.com/21yMxCS": imgurShown,
      },
      seen: "active ok_service",
    },
    {
      what: "a film, shown by a page",
      url: "https://i.imgur.com/A61SaA1.gifv",
      web: { "i.imgur.com/A61SaA1.gifv": imgurShown },
      seen: "active ok_service",
    },
    {
      what: "a file that is not for this region",
      url: IMGUR_FILE,
      web: {
        "i.imgur.com/21yMxCS.png": page(shell("Content not viewable in your region"), 200),
      },
      seen: "unknown geo_blocked",
    },
    {
      what: "a file that is not for data centres",
      url: IMGUR_FILE,
      web: { "i.imgur.com/21yMxCS.png": text("Forbidden", 403) },
      seen: "unknown http_403",
    },
    {
      what: "an image",
      url: IMGUR,
      web: { "imgur.com/21yMxCS": imgurShown },
      seen: "active ok_service",
    },
    {
      what: "an image by its title",
      url: "https://imgur.com/mrw-gifv-is-up-A61SaA1",
      web: { "imgur.com/mrw-gifv-is-up-A61SaA1": imgurShown },
      seen: "active ok_service",
    },
    {
      what: "an image that is not there",
      url: IMGUR,
      web: { "imgur.com/21yMxCS": imgurEmpty },
      seen: "dead service_not_found C2",
    },
    {
      what: "an image that is not there, on a page as if it were",
      url: IMGUR,
      web: { "imgur.com/21yMxCS": page(imgurShown, 404) },
      seen: "dead http_404 C2",
    },
    {
      what: "an answer of the API, which is no image",
      url: "https://api.imgur.com/credits",
      web: { "api.imgur.com/credits": json({ data: {}, success: true }) },
      seen: "active ok",
    },
    {
      what: "an answer of the API, which is no post",
      url: "https://api.imgur.com/a/21yMxCS",
      web: { "api.imgur.com/a/21yMxCS": json({ data: {}, success: true }) },
      seen: "active ok",
    },
    {
      what: "a page that is no image",
      url: "https://imgur.com/upload",
      web: { "imgur.com/upload": page(imgurEmpty, 404) },
      seen: "dead http_404 C2",
    },
    {
      what: "an album",
      url: IMGUR_ALBUM,
      web: { "imgur.com/a/TcBmP": imgurShown },
      seen: "active ok_service",
    },
    {
      what: "an album that is not there",
      url: IMGUR_ALBUM,
      web: { "imgur.com/a/TcBmP": imgurEmpty },
      seen: "dead service_not_found C2",
    },
    {
      what: "a post of a gallery with status 404",
      url: "https://imgur.com/t/cat/qSB8NbN",
      web: { "imgur.com/t/cat/qSB8NbN": page(imgurEmpty, 404) },
      seen: "dead http_404 C2",
    },
    {
      what: "a page that nobody knows",
      url: IMGUR,
      web: { "imgur.com/21yMxCS": shell("Something new") },
      seen: "unknown service_unrecognised",
    },
    {
      what: "a post that is not for this region",
      url: IMGUR_ALBUM,
      web: {
        "imgur.com/a/TcBmP": shell(
          "Imgur",
          "<meta content='Content not available in your region'>",
        ),
      },
      seen: "unknown geo_blocked",
    },
    {
      what: "a wall",
      url: IMGUR,
      web: { "imgur.com/21yMxCS": challenge() },
      seen: "unknown bot_challenge",
    },
  ],
});

const FLICKR = "https://www.flickr.com/photos/departingyyz/16089302239";
const FLICKR_PAGE = "www.flickr.com/photos/departingyyz/16089302239";
const FLICKR_OEMBED = "www.flickr.com/services/oembed/";
const STATIC = "https://live.staticflickr.com/7468/16089302239_de18cd8017_b.jpg";
const ALBUM = "https://www.flickr.com/photos/shona_s/albums/72157633471741607";
const flickrShown = shell(
  "a photo | Flickr",
  '<meta property="og:type" content="flickr_photos:photo">',
);
const noMember = `<title>Flickr</title><div class="Problem"><h1>This member is no longer active on Flickr.</h1></div>`;

tellOf("flickr", {
  urls: [
    FLICKR,
    "https://flic.kr/p/FPVo9U",
    STATIC,
    "https://farm2.static.flickr.com/1035/1188352415_cb139831d0.jpg",
    "https://m.flickr.com/photos/departingyyz/16089302239",
    "https://FLICKR.com/groups/bird_headshots/",
  ],
  rows: [
    {
      what: "a photo",
      url: "https://m.flickr.com/photos/99887766@N00/16089302239/in/photostream",
      web: { [FLICKR_OEMBED]: json({ type: "photo", title: "Untitled", flickr_type: "photo" }) },
      seen: "active ok_service",
      asked: [
        "GET https://www.flickr.com/services/oembed/?format=json&url=https%3A%2F%2Fwww.flickr.com%2Fphotos%2F99887766%40N00%2F16089302239%2F",
      ],
    },
    {
      what: "a photo by a short address",
      url: "https://flic.kr/p/FPVo9U",
      web: {
        "flic.kr/p/FPVo9U": to(FLICKR, 301),
        [FLICKR_PAGE]: shell("a photo | Flickr"),
        [FLICKR_OEMBED]: json({ type: "photo", title: "a photo" }),
      },
      seen: "active ok_service",
    },
    {
      what: "a photo that is not there",
      url: FLICKR,
      web: {
        [FLICKR_OEMBED]: text("Not Found", 404),
        [FLICKR_PAGE]: page('<title>Flickr: Page Not Found</title><div class="Four04Case">', 404),
      },
      seen: "dead service_not_found C2",
    },
    {
      what: "a photo that an answer with success calls missing",
      url: FLICKR,
      web: {
        [FLICKR_OEMBED]: json({ stat: "fail", code: 1, message: "Photo not found", type: "link" }),
        [FLICKR_PAGE]: page("<title>Flickr</title><h1>Page not found</h1>", 404),
      },
      seen: "dead http_404 C2",
    },
    {
      what: "a private photo, called missing by the endpoint",
      url: FLICKR,
      web: {
        [FLICKR_OEMBED]: text("Not Found", 404),
        [FLICKR_PAGE]: page("<title>Flickr: Private</title><h1>This page is private</h1>", 403),
      },
      seen: "unknown service_private",
    },
    {
      what: "a photo that must not be embedded elsewhere",
      url: FLICKR,
      web: {
        [FLICKR_OEMBED]: text("Unauthorized", 401),
        [FLICKR_PAGE]: flickrShown,
      },
      seen: "active ok_service",
    },
    {
      what: "a photo that must not be embedded, and a page that nobody knows",
      url: FLICKR,
      web: { [FLICKR_OEMBED]: text("Forbidden", 403), [FLICKR_PAGE]: shell("Flickr") },
      seen: "unknown service_unrecognised",
    },
    {
      what: "a photo of which only the head of its page is left",
      url: FLICKR,
      web: {
        [FLICKR_OEMBED]: text("Not Found", 404),
        [FLICKR_PAGE]: page(flickrShown, 410),
      },
      seen: "dead http_410 C1",
    },
    {
      what: "a photo of a member who left",
      url: FLICKR,
      web: { [FLICKR_OEMBED]: text("Not Found", 404), [FLICKR_PAGE]: page(noMember, 200) },
      seen: "dead service_account_gone C2",
    },
    {
      what: "a photo under which somebody quotes what is said of members who left",
      url: FLICKR,
      web: {
        [FLICKR_OEMBED]: serverError(),
        [FLICKR_PAGE]: flickrShown.replace(
          '<div id="root">',
          "<p>This member is no longer active on Flickr.</p><p>Four04Case</p><div>",
        ),
      },
      seen: "active ok_service",
    },
    {
      what: "an album whose title speaks of members who left",
      url: ALBUM,
      web: {
        "www.flickr.com/photos/shona_s/albums/72157633471741607": shell(
          "This member is no longer active on Flickr",
          '<meta property="og:type" content="flickr_photos:set">',
        ),
      },
      seen: "active ok",
    },
    {
      what: "a group whose description quotes what is said of members who left",
      url: "https://www.flickr.com/groups/bird_headshots/",
      web: {
        "www.flickr.com/groups/bird_headshots/": shell(
          "Bird headshots",
          '<meta name="description" content="This member is no longer active on Flickr. Four04Case">',
        ),
      },
      seen: "active ok",
    },
    {
      what: "an endpoint that is ill, and a block of this monitor",
      url: FLICKR,
      web: {
        [FLICKR_OEMBED]: serverError(),
        [FLICKR_PAGE]: page(
          "<h1>403 Forbidden</h1>Request forbidden by administrative rules.",
          403,
        ),
      },
      seen: "unknown ip_blocked",
    },
    {
      what: "a file",
      url: STATIC,
      web: { "live.staticflickr.com/7468/16089302239_de18cd8017_b.jpg": file("image/jpeg") },
      seen: "active ok",
    },
    {
      what: "a file in place of which another one comes",
      url: STATIC,
      web: {
        "live.staticflickr.com/7468/16089302239_de18cd8017_b.jpg": to(
          "https://combo.staticflickr.com/pw/images/photo_unavailable.gif",
        ),
        "combo.staticflickr.com/pw/images/photo_unavailable.gif": file("image/gif"),
      },
      seen: "dead service_not_found C2",
    },
    {
      what: "a file that was taken away",
      url: STATIC,
      web: { "live.staticflickr.com/7468/16089302239_de18cd8017_b.jpg": text("Gone", 410) },
      seen: "dead http_410 C1",
    },
    {
      what: "an album that is private",
      url: ALBUM,
      web: {
        "www.flickr.com/photos/shona_s/albums/72157633471741607": page("<h1>Private</h1>", 403),
      },
      seen: "unknown service_private",
      asked: [`GET ${ALBUM}`],
    },
    {
      what: "an album that is not there",
      url: ALBUM,
      web: { "www.flickr.com/photos/shona_s/albums/72157633471741607": missing() },
      seen: "dead http_404 C2",
    },
  ],
});

const GIPHY = "https://giphy.com/gifs/cant-hardly-wait-kW8mnYSNkUYKc";
const GIPHY_OEMBED = "giphy.com/services/oembed";
const GIPHY_FILE = "https://media.giphy.com/media/kW8mnYSNkUYKc/giphy.gif";
const GIPHY_FILE_KEY = "media.giphy.com/media/kW8mnYSNkUYKc/giphy.gif";

tellOf("giphy", {
  urls: [GIPHY, "https://gph.is/2abcdef", "https://MEDIA3.giphy.com/media/kW8mnYSNkUYKc/giphy.gif"],
  rows: [
    ...oembedRows(
      GIPHY,
      GIPHY_OEMBED,
      "url=https%3A%2F%2Fgiphy.com%2Fgifs%2Fcant-hardly-wait-kW8mnYSNkUYKc",
    ),
    ...refusedRows(GIPHY, GIPHY_OEMBED),
    {
      what: "a clip by a short address",
      url: "https://gph.is/2abcdef",
      web: {
        "gph.is/2abcdef": to("https://giphy.com/clips/kW8mnYSNkUYKc", 301),
        "giphy.com/clips/kW8mnYSNkUYKc": shell("Clip - GIPHY"),
        [GIPHY_OEMBED]: text("Not Found", 404),
      },
      seen: "dead service_not_found C2",
    },
    {
      what: "a file",
      url: "https://media1.giphy.com/media/v1.Y2lkPTc5/kW8mnYSNkUYKc/giphy.gif",
      web: { [GIPHY_OEMBED]: json({ type: "photo", title: "Waiting" }) },
      seen: "active ok_service",
      asked: [
        "GET https://giphy.com/services/oembed?url=https%3A%2F%2Fgiphy.com%2Fgifs%2FkW8mnYSNkUYKc",
      ],
    },
    {
      what: "a file of which no page is known",
      url: GIPHY_FILE,
      web: { [GIPHY_OEMBED]: text("Not Found", 404), [GIPHY_FILE_KEY]: file("image/gif") },
      seen: "active ok_service",
    },
    {
      what: "a file in place of which another one comes",
      url: GIPHY_FILE,
      web: { [GIPHY_OEMBED]: text("Not Found", 404), [GIPHY_FILE_KEY]: file("image/gif", 404) },
      seen: "dead http_404 C2",
    },
    {
      what: "a page in place of a file",
      url: GIPHY_FILE,
      web: { [GIPHY_OEMBED]: text("Not Found", 404), [GIPHY_FILE_KEY]: shell("GIPHY") },
      seen: "unknown service_unrecognised",
    },
    {
      what: "a file that is not there",
      url: GIPHY_FILE,
      web: { [GIPHY_OEMBED]: text("Gone", 410), [GIPHY_FILE_KEY]: text("Not Found", 404) },
      seen: "dead http_404 C2",
    },
  ],
});

const REDGIFS = "https://www.redgifs.com/watch/foolishforkedabyssiniancat";
const REDGIFS_API = "api.redgifs.com/v2/gifs/foolishforkedabyssiniancat";
const TOKEN = { "api.redgifs.com/v2/auth/temporary": json({ token: "eyJh.eyJz.c2ln" }) };

tellOf("redgifs", {
  urls: [
    REDGIFS,
    "https://v3.redgifs.com/watch/605025947780972895",
    "https://www.GifDeliveryNetwork.com/foolishforkedabyssiniancat",
  ],
  rows: [
    {
      what: "a film, for whoever holds a token",
      url: REDGIFS,
      web: {
        ...TOKEN,
        [REDGIFS_API]: ({ headers }) =>
          headers.get("Authorization") === "Bearer eyJh.eyJz.c2ln" &&
          headers.get("Origin") === "https://www.redgifs.com" &&
          headers.get("Referer") === "https://www.redgifs.com/"
            ? json({ gif: { id: "foolishforkedabyssiniancat" }, user: null })
            : json({ error: { code: "InvalidToken", status: 401 } }, 401),
      },
      seen: "active ok_service",
      asked: ["GET https://api.redgifs.com/v2/auth/temporary", `GET https://${REDGIFS_API}`],
      headers: { Origin: "https://www.redgifs.com", Referer: "https://www.redgifs.com/" },
    },
    {
      what: "one that is not there",
      url: "https://v3.redgifs.com/ifr/foolishforkedabyssiniancat",
      web: { ...TOKEN, [REDGIFS_API]: json({ error: { code: "GifNotFound", status: 404 } }, 404) },
      seen: "dead service_not_found C2",
    },
    {
      what: "one that was deleted",
      url: REDGIFS,
      web: { ...TOKEN, [REDGIFS_API]: json({ error: { code: "Gone", status: 410 } }, 410) },
      seen: "dead service_deleted C1",
    },
    {
      what: "a token that does not count, and a page that looks fine",
      url: REDGIFS,
      web: {
        ...TOKEN,
        [REDGIFS_API]: json({ error: { code: "WrongSender", status: 401 } }, 401),
        "www.redgifs.com/watch/foolishforkedabyssiniancat": shell("RedGIFs"),
      },
      seen: "unknown service_probe_failed",
    },
    {
      what: "no token, and a page that is gone",
      url: REDGIFS,
      web: {
        "api.redgifs.com/v2/auth/temporary": json({ token: "" }),
        "www.redgifs.com/watch/foolishforkedabyssiniancat": page("<h1>Gone</h1>", 410),
      },
      seen: "dead http_410 C1",
    },
    {
      what: "an answer without a film, and a page that is missing",
      url: REDGIFS,
      web: {
        ...TOKEN,
        [REDGIFS_API]: json({ gif: null }),
        "www.redgifs.com/watch/foolishforkedabyssiniancat": missing(),
      },
      seen: "dead http_404 C2",
    },
    {
      what: "an API that has had enough",
      url: REDGIFS,
      web: { ...TOKEN, [REDGIFS_API]: json({ error: { code: "RateLimited" } }, 429) },
      seen: "unknown service_rate_limited",
    },
    {
      what: "an address with capitals, which only the site knows",
      url: "https://www.redgifs.com/watch/FoolishForkedAbyssinianCat",
      web: { ...TOKEN, [REDGIFS_API]: json({ gif: { id: "foolishforkedabyssiniancat" } }) },
      seen: "active ok_service",
      asked: ["GET https://api.redgifs.com/v2/auth/temporary", `GET https://${REDGIFS_API}`],
    },
  ],
});

tellOf("deviantart", {
  urls: [
    "https://www.deviantart.com/shimoda7/art/For-the-sake-10073852",
    "https://Shimoda7.deviantart.com/art/For-the-sake-of-a-memory-10073852",
    "https://fav.me/ddijrpu",
    "https://sta.sh/022c83odnaxc",
  ],
  rows: [
    ...oembedRows(
      "https://www.deviantart.com/shimoda7/art/For-the-sake-10073852",
      "backend.deviantart.com/oembed",
      "format=json&url=https%3A%2F%2Fwww.deviantart.com%2Fshimoda7%2Fart%2FFor-the-sake-10073852",
    ),
    privateRow(
      "https://www.deviantart.com/shimoda7/art/For-the-sake-10073852",
      "backend.deviantart.com/oembed",
    ),
    {
      what: "a picture under an old address",
      url: "https://shimoda7.deviantart.com/art/For-the-sake-of-a-memory-10073852",
      web: { "backend.deviantart.com/oembed": json({ type: "photo", title: "For the sake" }) },
      seen: "active ok_service",
    },
    {
      what: "a short address that leads nowhere",
      url: "https://fav.me/dddd",
      web: { "fav.me/dddd": missing() },
      seen: "dead http_404 C2",
    },
  ],
});

tellOf("gyazo", {
  urls: [
    "https://gyazo.com/71e107d77e8495f0e54d2e5b6dc5d326",
    "https://i.gyazo.com/71e107d77e8495f0e54d2e5b6dc5d326.png",
    "https://WWW.gyazo.com/",
  ],
  rows: [
    ...oembedRows(
      "https://gyazo.com/71e107d77e8495f0e54d2e5b6dc5d326",
      "api.gyazo.com/api/oembed",
      "url=https%3A%2F%2Fgyazo.com%2F71e107d77e8495f0e54d2e5b6dc5d326",
    ),
    privateRow("https://gyazo.com/71e107d77e8495f0e54d2e5b6dc5d326", "api.gyazo.com/api/oembed"),
    {
      what: "an image of a team, about which nobody else is asked",
      url: "https://nota.gyazo.com/71e107d77e8495f0e54d2e5b6dc5d326",
      web: { "nota.gyazo.com/71e107d77e8495f0e54d2e5b6dc5d326": missing() },
      seen: "dead http_404 C2",
      asked: ["GET https://nota.gyazo.com/71e107d77e8495f0e54d2e5b6dc5d326"],
    },
    {
      what: "a file",
      url: "https://i.gyazo.com/71e107d77e8495f0e54d2e5b6dc5d326.png",
      web: { "i.gyazo.com/71e107d77e8495f0e54d2e5b6dc5d326.png": file("image/png") },
      seen: "active ok",
    },
  ],
});

tellOf("behance", {
  urls: [
    "https://www.behance.net/gallery/17386197/A-Short-Story",
    "https://behance.net/alexstrohl",
    "https://M.Behance.net/gallery/17386197/A-Short-Story",
  ],
  rows: [
    ...oembedRows(
      "https://www.behance.net/gallery/17386197/A-Short-Story",
      "www.behance.net/services/oembed",
      "url=https%3A%2F%2Fwww.behance.net%2Fgallery%2F17386197%2FA-Short-Story",
    ),
    ...refusedRows(
      "https://www.behance.net/gallery/17386197/A-Short-Story",
      "www.behance.net/services/oembed",
    ),
    {
      what: "something that is offered",
      url: "https://www.behance.net/imjessicatr/services/63797/I-will-design",
      web: { "www.behance.net/services/oembed": text("Not Found", 404) },
      seen: "dead service_not_found C2",
    },
  ],
});

const SMUGMUG_OEMBED = "api.smugmug.com/services/oembed/";
const GALLERY = "https://tdm.smugmug.com/Nature/Dove";

tellOf("smugmug", {
  urls: [
    "https://tdm.smugmug.com/Nature/Dove/i-kCsLJT6",
    "https://www.smugmug.com/gallery/n-GLCjnD/",
    "https://SmugMug.com/",
  ],
  rows: [
    ...oembedRows(
      "https://tdm.smugmug.com/Nature/Dove/i-kCsLJT6",
      SMUGMUG_OEMBED,
      "format=json&url=https%3A%2F%2Ftdm.smugmug.com%2FNature%2FDove%2Fi-kCsLJT6",
    ),
    ...refusedRows("https://tdm.smugmug.com/Nature/Dove/i-kCsLJT6", SMUGMUG_OEMBED),
    {
      what: "a gallery",
      url: GALLERY,
      web: { [SMUGMUG_OEMBED]: json({ type: "rich", title: "Dove", html: "<iframe></iframe>" }) },
      seen: "active ok_service",
    },
    {
      what: "a gallery with a password",
      url: GALLERY,
      web: {
        [SMUGMUG_OEMBED]: text("Forbidden", 403),
        "tdm.smugmug.com/Nature/Dove": shell("Password required"),
      },
      seen: "unknown service_private",
    },
    {
      what: "a gallery that neither knows",
      url: GALLERY,
      web: { [SMUGMUG_OEMBED]: text("Not Found", 404), "tdm.smugmug.com/Nature/Dove": missing() },
      seen: "dead http_404 C2",
    },
    {
      what: "a gallery that was taken away from both",
      url: GALLERY,
      web: {
        [SMUGMUG_OEMBED]: text("Gone", 410),
        "tdm.smugmug.com/Nature/Dove": page("<h1>Gone</h1>", 410),
      },
      seen: "dead http_410 C1",
    },
    {
      what: "a page of help, which is no gallery",
      url: "https://help.smugmug.com/a/question",
      web: { "help.smugmug.com/a/question": missing() },
      seen: "dead http_404 C2",
      asked: ["GET https://help.smugmug.com/a/question"],
    },
    {
      what: "a folder that the endpoint does not know",
      url: GALLERY,
      web: {
        [SMUGMUG_OEMBED]: text("Not Found", 404),
        "tdm.smugmug.com/Nature/Dove": shell("Dove - tdm"),
      },
      seen: "unknown service_unrecognised",
    },
  ],
});

const SHARE = "https://photos.google.com/share/AF1QipN0abcdef?key=RGtyZ";
const SHARE_KEY = "photos.google.com/share/AF1QipN0abcdef";
const SHORT = "https://photos.app.goo.gl/TQ1abcdEFGHijk";
const shared = (body: string) =>
  `<html><head><title>Shared album - A Name – Summer - Google Photos</title></head><body>${body}</body></html>`;

tellOf("google-photos", {
  urls: [SHORT, SHARE, "https://Photos.Google.com/u/0/share/AF1QipN0abcdef?key=RGtyZ"],
  rows: [
    {
      what: "an album",
      url: SHARE,
      web: { [SHARE_KEY]: shared("<div>Summer</div>") },
      seen: "active ok_service",
      asked: [`GET ${SHARE}`],
    },
    {
      what: "an album by a short address",
      url: SHORT,
      web: { "photos.app.goo.gl/TQ1abcdEFGHijk": to(SHARE), [SHARE_KEY]: shared("Summer") },
      seen: "active ok_service",
    },
    {
      what: "an album in which nothing is left",
      url: SHARE,
      web: { [SHARE_KEY]: shared("<div>Album is empty</div>") },
      seen: "dead service_not_found C2",
    },
    {
      what: "an album of which only the page's scripts speak so",
      url: SHARE,
      web: { [SHARE_KEY]: shared('<script>AF_msg={"a":"Album is empty"}</script>') },
      seen: "active ok_service",
    },
    {
      what: "an album that is not there",
      url: SHORT,
      web: { "photos.app.goo.gl/TQ1abcdEFGHijk": missing("Dynamic Link Not Found") },
      seen: "dead http_404 C2",
    },
    {
      what: "an album that is called missing with success",
      url: SHARE,
      web: { [SHARE_KEY]: "<title>Page not found</title><h1>Page not found</h1>" },
      seen: "dead soft404_body C2",
    },
    {
      what: "a page of an error that calls itself Google Photos",
      url: SHARE,
      web: { [SHARE_KEY]: page("<title>Error - Google Photos</title>", 404) },
      seen: "dead http_404 C2",
    },
    {
      what: "an album for those who sign in",
      url: SHARE,
      web: {
        [SHARE_KEY]: to(
          "https://accounts.google.com/ServiceLogin?continue=https%3A%2F%2Fphotos.google.com%2Fshare%2FAF1Q",
        ),
        "accounts.google.com/ServiceLogin": page(
          '<title>Sign in - Google Accounts</title><form><input type="password"></form>',
        ),
      },
      seen: "unknown login_required",
    },
  ],
});
