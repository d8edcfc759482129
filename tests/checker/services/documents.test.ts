import { challenge, json, page, text, to, type Web } from "./played-web.ts";
import { type Row, tellOf } from "./told.ts";

type Endpoint = { url: string; endpoint: string; query: string };

/** A page of which no rule knows anything. */
const fine = (title: string) =>
  `<!doctype html><html><head><title>${title}</title></head><body><h1>${title}</h1><p>By someone.</p></body></html>`;

const missing = page("<title>Page not found</title><h1>Page not found</h1>", 404);

const own = (url: string, answer: Web[string]): Web => {
  const { host, pathname } = new URL(url);
  return { [host + pathname]: answer };
};

/** What every oEmbed endpoint may answer. */
const oembedRows = ({ url, endpoint, query }: Endpoint): Row[] => [
  {
    what: "one that is there",
    url,
    web: { [endpoint]: json({ version: "1.0", type: "rich", title: "A title", html: "<iframe>" }) },
    seen: "active ok_service",
    asked: [`GET https://${endpoint}?${query}`],
  },
  {
    what: "an endpoint that is ill, and a page that looks fine",
    url,
    web: {
      [endpoint]: json({ error: "Internal Server Error" }, 500),
      ...own(url, fine("A title")),
    },
    seen: "unknown service_probe_failed",
  },
  {
    what: "an answer with success that tells nothing, and a page that is missing",
    url,
    web: { [endpoint]: json({ error: "unknown" }), ...own(url, missing) },
    seen: "dead http_404 C2",
  },
  {
    what: "a wall before the endpoint and before the page",
    url,
    web: { [endpoint]: challenge(), ...own(url, challenge()) },
    seen: "unknown bot_challenge",
  },
];

/** The endpoint's 404 is the last word. */
const missingRows = ({ url, endpoint }: Endpoint): Row[] => [
  {
    what: "one that is not there",
    url,
    web: { [endpoint]: text("Not Found", 404) },
    seen: "dead service_not_found C2",
  },
];

const privateRows = ({ url, endpoint }: Endpoint): Row[] =>
  [401, 403].map((status) => ({
    what: `one that is not for all, with status ${status}`,
    url,
    web: { [endpoint]: json({ error: "Not authorized" }, status) },
    seen: "unknown service_private",
  }));

/** The endpoint's 403 is for the page to confirm. */
const refusedRows = ({ url, endpoint }: Endpoint): Row[] => [
  {
    what: "one that wants to know who asks",
    url,
    web: { [endpoint]: json({ error: "Not authorized" }, 401) },
    seen: "unknown service_private",
  },
  {
    what: "one that is refused, and a page that looks fine",
    url,
    web: { [endpoint]: json({ error: "Forbidden" }, 403), ...own(url, fine("A title")) },
    seen: "unknown service_private",
  },
  {
    what: "one that is refused, and a page that is missing",
    url,
    web: { [endpoint]: json({ error: "Forbidden" }, 403), ...own(url, missing) },
    seen: "dead http_404 C2",
  },
];

/** The endpoint's 404 is for the page to confirm. */
const doubtedRows = ({ url, endpoint }: Endpoint): Row[] => [
  {
    what: "one that neither knows",
    url,
    web: { [endpoint]: text("Not Found", 404), ...own(url, missing) },
    seen: "dead http_404 C2",
  },
  {
    what: "one that was taken away from both",
    url,
    web: { [endpoint]: text("Gone", 410), ...own(url, page("<h1>Gone</h1>", 410)) },
    seen: "dead http_410 C1",
  },
  {
    what: "one that only the endpoint does not know",
    url,
    web: { [endpoint]: text("Not Found", 404), ...own(url, fine("A title")) },
    seen: "unknown service_unrecognised",
  },
];

const DOCUMENT = "https://docs.google.com/document/d/1aBcDeFgHiJkLmNoPqRsTuVwXyZ/edit?usp=sharing";
const DOCUMENT_KEY = "docs.google.com/document/d/1aBcDeFgHiJkLmNoPqRsTuVwXyZ/edit";
const FORM = "https://docs.google.com/forms/d/e/1FAIpQLSd_abc/viewform";
const FORM_KEY = "docs.google.com/forms/d/e/1FAIpQLSd_abc/viewform";
const refusal = `<title>Error</title><div id="accessDeniedHeader">You need access</div><p>Ask for access, or switch to an account with access.</p>`;
const noFile = `<title>Error</title><p class="errorMessage">Sorry, the file you have requested does not exist.</p><p>Make sure that you have the correct URL and the file exists.</p>`;

tellOf("google-docs", {
  urls: [
    DOCUMENT,
    FORM,
    "https://docs.google.com/a/example.org/spreadsheets/d/1BxiMVs0XRA5nFMdKvBdBZjgmUUqptlbs74OgvE2upms/edit#gid=0",
    "https://DOCS.google.com/presentation/d/e/2PACX-1vQabc/pub",
  ],
  rows: [
    {
      what: "a document",
      url: DOCUMENT,
      web: { [DOCUMENT_KEY]: fine("Minutes - Google Docs") },
      seen: "active ok_service",
      asked: [`GET ${DOCUMENT}`],
    },
    {
      what: "a table that is about this very error",
      url: "https://docs.google.com/spreadsheets/u/1/d/1aBc/edit",
      web: {
        "docs.google.com/spreadsheets/u/1/d/1aBc/edit": `<title>Errors - Google Sheets</title>${noFile}`,
      },
      seen: "active ok_service",
    },
    {
      what: "a document about access",
      url: DOCUMENT,
      web: { [DOCUMENT_KEY]: fine("You need access to water - Google Docs") },
      seen: "active ok_service",
    },
    {
      what: "a document that is refused without a reason",
      url: DOCUMENT,
      web: { [DOCUMENT_KEY]: page("<title>Error 403</title>", 403) },
      seen: "unknown http_403",
    },
    {
      what: "an error that has a title like a document",
      url: DOCUMENT,
      web: { [DOCUMENT_KEY]: page(fine("Error - Google Docs"), 404) },
      seen: "dead http_404 C2",
    },
    {
      what: "a document that is not there",
      url: DOCUMENT,
      web: { [DOCUMENT_KEY]: page(noFile, 404) },
      seen: "dead service_not_found C2",
    },
    {
      what: "a document that is not there, with success",
      url: DOCUMENT,
      web: { [DOCUMENT_KEY]: page(noFile) },
      seen: "dead service_not_found C2",
    },
    {
      what: "a published document that quotes this very error",
      url: "https://docs.google.com/document/d/e/2PACX-1vQabc/pub",
      web: {
        "docs.google.com/document/d/e/2PACX-1vQabc/pub": `<html><head><title>Errors we know</title></head><body><div id="contents"><p class="c1"><span class="c0">A list.</span></p><p>Sorry, the file you have requested does not exist.</p></div></body></html>`,
      },
      seen: "active ok",
    },
    {
      what: "a form whose question quotes this very error",
      url: FORM,
      web: {
        [FORM_KEY]: `<html><head><title>Which error did you see?</title></head><body><form><div role="heading">Sorry, the file you have requested does not exist.</div></form><script>var FB_PUBLIC_LOAD_DATA_ = [null,["Sorry, the file you have requested does not exist."]];</script></body></html>`,
      },
      seen: "active ok",
    },
    {
      what: "a table as a file, in which this very error is quoted as it was sent",
      url: "https://docs.google.com/spreadsheets/d/1aBc/export?format=csv",
      web: {
        "docs.google.com/spreadsheets/d/1aBc/export": new Response(`error,markup\n1,${noFile}\n`, {
          headers: { "Content-Type": "text/csv" },
        }),
      },
      seen: "active ok",
    },
    ...[400, 410].map((status) => ({
      what: `a document that is missing with status ${status}, on a page of another look`,
      url: DOCUMENT,
      web: {
        [DOCUMENT_KEY]: page(
          "<title>Error</title><p>Sorry, the file you have requested does not exist.</p>",
          status,
        ),
      },
      seen: "dead service_not_found C2",
    })),
    {
      what: "a document that is missing in another language",
      url: DOCUMENT,
      web: { [DOCUMENT_KEY]: page("<title>Error</title>Die Datei ist nicht vorhanden.", 404) },
      seen: "dead http_404 C2",
    },
    {
      what: "a document for those who sign in",
      url: DOCUMENT,
      web: { [DOCUMENT_KEY]: page("<title>Google Docs: Sign-in</title>", 401) },
      seen: "unknown login_required",
    },
    {
      what: "a document to which one needs access",
      url: DOCUMENT,
      web: { [DOCUMENT_KEY]: page(refusal, 403) },
      seen: "unknown login_required",
    },
    {
      what: "a document that asks for another account",
      url: DOCUMENT,
      web: {
        [DOCUMENT_KEY]: page(
          '<title>Google Docs</title><a href="https://accounts.google.com/AccountChooser?service=wise">Switch</a>',
          403,
        ),
      },
      seen: "unknown login_required",
    },
    {
      what: "a document behind a sign-in that refuses programs",
      url: DOCUMENT,
      web: {
        [DOCUMENT_KEY]: to("https://accounts.google.com/v3/signin/rejected?rrk=46"),
        "accounts.google.com/v3/signin/rejected": page(
          "<title>Couldn't sign you in</title><p>This browser or app may not be secure.</p>",
          400,
        ),
      },
      seen: "unknown login_required",
    },
    {
      what: "a suspicion of Google's",
      url: DOCUMENT,
      web: {
        [DOCUMENT_KEY]: to(
          "https://www.google.com/sorry/index?continue=https%3A%2F%2Fdocs.google.com",
        ),
        "www.google.com/sorry/index": page("Our systems have detected unusual traffic.", 429),
      },
      seen: "unknown bot_challenge",
    },
    {
      what: "a form that takes no more answers",
      url: FORM,
      web: {
        [FORM_KEY]: to("https://docs.google.com/forms/d/e/1FAIpQLSd_abc/closedform"),
        "docs.google.com/forms/d/e/1FAIpQLSd_abc/closedform": fine(
          "The form Party is no longer accepting responses.",
        ),
      },
      seen: "active ok_service",
    },
    {
      what: "a form for those who sign in",
      url: FORM,
      web: { [FORM_KEY]: page("<title>Sign-in</title>", 401) },
      seen: "unknown login_required",
    },
    {
      what: "a form to which one needs access",
      url: FORM,
      web: { [FORM_KEY]: page(refusal, 403) },
      seen: "unknown login_required",
    },
    {
      what: "a form that is not there",
      url: FORM,
      web: { [FORM_KEY]: page(noFile, 404) },
      seen: "dead service_not_found C2",
    },
  ],
});

const SCRIBD: Endpoint = {
  url: "https://www.scribd.com/document/110799637/Synthesis-of-Knowledge",
  endpoint: "www.scribd.com/services/oembed/",
  query:
    "format=json&url=https%3A%2F%2Fwww.scribd.com%2Fdocument%2F110799637%2FSynthesis-of-Knowledge",
};

tellOf("scribd", {
  urls: [SCRIBD.url, "https://es.scribd.com/doc/110799637/x", "https://www.SCRIBD.com/book/1/x"],
  rows: [
    ...oembedRows(SCRIBD),
    ...refusedRows(SCRIBD),
    ...doubtedRows(SCRIBD),
    {
      what: "a document that was removed",
      url: SCRIBD.url,
      web: {
        [SCRIBD.endpoint]: text("Not Found", 404),
        ...own(SCRIBD.url, to("https://www.scribd.com/removal/110799637")),
        "www.scribd.com/removal/110799637": fine("Document removed"),
      },
      seen: "dead service_deleted C1",
    },
    {
      what: "a document that is refused, since it was removed",
      url: SCRIBD.url,
      web: {
        [SCRIBD.endpoint]: text("Forbidden", 403),
        ...own(SCRIBD.url, to("https://www.scribd.com/removal/110799637")),
        "www.scribd.com/removal/110799637": fine("Document removed"),
      },
      seen: "dead service_deleted C1",
    },
    {
      what: "a book that was deleted",
      url: "https://www.scribd.com/book/163578434/A-Book",
      web: {
        "www.scribd.com/book/163578434/A-Book": to("https://www.scribd.com/deleted/163578434"),
        "www.scribd.com/deleted/163578434": fine("This book was deleted"),
      },
      seen: "dead service_deleted C1",
    },
    {
      what: "a book that is not there",
      url: "https://www.scribd.com/audiobook/163578434/A-Book",
      web: { "www.scribd.com/audiobook/163578434/A-Book": missing },
      seen: "dead http_404 C2",
      asked: ["GET https://www.scribd.com/audiobook/163578434/A-Book"],
    },
  ],
});

const SLIDESHARE: Endpoint = {
  url: "https://de.slideshare.net/Slideshare/get-started-with-slide-share",
  endpoint: "www.slideshare.net/api/oembed/2",
  query:
    "format=json&url=https%3A%2F%2Fde.slideshare.net%2FSlideshare%2Fget-started-with-slide-share",
};
const deck = (slide: string) =>
  `${slide}<h1>Errors that speak</h1><p>Ten examples.</p><script id="__NEXT_DATA__" type="application/json">{"props":{"pageProps":{"slideshow":{"id":"1","title":"Errors that speak"}}}}</script>`;

tellOf("slideshare", {
  urls: [
    SLIDESHARE.url,
    "https://www.slideshare.net/slideshow/a-title/123456",
    "https://WWW.slideshare.net/mobile/uqudent/introduction",
  ],
  rows: [
    ...oembedRows(SLIDESHARE),
    ...refusedRows(SLIDESHARE),
    ...doubtedRows(SLIDESHARE),
    {
      what: "a deck by the address for phones",
      url: "https://www.slideshare.net/mobile/uqudent/introduction-to-fixed-prosthodontics",
      web: { [SLIDESHARE.endpoint]: json({ type: "rich", title: "Introduction" }) },
      seen: "active ok_service",
      asked: [
        "GET https://www.slideshare.net/api/oembed/2?format=json&url=https%3A%2F%2Fwww.slideshare.net%2Fuqudent%2Fintroduction-to-fixed-prosthodontics",
      ],
    },
    {
      what: "a deck that was removed",
      url: SLIDESHARE.url,
      web: {
        [SLIDESHARE.endpoint]: text("Not Found", 404),
        ...own(SLIDESHARE.url, "<title>SlideShare</title><h1> Uploaded Content Removed </h1>"),
      },
      seen: "dead service_deleted C2",
    },
    ...[
      "<h2>Uploaded Content Removed</h2>",
      "<p>Sorry! We could not find what you were looking for</p>",
      "<title>404 error. Page Not Found. And how to write one</title>",
    ].map((quote) => ({
      what: `a deck with ${quote} while the endpoint is ill`,
      url: SLIDESHARE.url,
      web: { [SLIDESHARE.endpoint]: text("Bad gateway", 502), ...own(SLIDESHARE.url, deck(quote)) },
      seen: "unknown service_probe_failed",
    })),
    {
      what: "a deck whose description quotes what is said of missing ones",
      url: SLIDESHARE.url,
      web: {
        [SLIDESHARE.endpoint]: text("Bad gateway", 502),
        ...own(
          SLIDESHARE.url,
          '<title>Errors</title><meta name="description" content="Sorry! We could not find what you were looking for"><h1>Errors</h1>',
        ),
      },
      seen: "unknown service_probe_failed",
    },
    {
      what: "a page whose title calls it missing",
      url: "https://www.slideshare.net/mobile/uqudent/introduction",
      web: {
        [SLIDESHARE.endpoint]: text("Gone", 410),
        "www.slideshare.net/mobile/uqudent/introduction": fine("404 error. Page Not Found."),
      },
      seen: "dead service_not_found C2",
    },
    {
      what: "a page that did not find it",
      url: "https://www.slideshare.net/slideshow/a-title/123456",
      web: {
        [SLIDESHARE.endpoint]: text("Bad gateway", 502),
        "www.slideshare.net/slideshow/a-title/123456":
          "<title>SlideShare</title><h3>Sorry! We could not find what you were looking for</h3>",
      },
      seen: "dead service_not_found C2",
    },
  ],
});

const ISSUU: Endpoint = {
  url: "https://issuu.com/issuu/docs/motions-1-2019",
  endpoint: "issuu.com/oembed",
  query: "format=json&url=https%3A%2F%2Fissuu.com%2Fissuu%2Fdocs%2Fmotions-1-2019",
};

tellOf("issuu", {
  urls: [ISSUU.url, "https://www.issuu.com/issuu", "https://E.issuu.com/embed.html#1/2"],
  rows: [
    ...oembedRows(ISSUU),
    ...[401, 403].flatMap((status): Row[] => [
      {
        what: `a publication that is refused with status ${status}, and a page that looks fine`,
        url: ISSUU.url,
        web: { [ISSUU.endpoint]: text("No", status), ...own(ISSUU.url, fine("Motions")) },
        seen: "unknown service_private",
      },
      {
        what: `a publication that is refused with status ${status}, and a page that is missing`,
        url: ISSUU.url,
        web: { [ISSUU.endpoint]: text("No", status), ...own(ISSUU.url, missing) },
        seen: "dead http_404 C2",
      },
    ]),
    ...doubtedRows(ISSUU),
    {
      what: "a publication of which a page is linked",
      url: "https://issuu.com/issuu/docs/motions-1-2019/12?ff",
      web: { [ISSUU.endpoint]: json({ type: "rich", title: "Motions" }) },
      seen: "active ok_service",
      asked: [`GET https://${ISSUU.endpoint}?${ISSUU.query}`],
    },
    {
      what: "a publication that quotes what is said of missing ones, while the endpoint is ill",
      url: ISSUU.url,
      web: {
        [ISSUU.endpoint]: text("Not Implemented", 501),
        ...own(
          ISSUU.url,
          String.raw`<title>Motions</title><h1>Motions</h1><p>We can't find what you need.</p><script>self.__next_f.push([1,"{\"documentTextVersion\":1,\"initialDocumentData\":{}}"])</script>`,
        ),
      },
      seen: "unknown service_probe_failed",
    },
    {
      what: "a page that did not find it",
      url: ISSUU.url,
      web: {
        [ISSUU.endpoint]: text("Not Implemented", 501),
        ...own(
          ISSUU.url,
          "<title>Issuu</title><h1>We can&#x27;t find what you&#x27;re looking for</h1>",
        ),
      },
      seen: "dead service_not_found C2",
    },
  ],
});

const SPEAKERDECK: Endpoint = {
  url: "https://speakerdeck.com/speakerdeck/introduction-to-speakerdeck",
  endpoint: "speakerdeck.com/oembed.json",
  query: "url=https%3A%2F%2Fspeakerdeck.com%2Fspeakerdeck%2Fintroduction-to-speakerdeck",
};

tellOf("speakerdeck", {
  urls: [SPEAKERDECK.url, "https://www.speakerdeck.com/", "https://SpeakerDeck.com/c/design"],
  rows: [
    ...oembedRows(SPEAKERDECK),
    ...refusedRows(SPEAKERDECK),
    ...doubtedRows(SPEAKERDECK),
    {
      what: "a category, which is no deck",
      url: "https://speakerdeck.com/c/gone",
      web: { "speakerdeck.com/c/gone": missing },
      seen: "dead http_404 C2",
      asked: ["GET https://speakerdeck.com/c/gone"],
    },
  ],
});

const FIGMA: Endpoint = {
  url: "https://www.figma.com/file/2oGA2ADNXOYWnlBI47UN3R/Safe-Return-(Community)",
  endpoint: "www.figma.com/api/oembed",
  query:
    "url=https%3A%2F%2Fwww.figma.com%2Ffile%2F2oGA2ADNXOYWnlBI47UN3R%2FSafe-Return-(Community)",
};

tellOf("figma", {
  urls: [
    FIGMA.url,
    "https://figma.com/community/file/1035203688168086460",
    "https://help.FIGMA.com/",
  ],
  rows: [
    ...oembedRows(FIGMA),
    ...missingRows(FIGMA),
    ...privateRows(FIGMA),
    {
      what: "a prototype that was taken away",
      url: "https://figma.com/proto/2oGA2ADNXOYWnlBI47UN3R?node-id=1-2",
      web: { [FIGMA.endpoint]: text("Gone", 410) },
      seen: "dead service_deleted C2",
    },
  ],
});

const CANVA: Endpoint = {
  url: "https://www.canva.com/design/DACHZTlgWkU/view",
  endpoint: "www.canva.com/_oembed",
  query: "url=https%3A%2F%2Fwww.canva.com%2Fdesign%2FDACHZTlgWkU%2Fview",
};

tellOf("canva", {
  urls: [
    CANVA.url,
    "https://canva.com/design/DACHZTlgWkU/edit",
    "https://WWW.Canva.com/templates/",
  ],
  rows: [
    ...oembedRows(CANVA),
    ...missingRows(CANVA),
    ...refusedRows(CANVA),
    {
      what: "a design with the key of its share",
      url: "https://www.canva.com/design/DACHZTlgWkU/8v1xYz_abc-def/view?utm_content=x",
      web: { [CANVA.endpoint]: json({ type: "rich", html: "<iframe>" }) },
      seen: "active ok_service",
    },
  ],
});

const MIRO: Endpoint = {
  url: "https://miro.com/app/board/uXjVPZH3NrA=/",
  endpoint: "miro.com/api/v1/oembed",
  query: "url=https%3A%2F%2Fmiro.com%2Fapp%2Fboard%2FuXjVPZH3NrA%3D%2F",
};

tellOf("miro", {
  urls: [MIRO.url, "https://www.miro.com/app/board/uXjVPZH3NrA%3D/", "https://MIRO.com/templates/"],
  rows: [
    ...oembedRows(MIRO),
    ...missingRows(MIRO),
    ...privateRows(MIRO),
    {
      what: "a board whose sign is packed",
      url: "https://miro.com/app/board/uXjVPZH3NrA%3D/?share_link_id=1",
      web: { [MIRO.endpoint]: text("Not Found", 404) },
      seen: "dead service_not_found C2",
    },
  ],
});

const PREZI: Endpoint = {
  url: "https://prezi.com/v/zrmitn0impxx/",
  endpoint: "prezi.com/v/oembed/",
  query: "format=json&url=https%3A%2F%2Fprezi.com%2Fv%2Fzrmitn0impxx%2F",
};

tellOf("prezi", {
  urls: [PREZI.url, "https://www.prezi.com/view/abc/", "https://PREZI.com/p/abc-def/a-title/"],
  rows: [
    ...oembedRows(PREZI),
    ...missingRows(PREZI),
    ...privateRows(PREZI),
    {
      what: "a presentation that is not there",
      url: "https://prezi.com/p/abc-def/a-title/",
      web: { "prezi.com/p/abc-def/a-title/": missing },
      seen: "dead http_404 C2",
      asked: ["GET https://prezi.com/p/abc-def/a-title/"],
    },
  ],
});

const PADLET: Endpoint = {
  url: "https://padlet.com/cogdogblog/aos9fosbbwk4",
  endpoint: "padlet.com/oembed/",
  query: "format=json&url=https%3A%2F%2Fpadlet.com%2Fcogdogblog%2Faos9fosbbwk4",
};

tellOf("padlet", {
  urls: [PADLET.url, "https://school.padlet.com/a/b", "https://PADLET.com/features/"],
  rows: [
    ...oembedRows(PADLET),
    ...privateRows(PADLET),
    ...doubtedRows(PADLET),
    {
      what: "a padlet by its title",
      url: "https://www.padlet.com/a.teacher/our-trip-to-rome-x1y2z3a4b5c6d7e8",
      web: { [PADLET.endpoint]: json({ type: "rich", title: "Our trip to Rome" }) },
      seen: "active ok_service",
    },
  ],
});

const SKETCHFAB: Endpoint = {
  url: "https://sketchfab.com/3d-models/loring-tweet-power-line-9a48434e545f44d08801c8ce2a72e41b",
  endpoint: "sketchfab.com/oembed",
  query: "url=https%3A%2F%2Fsketchfab.com%2Fmodels%2F9a48434e545f44d08801c8ce2a72e41b",
};

tellOf("sketchfab", {
  urls: [
    SKETCHFAB.url,
    "https://www.sketchfab.com/models/e7995659092c4d8c92031b0a03887cfa/embed",
    "https://SKETCHFAB.com/sketchfab",
  ],
  rows: [
    ...oembedRows(SKETCHFAB),
    ...missingRows(SKETCHFAB),
    ...refusedRows(SKETCHFAB),
    {
      what: "a folder of models",
      url: "https://sketchfab.com/sketchfab/folders/5ae73138e4a1477fb87b6f48d2bfccbe",
      web: { [SKETCHFAB.endpoint]: text("Not Found", 404) },
      seen: "dead service_not_found C2",
    },
  ],
});

const CODEPEN: Endpoint = {
  url: "https://codepen.io/gingerdude/full/JXwgdK",
  endpoint: "codepen.io/api/oembed",
  query: "format=json&url=https%3A%2F%2Fcodepen.io%2Fgingerdude%2Fpen%2FJXwgdK",
};

tellOf("codepen", {
  urls: [CODEPEN.url, "https://www.codepen.io/trending", "https://blog.CODEPEN.io/"],
  rows: [
    ...oembedRows(CODEPEN),
    ...missingRows(CODEPEN),
    ...refusedRows(CODEPEN),
    {
      what: "a pen of a team",
      url: "https://codepen.io/team/codepen/pen/JXwgdK",
      web: { [CODEPEN.endpoint]: json({ success: true, type: "rich", title: "A pen" }) },
      seen: "active ok_service",
      asked: [
        "GET https://codepen.io/api/oembed?format=json&url=https%3A%2F%2Fcodepen.io%2Fteam%2Fcodepen%2Fpen%2FJXwgdK",
      ],
    },
  ],
});

const CODESANDBOX: Endpoint = {
  url: "https://codesandbox.io/s/new",
  endpoint: "codesandbox.io/oembed",
  query: "format=json&url=https%3A%2F%2Fcodesandbox.io%2Fs%2Fnew",
};

tellOf("codesandbox", {
  urls: [CODESANDBOX.url, "https://www.codesandbox.io/p/sandbox/abc", "https://CodeSandbox.io/"],
  rows: [
    ...oembedRows(CODESANDBOX),
    ...missingRows(CODESANDBOX),
    ...privateRows(CODESANDBOX),
    {
      what: "a sandbox as it is embedded",
      url: "https://codesandbox.io/embed/react-new-x1y2z",
      web: { [CODESANDBOX.endpoint]: text("Gone", 410) },
      seen: "dead service_deleted C2",
    },
  ],
});

const REPLIT: Endpoint = {
  url: "https://replit.com/@replitfaris/python-hello-world",
  endpoint: "replit.com/data/oembed/",
  query: "url=https%3A%2F%2Freplit.com%2F%40replitfaris%2Fpython-hello-world",
};

tellOf("replit", {
  urls: [REPLIT.url, "https://repl.it/@replitfaris/python-hello-world", "https://docs.Replit.com/"],
  rows: [
    ...oembedRows(REPLIT),
    ...missingRows(REPLIT),
    ...refusedRows(REPLIT),
    {
      what: "a repl under its old address",
      url: "https://repl.it/@replitfaris/python-hello-world",
      web: { [REPLIT.endpoint]: json({ type: "rich", title: "Hello" }) },
      seen: "active ok_service",
      asked: [`GET https://${REPLIT.endpoint}?${REPLIT.query}`],
    },
  ],
});

const OBSERVABLE: Endpoint = {
  url: "https://observablehq.com/@d3/stacked-to-grouped-bars",
  endpoint: "api.observablehq.com/oembed",
  query: "format=json&url=https%3A%2F%2Fobservablehq.com%2F%40d3%2Fstacked-to-grouped-bars",
};

tellOf("observable", {
  urls: [
    OBSERVABLE.url,
    "https://www.observablehq.com/d/5b1c2d3e4f5a6b7c",
    "https://API.ObservableHQ.com/",
  ],
  rows: [
    ...oembedRows(OBSERVABLE),
    ...missingRows(OBSERVABLE),
    ...refusedRows(OBSERVABLE),
    {
      what: "the code of a notebook",
      url: "https://api.observablehq.com/@d3/stacked-to-grouped-bars.js?v=3",
      web: { "api.observablehq.com/@d3/stacked-to-grouped-bars.js": text("export default 1;") },
      seen: "active ok",
    },
    {
      what: "a notebook without a name, embedded",
      url: "https://observablehq.com/embed/d/5b1c2d3e4f5a6b7c@12",
      web: { [OBSERVABLE.endpoint]: text("Gone", 410) },
      seen: "dead service_deleted C2",
    },
  ],
});

const KICKSTARTER: Endpoint = {
  url: "https://www.kickstarter.com/projects/597507018/pebble/posts/659178",
  endpoint: "www.kickstarter.com/services/oembed",
  query: "format=json&url=https%3A%2F%2Fwww.kickstarter.com%2Fprojects%2F597507018%2Fpebble",
};

tellOf("kickstarter", {
  urls: [KICKSTARTER.url, "https://kck.st/2abcDEF", "https://KICKSTARTER.com/discover"],
  rows: [
    ...oembedRows(KICKSTARTER),
    ...missingRows(KICKSTARTER),
    {
      what: "a project by a short address",
      url: "https://kck.st/2abcDEF",
      web: {
        "kck.st/2abcDEF": to("https://www.kickstarter.com/projects/597507018/pebble", 301),
        "www.kickstarter.com/projects/597507018/pebble": fine("Pebble"),
        [KICKSTARTER.endpoint]: json({ type: "rich", title: "Pebble" }),
      },
      seen: "active ok_service",
    },
    {
      what: "an endpoint and a page that refuse programs",
      url: KICKSTARTER.url,
      web: {
        [KICKSTARTER.endpoint]: text("Forbidden", 403),
        ...own(KICKSTARTER.url, page("<script>window._pxAppId='PX1'</script>Press & Hold", 403)),
      },
      seen: "unknown bot_challenge",
    },
    {
      what: "a project of which only the page tells",
      url: KICKSTARTER.url,
      web: { [KICKSTARTER.endpoint]: text("Forbidden", 403), ...own(KICKSTARTER.url, missing) },
      seen: "dead http_404 C2",
    },
  ],
});
