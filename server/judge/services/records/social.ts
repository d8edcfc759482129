import { dead, type Kind, means, type Page, type Rule, type Service } from "../record.ts";
import { oembed } from "./shared.ts";

const APOSTROPHE = "(?:['’]|&#0?39;)";

/** X and Facebook hide existing items from programs or redirect them, so such responses prove nothing. */
const UNPROVEN: Rule = means("service_unrecognised", { status: [200, 404, 410] });

/** Excludes the documentation and the blogs, which are ordinary sites. */
const X_APP = String.raw`^(?:(?:www|m|mobile)\.)?(?:x|twitter)\.com$`;

/** Bluesky's errors for accounts that are deleted or deactivated. */
const BLUESKY_REFUSALS: Rule[] = [
  dead("service_account_gone", "C2", { json: { error: "AccountTakedown" } }),
  means("service_private", { json: { error: "AccountDeactivated" } }),
];

/** Reddit's JSON for communities that are restricted or banned. */
const REDDIT_REFUSALS: Rule[] = [
  means("service_private", { json: { reason: ["private", "quarantined", "gold_only"] } }),
  dead("service_takedown", "C1", { json: { reason: "banned" } }),
];

/** The oEmbed endpoint requires full addresses; a short address redirects to the full one. */
const REDDIT_SHORT: Pick<Kind, "ask" | "page"> = {
  ask: oembed(
    "https://www.reddit.com/oembed?url=https%3A%2F%2Fwww.reddit.com%2Fcomments%2F{id}",
    ...REDDIT_REFUSALS,
    means("page", { status: [403, 404] }),
  ),
  page: { rules: [means("ok_service", { status: 200, url: "/comments/{id}/." })] },
};

const INSTAGRAM_APP = String.raw`^(?:(?:www|m)\.)?instagr(?:am\.com|\.am)$`;

/** Visitors without an account are usually redirected to the login, so a page without content proves nothing. */
const INSTAGRAM_PAGE: Page = {
  needsMarker: true,
  rules: [
    dead("service_not_found", "C2", {
      status: 404,
      matches: `Sorry, this page isn${APOSTROPHE}t available`,
    }),
    means("login_required", { title: "^log ?in • Instagram$" }),
    means("ok_service", {
      matches:
        'property="og:title" content="[^"]{0,300}(?: on Instagram|Instagram photos and videos)',
    }),
  ],
};

/** The title of a profile names its owner; the login page does not. */
const THREADS_PAGE: Page = {
  needsMarker: true,
  rules: [
    means("ok_service", {
      matches: String.raw`property="og:title" content="[^"]{0,300}\((?:@|&#064;|&#x40;)[\w.]{1,50}\)`,
    }),
  ],
};

const TUMBLR_OEMBED =
  "https://www.tumblr.com/oembed/1.0?url=https%3A%2F%2F{blog}.tumblr.com%2Fpost%2F{id}";

/** Blogs that are only shown on the dashboard, or behind a warning. */
const TUMBLR_WALLS: Rule[] = [
  means("login_required", { url: String.raw`tumblr\.com/(?:login_required|safe-mode)` }),
  means("ok_service_protected", { url: String.raw`tumblr\.com/blog_auth/` }),
];

/** The oEmbed endpoint also returns 404 for blogs that require sign-in. */
const TUMBLR_POST: Pick<Kind, "ask" | "page"> = {
  ask: oembed(TUMBLR_OEMBED, means("page", { status: 404 })),
  page: { url: "https://{blog}.tumblr.com/post/{id}", rules: TUMBLR_WALLS },
};

export const SOCIAL: Service[] = [
  {
    id: "x",
    name: "X",
    hosts: ["x.com", "twitter.com"],
    confidence: "H",
    kinds: [
      {
        kind: "post",
        // In `/i/web/status/1` the user is called "web". Any name works.
        path: String.raw`^/(?:i/)?(?<user>[^/]+)/status(?:es)?/(?<id>\d+)`,
        ask: oembed(
          "https://publish.twitter.com/oembed?url=https%3A%2F%2Ftwitter.com%2F{user}%2Fstatus%2F{id}",
          dead("service_account_gone", "C1", { json: { "errors.0.code": 63 } }),
          dead("service_takedown", "C1", { json: { "errors.0.code": [421, 422] } }),
          dead("service_not_found", "C2", { json: { "errors.0.code": [34, 144] } }),
        ),
        page: "never",
      },
      // All addresses get the same page of the app, whether or not the name exists.
      {
        kind: "profile",
        host: X_APP,
        path: String.raw`^/\w`,
        page: { needsMarker: true, rules: [UNPROVEN] },
      },
    ],
    canary: [
      "https://twitter.com/Interior/status/463440424141459456",
      "https://x.com/jack/status/20",
    ],
  },
  {
    id: "reddit",
    name: "Reddit",
    hosts: ["reddit.com", "redd.it"],
    confidence: "M",
    kinds: [
      {
        kind: "post",
        path: "^(?<path>/(?:r|user|u)/[^/]+/comments/[a-z0-9]+(?:/.*)?)$",
        ask: oembed(
          // A plain 403 may be bot protection: the page shows whether it is.
          "https://www.reddit.com/oembed?url=https%3A%2F%2Fwww.reddit.com{path}",
          ...REDDIT_REFUSALS,
          means("page", { status: 403 }),
        ),
      },
      { kind: "post-id", path: "^/comments/(?<id>[a-z0-9]+)", ...REDDIT_SHORT },
      {
        kind: "short",
        host: String.raw`^(?:www\.)?redd\.it$`,
        path: "^/(?<id>[a-z0-9]+)/?$",
        ...REDDIT_SHORT,
      },
      {
        kind: "community",
        path: String.raw`^/r/(?<name>\w+)/?$`,
        ask: {
          url: "https://www.reddit.com/r/{name}/about.json",
          rules: [
            ...REDDIT_REFUSALS,
            dead("service_not_found", "C2", { url: "/subreddits/search" }),
            dead("service_not_found", "C2", { status: 404 }),
            means("ok_service", { json: { kind: "t5" } }),
          ],
        },
      },
      {
        kind: "user",
        path: String.raw`^/(?:user|u)/(?<name>[\w-]+)/?$`,
        ask: {
          url: "https://www.reddit.com/user/{name}/about.json",
          rules: [
            dead("service_account_gone", "C1", { json: { "data.is_suspended": true } }),
            dead("service_not_found", "C2", { status: 404 }),
            means("ok_service", { json: { kind: "t2" } }),
          ],
        },
      },
    ],
    canary: [
      "https://www.reddit.com/r/aww/comments/90bu6w/heat_index_was_110_degrees_so_we_offered_him_a/",
      "https://www.reddit.com/r/aww/",
      "https://www.reddit.com/user/reddit/",
    ],
  },
  {
    id: "instagram",
    name: "Instagram",
    hosts: ["instagram.com", "instagr.am"],
    confidence: "L",
    kinds: [
      {
        kind: "post",
        path: String.raw`^/(?:[\w.]+/)?(?:p|reels?|tv|stories/[\w.]+)/[\w-]+`,
        page: INSTAGRAM_PAGE,
      },
      { kind: "profile", host: INSTAGRAM_APP, path: String.raw`^/[\w.]+/?$`, page: INSTAGRAM_PAGE },
    ],
    canary: ["https://www.instagram.com/p/aye83DjauH/", "https://www.instagram.com/instagram/"],
  },
  {
    id: "facebook",
    name: "Facebook",
    hosts: ["facebook.com", "fb.com", "fb.watch"],
    confidence: "L",
    kinds: [
      {
        kind: "view",
        host: String.raw`^(?:(?:www|m|mobile|mbasic|touch|web|[a-z]{2}-[a-z]{2})\.)?(?:facebook\.com|fb\.com|fb\.watch)$`,
        // Excludes documents that are public.
        path: "^/(?!(?:help|policies|legal|business|privacy|careers)(?:/|$)).",
        page: {
          needsMarker: true,
          rules: [
            means("service_unrecognised", {
              // Shown for deleted items and for those with restricted access.
              matches: `This content isn${APOSTROPHE}t available`,
            }),
            means("login_required", { status: 400 }),
            means("login_required", { status: 200, text: 'id="login_form"' }),
            UNPROVEN,
          ],
        },
      },
    ],
  },
  {
    id: "threads",
    name: "Threads",
    hosts: ["threads.com", "threads.net"],
    confidence: "L",
    kinds: [
      { kind: "post", path: String.raw`^/@[\w.]+/post/[\w-]+`, page: THREADS_PAGE },
      { kind: "profile", path: String.raw`^/@[\w.]+/?$`, page: THREADS_PAGE },
    ],
    canary: ["https://www.threads.com/@zuck"],
  },
  {
    id: "linkedin",
    name: "LinkedIn",
    hosts: ["linkedin.com", "lnkd.in"],
    confidence: "H",
    kinds: [
      {
        kind: "page",
        path: "^/(?:in|company|school|showcase|posts|feed/update|pulse|newsletters|jobs/view|events|groups|learning)/.",
      },
    ],
    // Programs get a page that denies access. While the canary gets it, nothing counts as gone.
    canary: ["https://www.linkedin.com/company/linkedin/"],
  },
  {
    id: "bluesky",
    name: "Bluesky",
    hosts: ["bsky.app"],
    confidence: "L",
    kinds: [
      {
        kind: "post",
        path: String.raw`^/profile/(?<actor>[^/]+)/post/(?<id>\w+)/?$`,
        ask: [
          oembed(
            // Also returned during outages of its own servers; 400 is returned for names that do not resolve.
            "https://embed.bsky.app/oembed?url=https%3A%2F%2Fbsky.app%2Fprofile%2F{actor}%2Fpost%2F{id}",
            means("next", { status: [400, 404] }),
          ),
          {
            url: "https://public.api.bsky.app/xrpc/app.bsky.feed.getPostThread?depth=0&parentHeight=0&uri=at%3A%2F%2F{actor}%2Fapp.bsky.feed.post%2F{id}",
            rules: [
              dead("service_not_found", "C2", { json: { error: "NotFound" } }),
              ...BLUESKY_REFUSALS,
              dead("service_not_found", "C2", {
                status: 400,
                json: {
                  message: {
                    matches: "^(?:Profile not found|(?:Unable to|Could not) resolve handle)",
                  },
                },
              }),
              means("ok_service", { json: { "thread.post.uri": { empty: false } } }),
            ],
          },
        ],
        page: "never",
      },
      {
        kind: "profile",
        path: "^/profile/(?<actor>[^/]+)/?$",
        ask: {
          url: "https://public.api.bsky.app/xrpc/app.bsky.actor.getProfile?actor={actor}",
          rules: [
            ...BLUESKY_REFUSALS,
            dead("service_not_found", "C2", {
              json: { message: { matches: "^Profile not found" } },
            }),
            means("ok_service", { json: { did: { empty: false } } }),
          ],
        },
        page: "never",
      },
      // All addresses get the same page of the app.
      { kind: "view", path: "^/profile/.", page: { needsMarker: true } },
    ],
    canary: [
      "https://bsky.app/profile/bsky.app/post/3l3vgf77uco2g",
      "https://bsky.app/profile/bsky.app",
    ],
  },
  {
    id: "mastodon",
    name: "Mastodon",
    hosts: [
      "mastodon.{art,cloud,green,ie,nl,nu,nz,online,scot,sdf.org,social,uno,world,xyz}",
      "mstdn.{ca,jp,party,social}",
      "{aus,chaos,det,floss,indieweb,kolektiva,nrw,phpc,ruby,scholar,sfba,techhub}.social",
      "{baraag,pawoo}.net",
      "{infosec,ioc}.exchange",
      "social.{tchncs.de,vivaldi.net}",
      "c.im",
      "fosstodon.org",
      "hachyderm.io",
      "journa.host",
      "mas.to",
      "mastodon.gamedev.place",
      "mastodonapp.uk",
      "mathstodon.xyz",
      "piaille.fr",
      "qoto.org",
      "tech.lgbt",
      "toot.community",
      "troet.cafe",
    ],
    path: String.raw`^/@[^/]+/\d+$`,
    confidence: "M",
    kinds: [
      {
        kind: "post",
        path: String.raw`^(?:/web)?/(?:@[^/]+|users/[^/]+/statuses)/\d+/?$`,
        page: {
          rules: [
            dead("service_deleted", "C1", { status: 410 }),
            means("service_private", { status: [401, 403] }),
          ],
        },
      },
      {
        kind: "profile",
        path: "^(?:/web)?/(?:@|users/)[^/]+/?$",
        page: {
          rules: [
            dead("service_account_gone", "C1", { status: 410 }),
            means("service_private", { status: [401, 403] }),
          ],
        },
      },
    ],
  },
  {
    id: "tumblr",
    name: "Tumblr",
    hosts: ["tumblr.com", "tmblr.co"],
    confidence: "M",
    kinds: [
      {
        kind: "post",
        host: String.raw`^(?!(?:www|m|api|assets)\.)(?<blog>[\w-]+)\.tumblr\.com$`,
        path: String.raw`^/(?:post|image|video)/(?<id>\d+)`,
        ...TUMBLR_POST,
      },
      {
        kind: "dashboard-post",
        host: String.raw`^(?:www\.)?tumblr\.com$`,
        path: String.raw`^/(?:blog/(?:view/)?)?(?<blog>[\w-]+)/(?<id>\d+)`,
        ...TUMBLR_POST,
      },
      {
        kind: "blog",
        host: String.raw`(?:^|\.)tumblr\.com$`,
        path: "^/[^/]*/?$",
        page: { rules: TUMBLR_WALLS },
      },
    ],
    canary: [
      "https://staff.tumblr.com/post/619193383820410880/have-a-post-youre-particularly-proud-of",
      "https://staff.tumblr.com/",
    ],
  },
  {
    id: "pinterest",
    name: "Pinterest",
    hosts: [
      "pinterest.{at,be,ca,ch,cl,co,co.at,co.in,co.kr,co.nz,co.uk,com,com.au,com.bo,com.ec,com.mx,com.pe,com.py,com.uy,com.vn,de,dk,ec,es,fr,hu,id,ie,in,info,it,jp,kr,mx,nl,nz,pe,ph,pt,ru,se,th,tw,uk,vn}",
      "pin.it",
    ],
    confidence: "M",
    kinds: [
      {
        kind: "pin",
        path: String.raw`^/pin/(?:[^/]*--)?(?<id>\d+)(?:/|$)`,
        ask: oembed(
          "https://www.pinterest.com/oembed.json?url=https%3A%2F%2Fwww.pinterest.com%2Fpin%2F{id}%2F",
        ),
        page: {
          rules: [
            dead("service_not_found", "C2", {
              // Missing pins redirect to existing ones.
              url: String.raw`pinterest\.[a-z.]+/(?:pin/|\?|$)`,
              unless: { url: String.raw`/pin/(?:[^/]*--)?{id}\b` },
            }),
          ],
        },
      },
    ],
    canary: [
      "https://www.pinterest.com/pin/99360735500167749/",
      "https://www.pinterest.com/pin/858146903966145189/",
    ],
  },
];
