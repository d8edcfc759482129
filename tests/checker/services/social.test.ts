import { challenge, json, page, text, to } from "./played-web.ts";
import { tellOf } from "./told.ts";

/** What an app of scripts sends for whatever it is asked for. */
const shell = (title: string, markup = "") =>
  `<!doctype html><html><head><title>${title}</title>${markup}</head><body><div id="root"></div><script src="/app.js"></script></body></html>`;

const site = (title: string, body: string) =>
  `<!doctype html><html><head><title>${title}</title></head><body><h1>${title}</h1>${body}</body></html>`;

const PUBLISH = "publish.twitter.com/oembed";
const TWEET = "https://x.com/Interior/status/463440424141459456";

tellOf("x", {
  urls: [
    TWEET,
    "https://mobile.twitter.com/Interior/status/463440424141459456",
    "https://WWW.X.com/Interior",
    "https://help.x.com/en/rules-and-policies",
  ],
  rows: [
    {
      what: "a post",
      url: `${TWEET}/photo/1?s=20`,
      web: { [PUBLISH]: json({ type: "rich", html: "<blockquote>Sunsets</blockquote>" }) },
      seen: "active ok_service",
      asked: [
        "GET https://publish.twitter.com/oembed?url=https%3A%2F%2Ftwitter.com%2FInterior%2Fstatus%2F463440424141459456",
      ],
    },
    {
      what: "a post whose address leaves its author out",
      url: "https://twitter.com/i/web/status/463440424141459456",
      web: { [PUBLISH]: json({ type: "rich", html: "<blockquote>Sunsets</blockquote>" }) },
      seen: "active ok_service",
      asked: [
        "GET https://publish.twitter.com/oembed?url=https%3A%2F%2Ftwitter.com%2Fweb%2Fstatus%2F463440424141459456",
      ],
    },
    {
      what: "a post that was deleted",
      url: TWEET,
      web: { [PUBLISH]: page(site("Not found", "<p>Nothing to see here.</p>"), 404) },
      seen: "dead service_not_found C2",
    },
    {
      what: "a post that never was",
      url: TWEET,
      web: {
        [PUBLISH]: json({ errors: [{ code: 144, message: "No status found with that ID." }] }, 403),
      },
      seen: "dead service_not_found C2",
    },
    {
      what: "a post that broke the rules",
      url: TWEET,
      web: {
        [PUBLISH]: json(
          { errors: [{ code: 421, message: "This Tweet is no longer available." }] },
          403,
        ),
      },
      seen: "dead service_takedown C1",
    },
    {
      what: "a post of somebody who was suspended",
      url: TWEET,
      web: {
        [PUBLISH]: json({ errors: [{ code: 63, message: "User has been suspended." }] }, 403),
      },
      seen: "dead service_account_gone C1",
    },
    {
      what: "a protected post",
      url: TWEET,
      web: {
        [PUBLISH]: json({ error: "Sorry, you are not authorized to see this status." }, 403),
      },
      seen: "unknown service_private",
    },
    {
      what: "a post while nobody may ask more",
      url: TWEET,
      web: { [PUBLISH]: text("Rate limit exceeded", 429) },
      seen: "unknown service_rate_limited",
    },
    {
      what: "a post behind a wall, of which the page is not asked for",
      url: TWEET,
      web: { [PUBLISH]: challenge() },
      seen: "unknown service_probe_failed",
      asked: [
        "GET https://publish.twitter.com/oembed?url=https%3A%2F%2Ftwitter.com%2FInterior%2Fstatus%2F463440424141459456",
      ],
    },
    {
      what: "a profile",
      url: "https://x.com/Interior",
      web: { "x.com/Interior": shell("X") },
      seen: "unknown service_unrecognised",
    },
    {
      what: "a profile that is called missing, as it may be to any program",
      url: "https://x.com/Interior",
      web: { "x.com/Interior": page(shell("X"), 404) },
      seen: "unknown service_unrecognised",
    },
    {
      what: "a profile that is called gone",
      url: "https://mobile.twitter.com/Interior",
      web: { "mobile.twitter.com/Interior": page(shell("X"), 410) },
      seen: "unknown service_unrecognised",
    },
    {
      what: "a profile in whose place a page of errors is shown",
      url: "https://x.com/Interior",
      web: { "x.com/Interior": to("https://x.com/404"), "x.com/404": shell("Page not found") },
      seen: "unknown service_unrecognised",
    },
    {
      what: "a profile that leads to the login",
      url: "https://x.com/Interior",
      web: {
        "x.com/Interior": to("https://x.com/i/flow/login?redirect_after_login=%2FInterior"),
        "x.com/i/flow/login": shell("Log in to X"),
      },
      seen: "unknown login_required",
    },
    {
      what: "a page of its documentation",
      url: "https://help.x.com/en/rules",
      web: {
        "help.x.com/en/rules": site("The X rules", "<p>What is allowed, and what is not.</p>"),
      },
      seen: "active ok",
    },
  ],
});

const REDDIT = "www.reddit.com/oembed";
const THREAD = "https://old.reddit.com/r/aww/comments/90bu6w/heat_index/?utm_source=share";
const THREAD_PAGE = "old.reddit.com/r/aww/comments/90bu6w/heat_index/";
const BLOCKED = page(
  site("Blocked", "<p>You've been blocked by network security.</p><p>Log in to continue.</p>"),
  403,
);
const POST = { type: "rich", title: "Heat index was 110 degrees", author_name: "somebody" };

tellOf("reddit", {
  urls: [
    "https://www.reddit.com/r/aww/comments/90bu6w/heat_index/",
    THREAD,
    "https://np.reddit.com/r/aww",
    "https://redd.it/90bu6w",
    "https://I.redd.it/abc.jpg",
  ],
  rows: [
    {
      what: "a post",
      url: THREAD,
      web: { [REDDIT]: json(POST) },
      seen: "active ok_service",
      asked: [
        "GET https://www.reddit.com/oembed?url=https%3A%2F%2Fwww.reddit.com%2Fr%2Faww%2Fcomments%2F90bu6w%2Fheat_index%2F",
      ],
    },
    {
      what: "a post that never was",
      url: THREAD,
      web: { [REDDIT]: json({ message: "Not Found", error: 404 }, 404) },
      seen: "dead service_not_found C2",
    },
    {
      what: "a post in a community that was banned",
      url: THREAD,
      web: { [REDDIT]: json({ reason: "banned", message: "Not Found", error: 404 }, 404) },
      seen: "dead service_takedown C1",
    },
    {
      what: "a post in a private community",
      url: THREAD,
      web: { [REDDIT]: json({ reason: "private", message: "Forbidden", error: 403 }, 403) },
      seen: "unknown service_private",
    },
    {
      what: "a post that is denied to us everywhere",
      url: THREAD,
      web: { [REDDIT]: BLOCKED, [THREAD_PAGE]: BLOCKED },
      seen: "unknown bot_challenge",
    },
    {
      what: "a post that is denied without a reason",
      url: THREAD,
      web: {
        [REDDIT]: json({ message: "Forbidden" }, 403),
        [THREAD_PAGE]: site("Heat index", "<p>A dog.</p>"),
      },
      seen: "unknown service_unrecognised",
    },
    {
      what: "a post while the service is ill",
      url: THREAD,
      web: {
        [REDDIT]: text("upstream error", 500),
        [THREAD_PAGE]: site("Heat index", "<p>A dog.</p>"),
      },
      seen: "unknown service_probe_failed",
    },
    {
      what: "a post under its short address",
      url: "https://redd.it/90bu6w",
      web: { [REDDIT]: json(POST) },
      seen: "active ok_service",
      asked: [
        "GET https://www.reddit.com/oembed?url=https%3A%2F%2Fwww.reddit.com%2Fcomments%2F90bu6w",
      ],
    },
    {
      what: "a post whose short address only the page knows",
      url: "https://www.reddit.com/comments/90bu6w",
      web: {
        [REDDIT]: json({ message: "Not Found", error: 404 }, 404),
        "www.reddit.com/comments/90bu6w": to(
          "https://www.reddit.com/r/aww/comments/90bu6w/heat_index/",
          301,
        ),
        "www.reddit.com/r/aww/comments/90bu6w/heat_index/": site("Heat index", "<p>A dog.</p>"),
      },
      seen: "active ok_service",
    },
    {
      what: "a short address of nothing",
      url: "https://redd.it/90bu6w",
      web: {
        [REDDIT]: json({ message: "Not Found", error: 404 }, 404),
        "redd.it/90bu6w": to("https://www.reddit.com/comments/90bu6w", 301),
        "www.reddit.com/comments/90bu6w": page(
          site("Page not found", "<p>The page does not exist.</p>"),
          404,
        ),
      },
      seen: "dead http_404 C2",
    },
    {
      what: "a post that only its full address denies",
      url: "https://redd.it/90bu6w",
      web: {
        [REDDIT]: json({ message: "Not Found", error: 404 }, 404),
        "redd.it/90bu6w": to("https://www.reddit.com/r/aww/comments/90bu6w/heat_index/", 301),
        "www.reddit.com/r/aww/comments/90bu6w/heat_index/": page(site("Page not found", ""), 404),
      },
      seen: "dead http_404 C2",
    },
    {
      what: "a short address of a page that says nothing",
      url: "https://www.reddit.com/comments/90bu6w",
      web: {
        [REDDIT]: json({ message: "Not Found", error: 404 }, 404),
        "www.reddit.com/comments/90bu6w": shell("Reddit"),
      },
      seen: "unknown service_unrecognised",
    },
    {
      what: "a short address in a private community",
      url: "https://redd.it/90bu6w",
      web: { [REDDIT]: json({ reason: "private", message: "Forbidden", error: 403 }, 403) },
      seen: "unknown service_private",
    },
    {
      what: "a short address that is denied to us everywhere",
      url: "https://redd.it/90bu6w",
      web: { [REDDIT]: json({ message: "Forbidden" }, 403), "redd.it/90bu6w": BLOCKED },
      seen: "unknown bot_challenge",
    },
    {
      what: "a short address in a banned community",
      url: "https://redd.it/90bu6w",
      web: { [REDDIT]: json({ reason: "banned", message: "Not Found", error: 404 }, 404) },
      seen: "dead service_takedown C1",
    },
    {
      what: "a page of the site's own",
      url: "https://www.reddit.com/policies",
      web: { "www.reddit.com/policies": site("Policies", "<p>What is allowed.</p>") },
      seen: "active ok",
    },
    {
      what: "a community",
      url: "https://www.reddit.com/r/aww/",
      web: {
        "www.reddit.com/r/aww/about.json": json({ kind: "t5", data: { display_name: "aww" } }),
      },
      seen: "active ok_service",
      asked: ["GET https://www.reddit.com/r/aww/about.json"],
    },
    {
      what: "a community that was banned",
      url: "https://www.reddit.com/r/aww",
      web: {
        "www.reddit.com/r/aww/about.json": json(
          { reason: "banned", message: "Not Found", error: 404 },
          404,
        ),
      },
      seen: "dead service_takedown C1",
    },
    {
      what: "a community that asks for an invitation",
      url: "https://www.reddit.com/r/aww/",
      web: {
        "www.reddit.com/r/aww/about.json": json(
          { reason: "private", message: "Forbidden", error: 403 },
          403,
        ),
      },
      seen: "unknown service_private",
    },
    {
      what: "a community that the search is offered for",
      url: "https://www.reddit.com/r/aww/",
      web: {
        "www.reddit.com/r/aww/about.json": to(
          "https://www.reddit.com/subreddits/search.json?q=aww",
        ),
        "www.reddit.com/subreddits/search.json": json({ kind: "Listing", data: { children: [] } }),
      },
      seen: "dead service_not_found C2",
    },
    {
      what: "a community that is not there",
      url: "https://www.reddit.com/r/aww/",
      web: { "www.reddit.com/r/aww/about.json": json({ message: "Not Found", error: 404 }, 404) },
      seen: "dead service_not_found C2",
    },
    {
      what: "a user",
      url: "https://www.reddit.com/u/reddit",
      web: {
        "www.reddit.com/user/reddit/about.json": json({ kind: "t2", data: { name: "reddit" } }),
      },
      seen: "active ok_service",
      asked: ["GET https://www.reddit.com/user/reddit/about.json"],
    },
    {
      what: "a user who was suspended",
      url: "https://www.reddit.com/user/reddit/",
      web: {
        "www.reddit.com/user/reddit/about.json": json({
          kind: "t2",
          data: { name: "reddit", is_suspended: true },
        }),
      },
      seen: "dead service_account_gone C1",
    },
    {
      what: "a user whom nobody knows",
      url: "https://www.reddit.com/user/reddit/",
      web: {
        "www.reddit.com/user/reddit/about.json": json({ message: "Not Found", error: 404 }, 404),
      },
      seen: "dead service_not_found C2",
    },
  ],
});

const PICTURE = "https://www.instagram.com/p/aye83DjauH/";
const PICTURE_AT = "www.instagram.com/p/aye83DjauH/";
const UNAVAILABLE =
  "<h2>Sorry, this page isn't available.</h2><p>The link you followed may be broken, or the page may have been removed. <a href='/'>Go back to Instagram.</a></p>";

tellOf("instagram", {
  urls: [
    PICTURE,
    "https://instagr.am/p/aye83DjauH/",
    "https://m.instagram.com/instagram/",
    "https://INSTAGRAM.com/reel/Chunk8-jurw/",
  ],
  rows: [
    {
      what: "a post",
      url: PICTURE,
      web: {
        [PICTURE_AT]: shell(
          "Instagram",
          '<meta property="og:title" content="Naomi on Instagram: &quot;Video by naomipq&quot;" />',
        ),
      },
      seen: "active ok_service",
      asked: [`GET ${PICTURE}`],
    },
    {
      what: "a profile",
      url: "https://www.instagram.com/instagram/",
      web: {
        "www.instagram.com/instagram/": shell(
          "Instagram (&#064;instagram) &#x2022; Instagram photos and videos",
          '<meta property="og:title" content="Instagram (&#064;instagram) &#x2022; Instagram photos and videos" />',
        ),
      },
      seen: "active ok_service",
    },
    {
      what: "a post that was removed",
      url: PICTURE,
      web: { [PICTURE_AT]: page(site("Page not found • Instagram", UNAVAILABLE), 404) },
      seen: "dead service_not_found C2",
    },
    {
      what: "a post that is not there, for whatever reason",
      url: PICTURE,
      web: { [PICTURE_AT]: page(site("Instagram", "<p>Nothing.</p>"), 404) },
      seen: "dead http_404 C2",
    },
    {
      what: "a post that is said to be unavailable without a status",
      url: PICTURE,
      web: { [PICTURE_AT]: page(site("Page not found • Instagram", UNAVAILABLE)) },
      seen: "unknown service_unrecognised",
    },
    {
      what: "a profile that shows the login",
      url: "https://www.instagram.com/instagram/",
      web: { "www.instagram.com/instagram/": shell("Login • Instagram") },
      seen: "unknown login_required",
    },
    {
      what: "a post that leads to the login",
      url: PICTURE,
      web: {
        [PICTURE_AT]: to("https://www.instagram.com/accounts/login/?next=/p/aye83DjauH/"),
        "www.instagram.com/accounts/login/": shell("Instagram"),
      },
      seen: "unknown login_required",
    },
    {
      what: "a post of which nothing is shown",
      url: PICTURE,
      web: { [PICTURE_AT]: shell("Instagram") },
      seen: "unknown service_unrecognised",
    },
    {
      what: "a page of the company",
      url: "https://about.instagram.com/community",
      web: { "about.instagram.com/community": site("Community", "<p>What we do for it.</p>") },
      seen: "active ok",
    },
  ],
});

const SHARED = "https://www.facebook.com/cnn/posts/10155529876156509";
const SHARED_AT = "www.facebook.com/cnn/posts/10155529876156509";
const NOT_SHOWN =
  "<h2>This content isn't available right now</h2><p>When this happens, it's usually because the owner only shared it with a small group of people, changed who can see it or it's been deleted.</p>";

tellOf("facebook", {
  urls: [SHARED, "https://m.facebook.com/cnn", "https://fb.com/cnn", "https://FB.watch/abc123/"],
  rows: [
    {
      what: "a post that shows itself",
      url: SHARED,
      web: { [SHARED_AT]: site("CNN", "<p>News of the day.</p>") },
      seen: "unknown service_unrecognised",
      asked: [`GET ${SHARED}`],
    },
    {
      what: "a post that is not for everybody, or deleted",
      url: SHARED,
      web: { [SHARED_AT]: page(site("Facebook", NOT_SHOWN), 404) },
      seen: "unknown service_unrecognised",
    },
    {
      what: "a page that is not there",
      url: "https://www.facebook.com/nobody.at.all",
      web: {
        "www.facebook.com/nobody.at.all": page(site("Page not found", "<p>Nothing.</p>"), 404),
      },
      seen: "unknown service_unrecognised",
    },
    {
      what: "a page that is not there, with the login beside it",
      url: "https://www.facebook.com/nobody.at.all",
      web: {
        "www.facebook.com/nobody.at.all": page(
          site("Page not found", '<form id="login_form"></form>'),
          404,
        ),
      },
      seen: "unknown service_unrecognised",
    },
    {
      what: "a page that is called gone",
      url: "https://m.facebook.com/nobody.at.all",
      web: { "m.facebook.com/nobody.at.all": page(site("Gone", "<p>Nothing.</p>"), 410) },
      seen: "unknown service_unrecognised",
    },
    {
      what: "a post in whose place a page of errors is shown",
      url: SHARED,
      web: {
        [SHARED_AT]: to("https://www.facebook.com/404"),
        "www.facebook.com/404": site("Page not found", "<p>Nothing.</p>"),
      },
      seen: "unknown service_unrecognised",
    },
    {
      what: "a short address that is called missing",
      url: "https://fb.watch/abc123/",
      web: { "fb.watch/abc123/": page(site("Page not found", "<p>Nothing.</p>"), 404) },
      seen: "unknown service_unrecognised",
    },
    {
      what: "a name by its shorter host that is called missing",
      url: "https://www.fb.com/nobody.at.all",
      web: { "www.fb.com/nobody.at.all": page(site("Page not found", "<p>Nothing.</p>"), 404) },
      seen: "unknown service_unrecognised",
    },
    {
      what: "a page of its documentation",
      url: "https://developers.facebook.com/docs",
      web: { "developers.facebook.com/docs": site("Documentation", "<p>How to do things.</p>") },
      seen: "active ok",
    },
    {
      what: "a post that leads to the login",
      url: SHARED,
      web: {
        [SHARED_AT]: to(
          "https://www.facebook.com/login/?next=https%3A%2F%2Fwww.facebook.com%2Fcnn",
        ),
        "www.facebook.com/login/": site("Log in to Facebook", '<form id="login_form"></form>'),
      },
      seen: "unknown login_required",
    },
    {
      what: "a post with the login on it",
      url: SHARED,
      web: {
        [SHARED_AT]: site(
          "Facebook",
          '<form id="login_form"><input name="email"><input type="password" name="pass"></form>',
        ),
      },
      seen: "unknown login_required",
    },
    {
      what: "a post for which programs are sent away",
      url: SHARED,
      web: { [SHARED_AT]: page(site("Error", "<p>Sorry, something went wrong.</p>"), 400) },
      seen: "unknown login_required",
    },
    {
      what: "a short address",
      url: "https://fb.watch/abc123/",
      web: { "fb.watch/abc123/": to(SHARED), [SHARED_AT]: site("CNN", "<p>News of the day.</p>") },
      seen: "unknown service_unrecognised",
    },
    {
      what: "a page of its help",
      url: "https://www.facebook.com/help/1234",
      web: { "www.facebook.com/help/1234": site("Help centre", "<p>How to do things.</p>") },
      seen: "active ok",
    },
  ],
});

const YARN = "https://www.threads.com/@zuck/post/CuVbL4Kx1";
const YARN_AT = "www.threads.com/@zuck/post/CuVbL4Kx1";
const YARN_LOGIN = '<meta property="og:title" content="Threads • Log in" />';

tellOf("threads", {
  urls: [YARN, "https://threads.net/@zuck", "https://WWW.threads.net/@zuck/post/CuVbL4Kx1"],
  rows: [
    {
      what: "a post",
      url: YARN,
      web: {
        [YARN_AT]: shell(
          "Threads",
          '<meta property="og:title" content="Mark (&#064;zuck) on Threads" />',
        ),
      },
      seen: "active ok_service",
      asked: [`GET ${YARN}`],
    },
    {
      what: "a profile",
      url: "https://www.threads.com/@zuck",
      web: {
        "www.threads.com/@zuck": shell(
          "Threads",
          '<meta property="og:title" content="Mark (@zuck) • Threads, Say more" />',
        ),
      },
      seen: "active ok_service",
    },
    {
      what: "a post that is not there",
      url: YARN,
      web: { [YARN_AT]: page(shell("Threads"), 404) },
      seen: "dead http_404 C2",
    },
    {
      what: "a post that only shows how to sign in",
      url: YARN,
      web: { [YARN_AT]: shell("Threads • Log in", YARN_LOGIN) },
      seen: "unknown service_unrecognised",
    },
    {
      what: "a profile that leads to the login",
      url: "https://www.threads.com/@zuck",
      web: {
        "www.threads.com/@zuck": to("https://www.threads.com/login/?next=%2F%40zuck"),
        "www.threads.com/login/": shell("Threads • Log in", YARN_LOGIN),
      },
      seen: "unknown login_required",
    },
  ],
});

const MEMBER = "https://www.linkedin.com/in/williamhgates";
const MEMBER_AT = "www.linkedin.com/in/williamhgates";
const isBrowser = ({ headers }: Request) => /Chrome/.test(headers.get("user-agent") ?? "");
const NO_MEMBER = () => page(site("Page not found", "<p>We can't find that page.</p>"), 404);

tellOf("linkedin", {
  urls: [MEMBER, "https://uk.linkedin.com/company/linkedin", "https://LNKD.in/abc123"],
  rows: [
    {
      what: "a member",
      url: MEMBER,
      web: { [MEMBER_AT]: site("Bill Gates | LinkedIn", "<p>Chair, Gates Foundation</p>") },
      seen: "active ok",
    },
    {
      what: "a member whom even browsers do not find",
      url: MEMBER,
      web: { [MEMBER_AT]: NO_MEMBER },
      seen: "dead http_404 C2",
    },
    {
      what: "a member whom only browsers find",
      url: MEMBER,
      web: {
        [MEMBER_AT]: (request) =>
          isBrowser(request)
            ? page(site("Bill Gates | LinkedIn", "<p>Chair, Gates Foundation</p>"))
            : NO_MEMBER(),
      },
      seen: "active ok",
    },
    {
      what: "a member whom programs may not see",
      url: MEMBER,
      web: { [MEMBER_AT]: challenge() },
      seen: "unknown bot_challenge",
    },
    {
      what: "a member who is behind the login",
      url: MEMBER,
      web: {
        [MEMBER_AT]: to(
          "https://www.linkedin.com/authwall?trk=gf&sessionRedirect=https%3A%2F%2Fwww.linkedin.com%2Fin%2Fwilliamhgates",
        ),
        "www.linkedin.com/authwall": site("Sign Up | LinkedIn", "<p>Join LinkedIn</p>"),
      },
      seen: "unknown login_required",
    },
    {
      what: "a short address",
      url: "https://lnkd.in/abc123",
      web: {
        "lnkd.in/abc123": to(MEMBER),
        [MEMBER_AT]: site("Bill Gates | LinkedIn", "<p>Chair, Gates Foundation</p>"),
      },
      seen: "active ok_redirected",
    },
  ],
});

const SKY = "embed.bsky.app/oembed";
const SKY_THREAD = "public.api.bsky.app/xrpc/app.bsky.feed.getPostThread";
const SKY_PROFILE = "public.api.bsky.app/xrpc/app.bsky.actor.getProfile";
const SKEET = "https://bsky.app/profile/bsky.app/post/3l3vgf77uco2g";
const SKEET_URI = "at://did:plc:z72i7hdynmk6r22z27h6tvur/app.bsky.feed.post/3l3vgf77uco2g";

tellOf("bluesky", {
  urls: [SKEET, "https://www.bsky.app/profile/bsky.app", "https://Go.bsky.app/abc"],
  rows: [
    {
      what: "a post",
      url: SKEET,
      web: {
        [SKY]: json({ type: "rich", html: "<blockquote>Bluesky now has video!</blockquote>" }),
      },
      seen: "active ok_service",
      asked: [
        "GET https://embed.bsky.app/oembed?url=https%3A%2F%2Fbsky.app%2Fprofile%2Fbsky.app%2Fpost%2F3l3vgf77uco2g",
      ],
    },
    {
      what: "a post that was deleted",
      url: SKEET,
      web: {
        [SKY]: text("post not found", 404),
        [SKY_THREAD]: json({ error: "NotFound", message: `Post not found: ${SKEET_URI}` }, 400),
      },
      seen: "dead service_not_found C2",
      asked: [
        "GET https://embed.bsky.app/oembed?url=https%3A%2F%2Fbsky.app%2Fprofile%2Fbsky.app%2Fpost%2F3l3vgf77uco2g",
        "GET https://public.api.bsky.app/xrpc/app.bsky.feed.getPostThread?depth=0&parentHeight=0&uri=at%3A%2F%2Fbsky.app%2Fapp.bsky.feed.post%2F3l3vgf77uco2g",
      ],
    },
    {
      what: "a post that is only not shown elsewhere",
      url: "https://bsky.app/profile/did:plc:z72i7hdynmk6r22z27h6tvur/post/3l3vgf77uco2g",
      web: {
        [SKY]: text("post not found", 404),
        [SKY_THREAD]: json({ thread: { post: { uri: SKEET_URI } } }),
      },
      seen: "active ok_service",
      asked: [
        "GET https://embed.bsky.app/oembed?url=https%3A%2F%2Fbsky.app%2Fprofile%2Fdid%3Aplc%3Az72i7hdynmk6r22z27h6tvur%2Fpost%2F3l3vgf77uco2g",
        "GET https://public.api.bsky.app/xrpc/app.bsky.feed.getPostThread?depth=0&parentHeight=0&uri=at%3A%2F%2Fdid%3Aplc%3Az72i7hdynmk6r22z27h6tvur%2Fapp.bsky.feed.post%2F3l3vgf77uco2g",
      ],
    },
    {
      what: "a post of a name that leads nowhere",
      url: SKEET,
      web: {
        [SKY]: text("Expected 'url' to be bsky.app URL or AT-URI: handle not found", 400),
        [SKY_THREAD]: json({ error: "NotFound", message: `Post not found: ${SKEET_URI}` }, 400),
      },
      seen: "dead service_not_found C2",
    },
    ...["Profile not found", "Unable to resolve handle", "Could not resolve handle"].map(
      (message) => ({
        what: `a post of a name of which is said "${message}"`,
        url: SKEET,
        web: {
          [SKY]: text("Expected 'url' to be bsky.app URL or AT-URI: handle not found", 400),
          [SKY_THREAD]: json({ error: "InvalidRequest", message }, 400),
        },
        seen: "dead service_not_found C2",
      }),
    ),
    {
      what: "a post of a name that cannot be looked up for now",
      url: SKEET,
      web: {
        [SKY]: text("post not found", 404),
        [SKY_THREAD]: json({ error: "UpstreamFailure", message: "Could not resolve handle" }, 502),
      },
      seen: "unknown service_probe_failed",
    },
    {
      what: "a post of somebody who was suspended",
      url: SKEET,
      web: {
        [SKY]: text("post not found", 404),
        [SKY_THREAD]: json(
          { error: "AccountTakedown", message: "Account has been suspended" },
          400,
        ),
      },
      seen: "dead service_account_gone C2",
    },
    {
      what: "a post of somebody who switched the account off",
      url: SKEET,
      web: {
        [SKY]: text("post not found", 404),
        [SKY_THREAD]: json({ error: "AccountDeactivated", message: "Account is deactivated" }, 400),
      },
      seen: "unknown service_private",
    },
    {
      what: "a post about which something else was asked",
      url: SKEET,
      web: {
        [SKY]: text("Expected 'url' to be bsky.app URL or AT-URI: handle not found", 400),
        [SKY_THREAD]: json({ error: "InvalidRequest", message: "Error: uri must be valid" }, 400),
      },
      seen: "unknown service_probe_failed",
    },
    {
      what: "a post for those who are signed in",
      url: SKEET,
      web: { [SKY]: text("post is not publicly accessible", 403) },
      seen: "unknown service_private",
    },
    {
      what: "a post while the service is ill",
      url: SKEET,
      web: { [SKY]: text("Internal Server Error", 500) },
      seen: "unknown service_probe_failed",
    },
    {
      what: "a post while all of the service is ill",
      url: SKEET,
      web: {
        [SKY]: text("post not found", 404),
        [SKY_THREAD]: json({ error: "InternalServerError" }, 500),
      },
      seen: "unknown service_probe_failed",
    },
    {
      what: "a profile",
      url: "https://bsky.app/profile/bsky.app",
      web: { [SKY_PROFILE]: json({ did: "did:plc:z72i7hdynmk6r22z27h6tvur", handle: "bsky.app" }) },
      seen: "active ok_service",
      asked: ["GET https://public.api.bsky.app/xrpc/app.bsky.actor.getProfile?actor=bsky.app"],
    },
    {
      what: "a profile that nobody has",
      url: "https://bsky.app/profile/bsky.app",
      web: { [SKY_PROFILE]: json({ error: "InvalidRequest", message: "Profile not found" }, 400) },
      seen: "dead service_not_found C2",
    },
    {
      what: "a profile that was suspended",
      url: "https://bsky.app/profile/bsky.app",
      web: {
        [SKY_PROFILE]: json(
          { error: "AccountTakedown", message: "Account has been suspended" },
          400,
        ),
      },
      seen: "dead service_account_gone C2",
    },
    {
      what: "a profile that its owner switched off",
      url: "https://bsky.app/profile/bsky.app",
      web: {
        [SKY_PROFILE]: json(
          { error: "AccountDeactivated", message: "Account is deactivated" },
          400,
        ),
      },
      seen: "unknown service_private",
    },
    {
      what: "a profile that wants credentials",
      url: "https://bsky.app/profile/bsky.app",
      web: {
        [SKY_PROFILE]: json({ error: "AuthMissing", message: "Authentication Required" }, 401),
      },
      seen: "unknown service_probe_failed",
    },
    {
      what: "a feed",
      url: "https://bsky.app/profile/bsky.app/feed/whats-hot",
      web: { "bsky.app/profile/bsky.app/feed/whats-hot": shell("Bluesky") },
      seen: "unknown service_unrecognised",
    },
  ],
});

const TOOT = "https://mastodon.social/@jk/103794036899778366";
const TOOT_AT = "mastodon.social/@jk/103794036899778366";
const TOOT_PAGE = site("jk: a post - Mastodon", "<p>What somebody wrote.</p>");

tellOf("mastodon", {
  urls: [
    TOOT,
    "https://fosstodon.org/@somebody",
    "https://Mastodon.GameDev.place/about",
    "https://social.example.org/@somebody@elsewhere.example/112360601113258881",
  ],
  rows: [
    { what: "a post", url: TOOT, web: { [TOOT_AT]: TOOT_PAGE }, seen: "active ok" },
    {
      what: "a post on an instance that no list names",
      url: "https://social.example.org/@jk/1",
      web: { "social.example.org/@jk/1": page("Gone", 410) },
      seen: "dead service_deleted C1",
    },
    {
      what: "a post that was deleted",
      url: TOOT,
      web: { [TOOT_AT]: page(site("The page you are looking for isn't here.", ""), 404) },
      seen: "dead http_404 C2",
    },
    {
      what: "a post that is gone for good",
      url: "https://mastodon.social/users/jk/statuses/103794036899778366",
      web: { "mastodon.social/users/jk/statuses/103794036899778366": page("Gone", 410) },
      seen: "dead service_deleted C1",
    },
    {
      what: "a post that asks who wants to know",
      url: TOOT,
      web: { [TOOT_AT]: page("This method requires an authenticated user", 401) },
      seen: "unknown service_private",
    },
    {
      what: "a post behind a wall",
      url: TOOT,
      web: { [TOOT_AT]: challenge() },
      seen: "unknown bot_challenge",
    },
    {
      what: "a profile",
      url: "https://mastodon.social/@jk",
      web: { "mastodon.social/@jk": TOOT_PAGE },
      seen: "active ok",
    },
    {
      what: "a post of somebody who is limited for now",
      url: TOOT,
      web: { [TOOT_AT]: page("Forbidden", 403) },
      seen: "unknown service_private",
    },
    {
      what: "a profile that asks who wants to know",
      url: "https://mastodon.social/@jk",
      web: { "mastodon.social/@jk": page("This method requires an authenticated user", 401) },
      seen: "unknown service_private",
    },
    {
      what: "a profile that was suspended",
      url: "https://mastodon.social/@jk",
      web: { "mastodon.social/@jk": page("Gone", 410) },
      seen: "dead service_account_gone C1",
    },
    {
      what: "a profile that is limited for now",
      url: "https://mastodon.social/users/jk",
      web: { "mastodon.social/users/jk": page("Forbidden", 403) },
      seen: "unknown service_private",
    },
  ],
});

const TUMBLR = "www.tumblr.com/oembed/1.0";
const REBLOG = "https://staff.tumblr.com/post/619193383820410880/have-a-post";
const REBLOG_AT = "staff.tumblr.com/post/619193383820410880";
const REBLOG_OEMBED =
  "GET https://www.tumblr.com/oembed/1.0?url=https%3A%2F%2Fstaff.tumblr.com%2Fpost%2F619193383820410880";

tellOf("tumblr", {
  urls: [
    REBLOG,
    "https://www.tumblr.com/staff/619193383820410880",
    "https://Tmblr.co/ZabcDE",
    "https://tumblr.com/staff",
  ],
  rows: [
    {
      what: "a post",
      url: REBLOG,
      web: {
        [TUMBLR]: json({
          type: "rich",
          title: "Have a post you're proud of?",
          html: "<div></div>",
        }),
      },
      seen: "active ok_service",
      asked: [REBLOG_OEMBED],
    },
    {
      what: "a post as the dashboard shows it",
      url: "https://www.tumblr.com/blog/view/staff/619193383820410880?source=share",
      web: { [TUMBLR]: json({ type: "rich", html: "<div></div>" }) },
      seen: "active ok_service",
      asked: [REBLOG_OEMBED],
    },
    {
      what: "a post that was deleted",
      url: "https://www.tumblr.com/staff/619193383820410880/have-a-post",
      web: {
        [TUMBLR]: json({ meta: { status: 404 } }, 404),
        [REBLOG_AT]: page(site("Not found.", ""), 404),
      },
      seen: "dead http_404 C2",
      asked: [REBLOG_OEMBED, `GET https://${REBLOG_AT}`],
    },
    {
      what: "a post on a blog for those who are signed in",
      url: REBLOG,
      web: {
        [TUMBLR]: json({ meta: { status: 404 } }, 404),
        [REBLOG_AT]: to("https://www.tumblr.com/login_required/staff"),
        "www.tumblr.com/login_required/staff": site(
          "Tumblr",
          "<p>This Tumblr is only viewable within the dashboard.</p>",
        ),
      },
      seen: "unknown login_required",
    },
    {
      what: "a private post",
      url: REBLOG,
      web: {
        [TUMBLR]: json({ meta: { status: 403 } }, 403),
        [REBLOG_AT]: site("staff", "<p>Have a post you're proud of?</p>"),
      },
      seen: "unknown service_private",
    },
    {
      what: "a post while the service is ill",
      url: REBLOG,
      web: {
        [TUMBLR]: challenge(),
        [REBLOG_AT]: site("staff", "<p>Have a post you're proud of?</p>"),
      },
      seen: "unknown service_probe_failed",
    },
    {
      what: "a post that only its page shows",
      url: REBLOG,
      web: {
        [TUMBLR]: json({ meta: { status: 404 } }, 404),
        [REBLOG_AT]: site("staff", "<p>Have a post?</p>"),
      },
      seen: "unknown service_unrecognised",
    },
    {
      what: "a short address",
      url: "https://tmblr.co/ZabcDE",
      web: {
        "tmblr.co/ZabcDE": to("https://staff.tumblr.com/post/619193383820410880"),
        [REBLOG_AT]: site("staff", "<p>Have a post you're proud of?</p>"),
        [TUMBLR]: json({ type: "rich", html: "<div></div>" }),
      },
      seen: "active ok_service",
    },
    {
      what: "an archive",
      url: "https://staff.tumblr.com/archive/2019",
      web: { "staff.tumblr.com/archive/2019": site("Archive", "<p>Posts of that year.</p>") },
      seen: "active ok",
    },
    {
      what: "a blog",
      url: "https://staff.tumblr.com/",
      web: { "staff.tumblr.com/": site("Tumblr Staff", "<p>News of the staff.</p>") },
      seen: "active ok",
    },
    {
      what: "a blog that is not there",
      url: "https://www.tumblr.com/staff",
      web: {
        "www.tumblr.com/staff": page(site("Not found.", "<p>There's nothing here.</p>"), 404),
      },
      seen: "dead http_404 C2",
    },
    {
      what: "a blog behind a warning",
      url: "https://staff.tumblr.com/",
      web: {
        "staff.tumblr.com/": to(
          "https://www.tumblr.com/safe-mode?url=https%3A%2F%2Fstaff.tumblr.com%2F",
        ),
        "www.tumblr.com/safe-mode": site(
          "Tumblr",
          "<p>This Tumblr may contain sensitive media.</p>",
        ),
      },
      seen: "unknown login_required",
    },
    {
      what: "a blog with a password",
      url: "https://staff.tumblr.com/",
      web: {
        "staff.tumblr.com/": to("https://www.tumblr.com/blog_auth/staff"),
        "www.tumblr.com/blog_auth/staff": site(
          "Tumblr",
          '<form><input type="password" name="password"></form>',
        ),
      },
      seen: "active ok_service_protected",
    },
  ],
});

const PINS = "www.pinterest.com/oembed.json";
const PIN = "https://www.pinterest.com/pin/99360735500167749/";
const PIN_AT = "www.pinterest.com/pin/99360735500167749/";
const PIN_PAGE = site("A pin", "<p>Something to make at home.</p>");
const PIN_OEMBED =
  "GET https://www.pinterest.com/oembed.json?url=https%3A%2F%2Fwww.pinterest.com%2Fpin%2F99360735500167749%2F";

tellOf("pinterest", {
  urls: [
    PIN,
    "https://jp.pinterest.com/pin/858146904010573850/",
    "https://www.Pinterest.co.uk/hextra7519/based-animals/",
    "https://pin.it/Hvt8hgT",
  ],
  rows: [
    {
      what: "a pin",
      url: "https://www.pinterest.de/pin/a-nice-pin--99360735500167749/sent/?sender=1",
      web: { [PINS]: json({ type: "rich", title: "A pin", html: "<iframe></iframe>" }) },
      seen: "active ok_service",
      asked: [PIN_OEMBED],
    },
    {
      what: "a pin that was deleted",
      url: PIN,
      web: { [PINS]: json({ status: "failure", message: "Pin not found." }, 404) },
      seen: "dead service_not_found C2",
    },
    {
      what: "a secret pin",
      url: PIN,
      web: { [PINS]: json({ status: "failure" }, 403), [PIN_AT]: PIN_PAGE },
      seen: "unknown service_private",
    },
    {
      what: "a pin that is refused, and a page that is missing",
      url: PIN,
      web: { [PINS]: json({ status: "failure" }, 403), [PIN_AT]: page(site("Pinterest", ""), 404) },
      seen: "dead http_404 C2",
    },
    {
      what: "a pin in whose place another is shown",
      url: PIN,
      web: {
        [PINS]: text("Internal Server Error", 500),
        [PIN_AT]: to("/pin/993607355001677490/"),
        "www.pinterest.com/pin/993607355001677490/": PIN_PAGE,
      },
      seen: "dead service_not_found C2",
    },
    {
      what: "a pin in whose place the home page is shown",
      url: PIN,
      web: {
        [PINS]: text("Internal Server Error", 500),
        [PIN_AT]: to("/?show_error=true"),
        "www.pinterest.com/": site("Pinterest", "<p>Discover ideas.</p>"),
      },
      seen: "dead service_not_found C2",
    },
    {
      what: "a pin under its longer name while the service is ill",
      url: PIN,
      web: {
        [PINS]: challenge(),
        [PIN_AT]: to("https://de.pinterest.com/pin/a-nice-pin--99360735500167749/"),
        "de.pinterest.com/pin/a-nice-pin--99360735500167749/": PIN_PAGE,
      },
      seen: "unknown service_probe_failed",
    },
    {
      what: "a short address",
      url: "https://pin.it/Hvt8hgT",
      web: {
        "pin.it/Hvt8hgT": to("https://api.pinterest.com/url_shortener/Hvt8hgT/redirect/"),
        "api.pinterest.com/url_shortener/Hvt8hgT/redirect/": to(PIN),
        [PIN_AT]: PIN_PAGE,
        [PINS]: json({ status: "failure", message: "Pin not found." }, 404),
      },
      seen: "dead service_not_found C2",
    },
  ],
});

const telegram = (inner: string) =>
  page(
    `<!doctype html><html><head><title>Telegram: View</title></head><body><div class="tgme_page_wrap"><div class="tgme_page">${inner}</div></div></body></html>`,
  );
const widget = (inner: string) =>
  page(
    `<!doctype html><html><head><title>Telegram Widget</title></head><body class="widget_frame_base"><div class="tgme_widget_message js-widget_message">${inner}</div></body></html>`,
  );
const EMPTY_NAME =
  '<div class="tgme_page_icon"></div><div class="tgme_page_description">If you have <strong>Telegram</strong>, you can contact <a href="tg://resolve?domain=telegram">@telegram</a> right away.</div>';

tellOf("telegram", {
  urls: ["https://t.me/telegram", "https://telegram.me/durov", "https://Telegram.dog/s/telegram"],
  rows: [
    {
      what: "a channel",
      url: "https://telegram.me/s/telegram",
      web: {
        "t.me/telegram": telegram(
          '<div class="tgme_page_photo"></div><div class="tgme_page_title"><span dir="auto">Telegram News</span></div><div class="tgme_page_extra">10 700 000 subscribers</div>',
        ),
      },
      seen: "active ok_service",
      asked: ["GET https://t.me/telegram"],
    },
    {
      what: "a user",
      url: "https://t.me/telegram",
      web: {
        "t.me/telegram": telegram(
          '<div class="tgme_page_title"><span dir="auto">Somebody</span></div>',
        ),
      },
      seen: "active ok_service",
    },
    {
      what: "a name while the service is ill",
      url: "https://t.me/telegram",
      web: { "t.me/telegram": page('<div class="tgme_page_icon"></div>', 500) },
      seen: "unknown http_500",
    },
    {
      what: "a bot",
      url: "https://t.me/telegram",
      web: { "t.me/telegram": telegram('<div class="tgme_page_extra">@telegram</div>') },
      seen: "active ok_service",
    },
    {
      what: "a name that nobody has",
      url: "https://t.me/telegram",
      web: { "t.me/telegram": telegram(EMPTY_NAME) },
      seen: "dead service_not_found C2",
    },
    {
      what: "a name on a page that is not Telegram's",
      url: "https://t.me/telegram",
      web: { "t.me/telegram": site("Welcome", "<p>Something else.</p>") },
      seen: "unknown service_unrecognised",
    },
    {
      what: "a name behind a wall",
      url: "https://t.me/telegram",
      web: { "t.me/telegram": challenge() },
      seen: "unknown bot_challenge",
    },
    {
      what: "a page for sharing",
      url: "https://t.me/share?url=https%3A%2F%2Fexample.org",
      web: { "t.me/share": telegram('<div class="tgme_page_icon"></div><p>Share this link.</p>') },
      seen: "active ok",
    },
    {
      what: "an invitation",
      url: "https://t.me/+AbCdEfGhIjKlMnOp",
      web: {
        "t.me/+AbCdEfGhIjKlMnOp": telegram(
          '<div class="tgme_page_title"><span dir="auto">Friends</span></div><div class="tgme_page_extra">120 members</div>',
        ),
      },
      seen: "active ok_service",
    },
    {
      what: "an invitation that has run out",
      url: "https://t.me/joinchat/AbCdEfGhIjKlMnOp",
      web: {
        "t.me/joinchat/AbCdEfGhIjKlMnOp": telegram(
          '<div class="tgme_page_icon"></div><div class="tgme_page_description">You are invited to a <strong>group chat</strong> on Telegram.</div>',
        ),
      },
      seen: "dead service_not_found C2",
    },
    {
      what: "an invitation on a page that is not Telegram's",
      url: "https://t.me/+AbCdEfGhIjKlMnOp",
      web: { "t.me/+AbCdEfGhIjKlMnOp": site("Welcome", "<p>Something else.</p>") },
      seen: "unknown service_unrecognised",
    },
    {
      what: "a telephone number",
      url: "https://t.me/+4915112345678",
      web: { "t.me/+4915112345678": telegram(EMPTY_NAME) },
      seen: "active ok",
    },
    {
      what: "a post",
      url: "https://t.me/s/europa_press/613?single",
      web: {
        "t.me/europa_press/613?embed=1": widget(
          '<div class="tgme_widget_message_author"><span dir="auto">Europa Press</span></div><div class="tgme_widget_message_text">News.</div>',
        ),
      },
      seen: "active ok_service",
      asked: ["GET https://t.me/europa_press/613?embed=1"],
    },
    {
      what: "a post that was deleted",
      url: "https://t.me/europa_press/613",
      web: {
        "t.me/europa_press/613": widget(
          '<div class="tgme_widget_message_error">Post not found</div>',
        ),
      },
      seen: "dead service_not_found C2",
    },
    {
      what: "a post of a channel that is gone",
      url: "https://t.me/europa_press/613",
      web: {
        "t.me/europa_press/613": widget(
          '<div class="tgme_widget_message_error">Channel with username <b>@europa_press</b> not found</div>',
        ),
      },
      seen: "dead service_not_found C2",
    },
    {
      what: "a post that is not shown, on a page that would name the channel of any",
      url: "https://t.me/europa_press/613",
      web: {
        "t.me/europa_press/613": telegram(
          '<div class="tgme_page_title"><span dir="auto">Europa Press</span></div>',
        ),
      },
      seen: "unknown service_unrecognised",
    },
    {
      what: "a post of which something else is said",
      url: "https://t.me/europa_press/613",
      web: {
        "t.me/europa_press/613": widget(
          '<div class="tgme_widget_message_error">Please open Telegram</div>',
        ),
      },
      seen: "unknown service_unrecognised",
    },
  ],
});

const INVITES = "discord.com/api/v10/invites/discord-developers";

tellOf("discord", {
  urls: [
    "https://discord.gg/discord-developers",
    "https://www.discord.com/invite/minecraft",
    "https://DiscordApp.com/invite/minecraft",
  ],
  rows: [
    {
      what: "an invitation",
      url: "https://discord.com/invite/discord-developers",
      web: {
        [INVITES]: json({
          type: 0,
          code: "discord-developers",
          guild: { name: "Discord Developers" },
        }),
      },
      seen: "active ok_service",
      asked: ["GET https://discord.com/api/v10/invites/discord-developers"],
    },
    {
      what: "an invitation that has run out",
      url: "https://discord.gg/discord-developers",
      web: { [INVITES]: json({ message: "Unknown Invite", code: 10006 }, 404) },
      seen: "dead service_not_found C1",
    },
    {
      what: "an invitation that a missing address speaks for",
      url: "https://discord.gg/discord-developers",
      web: { [INVITES]: json({ message: "404: Not Found", code: 0 }, 404) },
      seen: "unknown service_probe_failed",
    },
    {
      what: "an invitation for which a page comes",
      url: "https://discord.gg/discord-developers",
      web: { [INVITES]: shell("Discord") },
      seen: "unknown service_probe_failed",
    },
    {
      what: "an invitation while nobody may ask more",
      url: "https://discord.gg/discord-developers",
      web: { [INVITES]: json({ message: "You are being rate limited.", retry_after: 1 }, 429) },
      seen: "unknown service_rate_limited",
    },
    {
      what: "an invitation while the service is ill, of which the page is not asked for",
      url: "https://discord.gg/discord-developers",
      web: { [INVITES]: text("Internal Server Error", 500) },
      seen: "unknown service_probe_failed",
      asked: ["GET https://discord.com/api/v10/invites/discord-developers"],
    },
  ],
});
