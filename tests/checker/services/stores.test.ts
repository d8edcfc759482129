import { challenge, json, page, text, to } from "./played-web.ts";
import { tellOf } from "./told.ts";

const PRODUCT = "https://www.amazon.com/Some-Book/dp/0262033844";
const PRODUCT_AT = "www.amazon.com/Some-Book/dp/0262033844";
const BOOK =
  '<title>Introduction to Algorithms: Amazon.com</title><div id="dp"><span id="productTitle">Introduction to Algorithms</span></div>';

tellOf("amazon", {
  urls: [
    PRODUCT,
    ..."com ae ca cn de eg es fr ie in it nl pl sa se sg"
      .split(" ")
      .map((end) => `https://amazon.${end}/dp/x`),
    ..."jp uk za".split(" ").map((end) => `https://www.amazon.co.${end}/dp/x`),
    ..."au be br mx tr".split(" ").map((end) => `https://www.amazon.com.${end}/dp/x`),
    "https://amzn.to/3abcdef",
    "https://amzn.eu/d/abc",
    "https://amzn.asia/d/abc",
    "https://a.co/d/abc",
    "https://aws.AMAZON.com/",
  ],
  rows: [
    {
      what: "a product",
      url: PRODUCT,
      web: { [PRODUCT_AT]: BOOK },
      seen: "active ok_service",
      asked: [`GET ${PRODUCT}`],
    },
    {
      what: "a product of another make",
      url: "https://www.amazon.co.uk/gp/product/B000000000",
      web: {
        "www.amazon.co.uk/gp/product/B000000000":
          '<title>A film</title><div id="dp-container"><h1>A film</h1></div>',
      },
      seen: "active ok_service",
    },
    {
      what: "a product by a short name",
      url: "https://amzn.to/3abcdef",
      web: { "amzn.to/3abcdef": to(PRODUCT, 301), [PRODUCT_AT]: BOOK },
      seen: "active ok_service",
    },
    {
      what: "a captcha by a short name",
      url: "https://a.co/d/abc",
      web: {
        "a.co/d/abc": to("https://www.amazon.com/gp/aw/d/0262033844?ref=x", 301),
        "www.amazon.com/gp/aw/d/0262033844":
          "<title>Amazon.com</title><h4>Something else</h4><p>We are looking into it.</p>",
      },
      seen: "unknown service_unrecognised",
    },
    {
      what: "missing",
      url: PRODUCT,
      web: {
        [PRODUCT_AT]: page(
          '<title>Page Not Found</title><a href="/dogsofamazon"><img alt="Dogs of Amazon" src="/images/G/01/error/64.jpg"></a>',
          404,
        ),
      },
      seen: "dead http_404 C2",
    },
    {
      what: "missing, quoting the mark of one that is there",
      url: PRODUCT,
      web: { [PRODUCT_AT]: page("<style>#productTitle{}</style><h1>Page not found</h1>", 404) },
      seen: "dead http_404 C2",
    },
    {
      what: "a captcha",
      url: PRODUCT,
      web: {
        [PRODUCT_AT]:
          '<title>Amazon.com</title><h4>Enter the characters you see below</h4><form action="/errors/validateCaptcha"></form>',
      },
      seen: "unknown bot_challenge",
    },
    {
      what: "refused to programs",
      url: PRODUCT,
      web: {
        [PRODUCT_AT]: page(
          "<title>Sorry! Something went wrong!</title><!-- To discuss automated access to Amazon data please contact us. -->",
          503,
        ),
      },
      seen: "unknown bot_challenge",
    },
    {
      what: "put off",
      url: PRODUCT,
      web: { [PRODUCT_AT]: page("<script>challenge()</script>", 202) },
      seen: "unknown bot_challenge",
    },
    {
      what: "a page that no rule knows",
      url: PRODUCT,
      web: { [PRODUCT_AT]: "<title>Amazon.com</title><h1>Click to continue shopping</h1>" },
      seen: "unknown service_unrecognised",
    },
    {
      what: "a page of Amazon that is no product",
      url: "https://aws.amazon.com/dp/0262033844",
      web: { "aws.amazon.com/dp/0262033844": "<title>AWS</title><h1>Cloud computing</h1>" },
      seen: "active ok",
    },
  ],
});

const LOT = "https://www.ebay.com/itm/Some-Title/123456789012";
const LOT_AT = "www.ebay.com/itm/Some-Title/123456789012";

tellOf("ebay", {
  urls: [
    LOT,
    ..."com at be ca ch cn de es fr ie in it nl ph pl to us"
      .split(" ")
      .map((end) => `https://ebay.${end}/itm/1`),
    "https://www.ebay.co.uk/itm/123456789012",
    ..."au hk my sg".split(" ").map((end) => `https://www.ebay.com.${end}/itm/1`),
    "https://befr.EBAY.be/",
  ],
  rows: [
    {
      what: "an item",
      url: LOT,
      web: {
        [LOT_AT]: "<title>A lamp | eBay</title><h1>A lamp</h1><p>Condition: used. Buy it now.</p>",
      },
      seen: "active ok",
    },
    {
      what: "ended",
      url: LOT,
      web: {
        [LOT_AT]:
          "<title>404 Not Found error sign enamel | eBay</title><h1>404 Not Found</h1><span>Bidding ended on Sat, Jan 2</span>",
      },
      seen: "active ok_service",
    },
    {
      what: "ended, in other words",
      url: LOT,
      web: {
        [LOT_AT]:
          "<title>Page not found, a novel | eBay</title><h1>Page not found</h1><p>This listing ended on Jan 2.</p>",
      },
      seen: "active ok_service",
    },
    {
      what: "ended by its seller",
      url: LOT,
      web: {
        [LOT_AT]:
          "<title>Page not found, a novel | eBay</title><h1>Page not found</h1><p>This listing was ended by the seller.</p>",
      },
      seen: "active ok_service",
    },
    {
      what: "missing, with words of one that ended",
      url: LOT,
      web: { [LOT_AT]: page("<h1>We looked everywhere.</h1><p>This listing ended.</p>", 404) },
      seen: "dead http_404 C2",
    },
    {
      what: "a thing by a name such as eBay's words",
      url: LOT,
      web: {
        [LOT_AT]:
          '<title>This listing was removed, a print | eBay</title><h1 class="x-item-title__mainTitle"><span>This listing was removed, a print</span></h1>',
      },
      seen: "active ok",
    },
    {
      what: "listed again, as its seller says",
      url: LOT,
      web: {
        [LOT_AT]:
          "<title>A lamp | eBay</title><h1>A lamp</h1><p>Back again! This listing was removed by mistake.</p>",
      },
      seen: "active ok",
    },
    {
      what: "removed",
      url: LOT,
      web: {
        [LOT_AT]:
          "<title>eBay</title><h1>Error</h1><p>This listing was removed. Here are similar ones.</p>",
      },
      seen: "dead service_deleted C2",
    },
    { what: "missing", url: LOT, web: { [LOT_AT]: 404 }, seen: "dead http_404 C2" },
    {
      what: "behind a check of the browser",
      url: LOT,
      web: {
        [LOT_AT]:
          "<title>Pardon Our Interruption...</title><p>Checking your browser before you access eBay.</p>",
      },
      seen: "unknown bot_challenge",
    },
    { what: "failing", url: LOT, web: { [LOT_AT]: 503 }, seen: "unknown http_503" },
  ],
});

const LISTING = "https://www.etsy.com/de/listing/123456789/a-mug";
const LISTING_AT = "www.etsy.com/de/listing/123456789/a-mug";
const MUG = "<title>A mug - Etsy</title><h1>A mug</h1><p>Thrown by hand in Wales.</p>";

tellOf("etsy", {
  urls: [
    LISTING,
    "https://etsy.com/shop/Someone",
    "https://etsy.me/3abcdef",
    "https://someone.ETSY.com/",
  ],
  rows: [
    { what: "a listing", url: LISTING, web: { [LISTING_AT]: MUG }, seen: "active ok" },
    { what: "missing", url: LISTING, web: { [LISTING_AT]: 404 }, seen: "dead http_404 C2" },
    {
      what: "walled",
      url: LISTING,
      web: {
        [LISTING_AT]: page(
          '<title>etsy.com</title><p>Please enable JS and disable any ad blocker</p><script src="https://ct.captcha-delivery.com/c.js"></script>',
          403,
        ),
      },
      seen: "unknown bot_challenge",
    },
    {
      what: "a shop that is gone",
      url: "https://www.etsy.com/shop/Someone",
      web: { "www.etsy.com/shop/Someone": 404 },
      seen: "dead http_404 C2",
    },
    { what: "failing", url: LISTING, web: { [LISTING_AT]: 500 }, seen: "unknown http_500" },
  ],
});

const GOODS = "https://www.aliexpress.com/item/1005001234567890.html";
const GOODS_AT = "www.aliexpress.com/item/1005001234567890.html";

tellOf("aliexpress", {
  urls: [
    GOODS,
    "https://aliexpress.ru/item/1.html",
    "https://m.aliexpress.us/i/1.html",
    "https://a.ALIEXPRESS.com/_abc",
  ],
  rows: [
    {
      what: "an item",
      url: GOODS,
      web: {
        [GOODS_AT]: "<title>A cable - AliExpress</title><h1>A cable</h1><p>One metre, black.</p>",
      },
      seen: "active ok",
    },
    { what: "missing", url: GOODS, web: { [GOODS_AT]: 404 }, seen: "dead http_404 C2" },
    {
      what: "walled",
      url: GOODS,
      web: {
        [GOODS_AT]: "<script>sessionStorage.x5referer=1;var u='/punish?x5secdata=xg63';</script>",
      },
      seen: "unknown bot_challenge",
    },
    {
      what: "led to a wall",
      url: GOODS,
      web: {
        [GOODS_AT]: to("/item/1005001234567890.html/_____tmd_____/punish?x5secdata=xg63"),
        [`${GOODS_AT}/_____tmd_____/punish`]:
          "<title>Captcha Interception</title><div id=nocaptcha></div>",
      },
      seen: "unknown bot_challenge",
    },
    {
      what: "an item by a short name",
      url: "https://a.aliexpress.com/_abc",
      web: {
        "a.aliexpress.com/_abc": to(GOODS),
        [GOODS_AT]: "<script>var u='x5secdata'</script>",
      },
      seen: "unknown bot_challenge",
    },
    { what: "failing", url: GOODS, web: { [GOODS_AT]: 502 }, seen: "unknown http_502" },
  ],
});

const GAME = "https://store.steampowered.com/app/440/Team_Fortress_2/";
const GAME_AT = "store.steampowered.com/app/440/Team_Fortress_2/";
const HOME =
  "<title>Welcome to Steam</title><h1>Featured</h1><p>Browse the store: new, popular, specials, free to play.</p>";
const PROFILE = "https://steamcommunity.com/id/gabelogannewell";
const PROFILE_AT = "steamcommunity.com/id/gabelogannewell";
const GROUP = "https://steamcommunity.com/groups/SteamDB";
const GROUP_AT = "steamcommunity.com/groups/SteamDB";
const SHARED = "https://steamcommunity.com/sharedfiles/filedetails/?id=2503622437";
const SHARED_AT = "steamcommunity.com/sharedfiles/filedetails/";
const steamError = (words: string) =>
  `<title>Steam Community :: Error</title><h2>Sorry!</h2><p>An error was encountered while processing your request:</p><h3>${words}</h3>`;

tellOf("steam", {
  urls: [GAME, PROFILE, "https://s.team/p/abc", "https://www.SteamCommunity.com/market/"],
  rows: [
    {
      what: "a game, whatever it is called",
      url: GAME,
      web: { [GAME_AT]: "<title>Page not found on Steam</title><h1>Page not found</h1>" },
      seen: "active ok_service",
      asked: [`GET ${GAME}`],
    },
    {
      what: "sent to the store's home page",
      url: GAME,
      web: {
        [GAME_AT]: to("https://store.steampowered.com/"),
        "store.steampowered.com/": HOME,
      },
      seen: "unknown geo_blocked",
    },
    {
      what: "behind a gate of age",
      url: GAME,
      web: {
        [GAME_AT]: to("https://store.steampowered.com/agecheck/app/440/"),
        "store.steampowered.com/agecheck/app/440/":
          '<title>Team Fortress 2 on Steam</title><div class="agegate_birthday_selector"><p>Your age, please</p></div>',
      },
      seen: "active ok_service_protected",
    },
    {
      what: "behind a gate of age of another make",
      url: "https://store.steampowered.com/agecheck/app/440/",
      web: {
        "store.steampowered.com/agecheck/app/440/":
          "<title>Team Fortress 2 on Steam</title><p>Please enter your birth date to continue:</p>",
      },
      seen: "active ok_service_protected",
    },
    {
      what: "behind a gate of age that does not say so",
      url: GAME,
      web: {
        [GAME_AT]: to("https://store.steampowered.com/agecheck/app/440/"),
        "store.steampowered.com/agecheck/app/440/":
          '<title>Steam 上的 Team Fortress 2</title><div class="main"><p>One moment</p></div>',
      },
      seen: "active ok_service_protected",
    },
    {
      what: "sent to another game's gate",
      url: GAME,
      web: {
        [GAME_AT]: to("https://store.steampowered.com/agecheck/app/4401/"),
        "store.steampowered.com/agecheck/app/4401/":
          '<title>Another on Steam</title><div class="agegate"><p>Your age, please</p></div>',
      },
      seen: "unknown consent_wall",
    },
    {
      what: "behind a gate of age that fails",
      url: GAME,
      web: {
        [GAME_AT]: to("https://store.steampowered.com/agecheck/app/440/"),
        "store.steampowered.com/agecheck/app/440/": page("<title>Error on Steam</title>", 503),
      },
      seen: "unknown http_503",
    },
    {
      what: "another page at the gate's address",
      url: GAME,
      web: {
        [GAME_AT]: to("https://store.steampowered.com/agecheck/app/440/"),
        "store.steampowered.com/agecheck/app/440/":
          "<title>Steam</title><h1>Something went wrong</h1>",
      },
      seen: "unknown consent_wall",
    },
    {
      what: "a game about gates of age",
      url: GAME,
      web: { [GAME_AT]: '<title>Gate on Steam</title><h1>Gate</h1><div class="agegate">' },
      seen: "active ok_service",
    },
    {
      what: "not for this country",
      url: GAME,
      web: { [GAME_AT]: steamError("This item is currently unavailable in your region") },
      seen: "unknown geo_blocked",
    },
    {
      what: "sent to another game",
      url: GAME,
      web: {
        [GAME_AT]: to("https://store.steampowered.com/app/4401/"),
        "store.steampowered.com/app/4401/": "<title>Another on Steam</title><h1>Another</h1>",
      },
      seen: "active ok_redirected",
    },
    {
      what: "the hub of a game in the community",
      url: "https://steamcommunity.com/app/440",
      web: {
        "steamcommunity.com/app/440":
          "<title>Steam Community :: Team Fortress 2</title><h1>Team Fortress 2</h1><p>Help, it is currently unavailable in your region!</p>",
      },
      seen: "active ok",
    },
    {
      what: "a list of the workshop",
      url: "https://steamcommunity.com/workshop/browse/?id=440",
      web: {
        "steamcommunity.com/workshop/browse/":
          "<title>Steam Workshop</title><h1>Workshop</h1><p>Hats and maps.</p>",
      },
      seen: "active ok",
    },
    { what: "failing", url: GAME, web: { [GAME_AT]: 503 }, seen: "unknown http_503" },
    {
      what: "a profile, even a private one, whatever it is called",
      url: PROFILE,
      web: {
        [PROFILE_AT]:
          "<title>Steam Community :: 404 Not Found</title><h1>404 Not Found</h1><script>g_rgProfileData={};</script><p>This profile is private.</p>",
      },
      seen: "active ok_service",
    },
    {
      what: "a profile with a comment that quotes an error",
      url: PROFILE,
      web: {
        [PROFILE_AT]:
          "<title>Steam Community :: Gabe</title><script>g_rgProfileData={};</script><h3>The specified profile could not be found.</h3>",
      },
      seen: "active ok_service",
    },
    {
      what: "all comments of a profile, one of which quotes an error",
      url: `${PROFILE}/allcomments`,
      web: {
        [`${PROFILE_AT}/allcomments`]:
          "<title>Steam Community :: Gabe :: Comments</title><h1>Comments</h1><div>The specified profile could not be found.</div>",
      },
      seen: "active ok",
    },
    {
      what: "a missing profile",
      url: PROFILE,
      web: { [PROFILE_AT]: steamError("The specified profile could not be found.") },
      seen: "dead service_not_found C2",
    },
    {
      what: "a group",
      url: GROUP,
      web: { [GROUP_AT]: "<title>Steam Community :: Group :: SteamDB</title><h1>SteamDB</h1>" },
      seen: "active ok",
    },
    {
      what: "a group with a comment that quotes an error",
      url: GROUP,
      web: {
        [GROUP_AT]:
          "<title>Steam Community :: Group :: SteamDB</title><h1>SteamDB</h1><div>No group could be retrieved for the given URL.</div>",
      },
      seen: "active ok",
    },
    {
      what: "a group with an error for a headline",
      url: GROUP,
      web: {
        [GROUP_AT]:
          '<title>Steam Community :: Group :: SteamDB</title><div class="grouppage_header_name">SteamDB</div><h3>No group could be retrieved for the given URL.</h3>',
      },
      seen: "active ok",
    },
    {
      what: "a missing group",
      url: GROUP,
      web: { [GROUP_AT]: steamError("No group could be retrieved for the given URL.") },
      seen: "dead service_not_found C2",
    },
    {
      what: "a thing of the workshop",
      url: SHARED,
      web: {
        [SHARED_AT]:
          '<title>Steam Workshop::A mod</title><div class="workshopItemTitle">A mod</div><div id="bannedNotification" style="display: none">This item has been removed from the community</div>',
      },
      seen: "active ok_service",
    },
    {
      what: "a hidden thing of the workshop",
      url: SHARED,
      web: {
        [SHARED_AT]: steamError(
          "The item is either marked as hidden or you do not have permission to view it.",
        ),
      },
      seen: "unknown service_private",
    },
    {
      what: "a thing that the workshop has trouble with",
      url: SHARED,
      web: { [SHARED_AT]: steamError("There was a problem accessing the item.") },
      seen: "unknown service_unrecognised",
    },
  ],
});

const APP = "https://play.google.com/store/apps/details?id=org.mozilla.firefox";
const APP_AT = "play.google.com/store/apps/details";
const APP_US = `${APP_AT}?id=org.mozilla.firefox&gl=US`;
const APP_HERE = `${APP_AT}?id=org.mozilla.firefox`;
const NO_APP = page(
  "<title>Not Found</title><h2>We're sorry, the requested URL was not found on this server.</h2>",
  404,
);
const PLAY_HOME =
  "<title>Android Apps on Google Play</title><h1>Apps</h1><p>Top charts, new releases and more.</p>";
const FIREFOX = "<title>Firefox - Apps on Google Play</title><h1>Firefox</h1>";

/** One answer after the other, and the last for ever. */
const inTurn =
  (...answers: Response[]) =>
  () =>
    (answers.length > 1 ? answers.shift()! : answers[0]!).clone();

tellOf("google-play", {
  urls: [
    APP,
    "https://play.google.com/store/movies/details/A_film?id=abc",
    "https://PLAY.google.com/store/apps/dev?id=1",
  ],
  rows: [
    {
      what: "an app",
      url: APP,
      web: { [APP_US]: FIREFOX },
      seen: "active ok_service",
      asked: [`GET ${APP}&gl=US`],
    },
    {
      what: "an app that the American store has not",
      url: APP,
      web: { [APP_US]: NO_APP, [APP_HERE]: FIREFOX },
      seen: "active ok_service",
    },
    {
      what: "in neither store",
      url: APP,
      web: { [APP_US]: NO_APP, [APP_HERE]: NO_APP },
      seen: "dead http_404 C2",
      asked: [`GET ${APP}&gl=US`, `GET ${APP}`],
    },
    {
      what: "behind a question for consent",
      url: APP,
      web: {
        [APP_US]: to("https://consent.google.com/m?continue=https%3A%2F%2Fplay.google.com%2F"),
        [APP_HERE]: to("https://consent.google.com/m?continue=https%3A%2F%2Fplay.google.com%2F"),
        "consent.google.com/m": "<title>Before you continue</title><h1>Before you continue</h1>",
      },
      seen: "unknown consent_wall",
    },
    {
      what: "in no store at first, and then in one",
      url: APP,
      web: { [APP_US]: inTurn(NO_APP, page(FIREFOX)), [APP_HERE]: NO_APP },
      seen: "active ok_service",
    },
    {
      what: "failing there, and missing here",
      url: APP,
      web: { [APP_US]: 500, [APP_HERE]: NO_APP },
      seen: "dead http_404 C2",
    },
    {
      what: "a book",
      url: "https://play.google.com/store/books/details/A_Novel?id=a_b-C",
      web: { "play.google.com/store/books/details?id=a_b-C&gl=US": "<title>A Novel</title>" },
      seen: "active ok_service",
    },
    {
      what: "sent home by the American store and by that here",
      url: APP,
      web: {
        [APP_US]: to("https://play.google.com/store/apps"),
        [APP_HERE]: to("https://play.google.com/store/apps"),
        "play.google.com/store/apps": PLAY_HOME,
      },
      seen: "unknown service_probe_failed",
    },
    {
      what: "an app that the American store has not, and sent home here",
      url: APP,
      web: {
        [APP_US]: NO_APP,
        [APP_HERE]: to("https://play.google.com/store/apps"),
        "play.google.com/store/apps": PLAY_HOME,
      },
      seen: "unknown service_unrecognised",
    },
    {
      what: "behind a question for consent that names it",
      url: APP,
      web: {
        [APP_US]: to(`https://consent.google.com/m?continue=${encodeURIComponent(APP)}`),
        [APP_HERE]: to(`https://consent.google.com/m?continue=${encodeURIComponent(APP)}`),
        "consent.google.com/m": "<title>Before you continue</title><h1>Before you continue</h1>",
      },
      seen: "unknown consent_wall",
    },
    {
      what: "an app of a country's store",
      url: "https://play.google.com/store/apps/details?id=org.example&gl=IN",
      web: {
        [`${APP_AT}?id=org.example&gl=IN`]: "<title>An app</title><h1>An app</h1><p>Chat.</p>",
      },
      seen: "active ok_service",
    },
    {
      what: "an app of a country's store, sent home",
      url: "https://play.google.com/store/apps/details?id=org.example&gl=IN",
      web: {
        [`${APP_AT}?id=org.example&gl=IN`]: to("https://play.google.com/store/apps?gl=IN"),
        "play.google.com/store/apps": PLAY_HOME,
      },
      seen: "unknown service_unrecognised",
    },
    {
      what: "an app that a country's store has not",
      url: "https://play.google.com/store/apps/details?gl=IN&id=org.example",
      web: { [`${APP_AT}?gl=IN&id=org.example`]: NO_APP },
      seen: "dead http_404 C2",
      asked: ["GET https://play.google.com/store/apps/details?gl=IN&id=org.example"],
    },
  ],
});

const IOS = "https://apps.apple.com/de/app/some-app/id284882215";
const IOS_AT = "apps.apple.com/de/app/some-app/id284882215";
const LOOKUP = "itunes.apple.com/lookup";
const found = (resultCount: number) => json({ resultCount, results: [] });
const IOS_PAGE = "<title>Some app on the App Store</title><h1>Some app</h1>";
const IOS_SOMEWHERE = "https://apps.apple.com/app/id284882215";
const IOS_SOMEWHERE_AT = "apps.apple.com/app/id284882215";

tellOf("app-store", {
  urls: [
    IOS,
    IOS_SOMEWHERE,
    "https://itunes.apple.com/us/album/a/id1?i=2",
    "https://APPS.apple.com/",
  ],
  rows: [
    {
      what: "an app of the link's country",
      url: IOS,
      web: { [`${LOOKUP}?id=284882215&country=de`]: found(1) },
      seen: "active ok_service",
      asked: [`GET https://${LOOKUP}?id=284882215&country=de`],
    },
    {
      what: "not looked up, and shown",
      url: IOS,
      web: { [LOOKUP]: found(0), [IOS_AT]: IOS_PAGE },
      seen: "active ok_service",
    },
    {
      what: "not looked up, and sent home",
      url: IOS,
      web: {
        [LOOKUP]: found(0),
        [IOS_AT]: to("https://apps.apple.com/de/charts"),
        "apps.apple.com/de/charts": "<title>App Store</title><h1>Charts</h1><p>Apps.</p>",
      },
      seen: "unknown service_unrecognised",
    },
    {
      what: "an app of no country that is sent home",
      url: IOS_SOMEWHERE,
      web: {
        [LOOKUP]: found(0),
        [IOS_SOMEWHERE_AT]: to("https://apps.apple.com/us/charts"),
        "apps.apple.com/us/charts": "<title>App Store</title><h1>Charts</h1><p>Apps.</p>",
      },
      seen: "unknown service_unrecognised",
    },
    {
      what: "sent to another app",
      url: IOS,
      web: {
        [LOOKUP]: found(0),
        [IOS_AT]: to("https://apps.apple.com/de/app/id12848822159"),
        "apps.apple.com/de/app/id12848822159": IOS_PAGE,
      },
      seen: "unknown service_unrecognised",
    },
    {
      what: "gone",
      url: IOS,
      web: { [LOOKUP]: found(0), [IOS_AT]: page("<h1>Page Not Found</h1>", 404) },
      seen: "dead http_404 C2",
    },
    {
      what: "failing",
      url: IOS,
      web: { [LOOKUP]: text("Forbidden", 403), [IOS_AT]: 503 },
      seen: "unknown http_503",
    },
    {
      what: "refused by a page, and walled",
      url: IOS,
      web: { [LOOKUP]: page("<h1>Oops</h1>"), [IOS_AT]: challenge() },
      seen: "unknown bot_challenge",
    },
    {
      what: "an old address",
      url: "https://itunes.apple.com/gb/album/some-album/id123456789?i=1",
      web: { [`${LOOKUP}?id=123456789&country=gb`]: found(14) },
      seen: "active ok_service",
    },
    {
      what: "an app of no country",
      url: IOS_SOMEWHERE,
      web: { [`${LOOKUP}?id=284882215`]: found(1) },
      seen: "active ok_service",
      asked: [`GET https://${LOOKUP}?id=284882215`],
    },
    {
      what: "an app of no country that is shown",
      url: IOS_SOMEWHERE,
      web: { [LOOKUP]: found(0), [IOS_SOMEWHERE_AT]: IOS_PAGE },
      seen: "active ok_service",
    },
    {
      what: "an app that America has not, and no other country was named",
      url: IOS_SOMEWHERE,
      web: { [LOOKUP]: found(0), [IOS_SOMEWHERE_AT]: page("<h1>Page Not Found</h1>", 404) },
      seen: "unknown geo_blocked",
    },
  ],
});

const STORY = "https://medium.com/@someone/a-story-0123456789ab";
const STORY_AT = "medium.com/@someone/a-story-0123456789ab";
const POST =
  "<title>A story</title><h1>A story</h1><p>Once a writer thought: this account is suspended. But no.</p>";
const SUSPENDED_STORY =
  "<title>This account is suspended</title><article><h1>This account is suspended</h1><p>So it said when Ada came back, and she laughed.</p></article>";

tellOf("medium", {
  urls: [STORY, "https://someone.medium.com/a", "https://link.Medium.com/abc"],
  rows: [
    { what: "a story", url: STORY, web: { [STORY_AT]: POST }, seen: "active ok" },
    {
      what: "a story with such a paragraph",
      url: STORY,
      web: { [STORY_AT]: `${POST}<p>This account is suspended.</p>` },
      seen: "active ok",
    },
    {
      what: "a story by such a name",
      url: STORY,
      web: { [STORY_AT]: SUSPENDED_STORY },
      seen: "active ok",
    },
    { what: "missing", url: STORY, web: { [STORY_AT]: 404 }, seen: "dead http_404 C2" },
    { what: "deleted", url: STORY, web: { [STORY_AT]: 410 }, seen: "dead http_410 C1" },
    {
      what: "of somebody who left",
      url: STORY,
      web: {
        [STORY_AT]: page(
          "<title>410 Deleted by author - Medium</title><p>User deactivated or deleted their account.</p>",
          410,
        ),
      },
      seen: "dead service_account_gone C1",
    },
    {
      what: "about somebody who left",
      url: STORY,
      web: { [STORY_AT]: `${POST}<p>User deactivated or deleted their account.</p>` },
      seen: "active ok",
    },
    {
      what: "of somebody who was suspended",
      url: STORY,
      web: { [STORY_AT]: "<title>Medium</title><h2>This account is suspended.</h2>" },
      seen: "dead service_account_gone C2",
    },
    { what: "walled", url: STORY, web: { [STORY_AT]: challenge() }, seen: "unknown bot_challenge" },
  ],
});

const LETTER = "https://someone.substack.com/p/a-letter";
const LETTER_AT = "someone.substack.com/p/a-letter";

tellOf("substack", {
  urls: [LETTER, "https://substack.com/@someone", "https://open.SUBSTACK.com/pub/a/p/b"],
  rows: [
    { what: "a letter", url: LETTER, web: { [LETTER_AT]: POST }, seen: "active ok" },
    {
      what: "a letter with such a paragraph",
      url: LETTER,
      web: { [LETTER_AT]: `${POST}<p>This account is suspended.</p>` },
      seen: "active ok",
    },
    {
      what: "a letter by such a name",
      url: LETTER,
      web: { [LETTER_AT]: SUSPENDED_STORY },
      seen: "active ok",
    },
    { what: "missing", url: LETTER, web: { [LETTER_AT]: 404 }, seen: "dead http_404 C2" },
    { what: "deleted", url: LETTER, web: { [LETTER_AT]: 410 }, seen: "dead http_410 C1" },
    {
      what: "of somebody who was suspended",
      url: LETTER,
      web: { [LETTER_AT]: "<title>Substack</title><h2> This account is suspended </h2>" },
      seen: "dead service_account_gone C2",
    },
    {
      what: "walled",
      url: LETTER,
      web: { [LETTER_AT]: challenge() },
      seen: "unknown bot_challenge",
    },
  ],
});

const NOTE = "https://www.notion.so/acme/Roadmap-0123456789abcdef0123456789abcdef";
const NOTE_AT = "www.notion.so/acme/Roadmap-0123456789abcdef0123456789abcdef";
const FRAME =
  '<title>Notion</title><div id="notion-app"></div><script src="/_assets/app.js"></script>';

tellOf("notion", {
  urls: [NOTE, "https://acme.notion.site/Roadmap", "https://NOTION.so/"],
  rows: [
    {
      what: "a page of scripts",
      url: NOTE,
      web: { [NOTE_AT]: FRAME },
      seen: "active ok_unverified_app",
      asked: [`GET ${NOTE}`],
    },
    {
      what: "a site of scripts",
      url: "https://acme.notion.site/Roadmap",
      web: { "acme.notion.site/Roadmap": FRAME },
      seen: "active ok_unverified_app",
    },
    { what: "missing", url: NOTE, web: { [NOTE_AT]: 404 }, seen: "dead http_404 C2" },
    {
      what: "a missing site",
      url: "https://acme.notion.site/Roadmap",
      web: { "acme.notion.site/Roadmap": page(FRAME, 404) },
      seen: "dead http_404 C2",
    },
    { what: "failing", url: NOTE, web: { [NOTE_AT]: 502 }, seen: "unknown http_502" },
    { what: "walled", url: NOTE, web: { [NOTE_AT]: challenge() }, seen: "unknown bot_challenge" },
    {
      what: "a page about it",
      url: "https://www.notion.so/product",
      web: { "www.notion.so/product": "<title>Notion</title><h1>One place for your notes</h1>" },
      seen: "active ok",
    },
  ],
});

const LINKS = "https://linktr.ee/someone";

tellOf("linktree", {
  urls: [LINKS, "https://www.linktr.ee/someone/", "https://LinkTr.ee/"],
  rows: [
    {
      what: "a profile",
      url: LINKS,
      web: {
        "linktr.ee/someone": "<title>@someone | Linktree</title><h1>@someone</h1><p>My shop</p>",
      },
      seen: "active ok",
    },
    { what: "missing", url: LINKS, web: { "linktr.ee/someone": 404 }, seen: "dead http_404 C2" },
    { what: "failing", url: LINKS, web: { "linktr.ee/someone": 500 }, seen: "unknown http_500" },
    {
      what: "walled",
      url: LINKS,
      web: { "linktr.ee/someone": challenge() },
      seen: "unknown bot_challenge",
    },
  ],
});

const SHORT = "https://bit.ly/3abcdef";
const AIM = "https://www.example.org/a/page";
const AIM_AT = "www.example.org/a/page";
const AIM_PAGE = "<title>A page</title><h1>A page</h1><p>About something or other.</p>";
const CRATE = "https://crates.io/crates/serde";
const CRATE_WEB = {
  "crates.io/crates/serde": "<title>crates.io</title>",
  "crates.io/api/v1/crates/serde": json({ crate: { id: "serde" } }),
};
const TINY = "https://tinyurl.com/abc123";

tellOf("shortener", {
  urls: [
    SHORT,
    "https://t.co/AbCdEf",
    "https://BITLY.com/3abcdef",
    "https://j.mp/a",
    TINY,
    "https://preview.tinyurl.com/abc123",
    "https://is.gd/abc123",
    "https://v.gd/a",
    "https://ow.ly/a",
    "https://buff.ly/a",
    "https://cutt.ly/a",
    "https://dlvr.it/a",
    "https://goo.gl/a",
    "https://ift.tt/a",
    "https://rb.gy/a",
    "https://rebrand.ly/a",
    "https://s.id/a",
    "https://shorturl.at/a",
    "https://t.ly/a",
    "https://tiny.cc/a",
    "https://tiny.one/a",
    "https://trib.al/a",
    "https://u.to/a",
  ],
  rows: [
    {
      what: "a way to a page",
      url: SHORT,
      web: { "bit.ly/3abcdef": to(AIM, 301), [AIM_AT]: AIM_PAGE },
      seen: "active ok_redirected",
    },
    {
      what: "a way to a video, which is asked about",
      url: SHORT,
      web: {
        "bit.ly/3abcdef": to("https://www.youtube.com/watch?v=jNQXAC9IVRw", 301),
        "www.youtube.com/watch": "<title>YouTube</title>",
        "www.youtube.com/oembed": json({ type: "video", title: "Me at the zoo" }),
      },
      seen: "active ok_service",
    },
    {
      what: "a way to what is gone at its service",
      url: "https://t.co/AbCdEf",
      web: {
        "t.co/AbCdEf": ({ headers }) =>
          headers.get("user-agent") === "Stillup"
            ? to("https://crates.io/crates/none", 301)
            : page(
                '<noscript><META http-equiv="refresh" content="0;URL=https://crates.io/"></noscript>',
              ),
        "crates.io/crates/none": "<title>crates.io</title>",
        "crates.io/api/v1/crates/none": json({ errors: [{ detail: "does not exist" }] }, 404),
      },
      seen: "dead service_not_found C1",
    },
    {
      what: "a way to a missing page",
      url: SHORT,
      web: { "bit.ly/3abcdef": to(AIM, 301), [AIM_AT]: 404 },
      seen: "dead http_404 C2",
    },
    {
      what: "a way to a site's home page",
      url: TINY,
      web: { "tinyurl.com/abc123": to("https://www.example.org/"), "www.example.org/": AIM_PAGE },
      seen: "active ok_redirected",
    },
    {
      what: "a way to a crate over TinyURL",
      url: TINY,
      web: { "tinyurl.com/abc123": to(CRATE), ...CRATE_WEB },
      seen: "active ok_service",
    },
    {
      what: "a way to a crate over Bitly's own name",
      url: "https://bitly.com/3abcdef",
      web: { "bitly.com/3abcdef": to(CRATE), ...CRATE_WEB },
      seen: "active ok_service",
    },
    {
      what: "missing",
      url: SHORT,
      web: { "bit.ly/3abcdef": page("<title>Bitly | Page Not Found | 404</title>", 404) },
      seen: "dead http_404 C2",
    },
    {
      what: "blocked",
      url: SHORT,
      web: {
        "bit.ly/3abcdef": to(
          "https://bitly.com/a/blocked?hash=3abcdef&url=https%3A%2F%2Fexample.org",
        ),
        "bitly.com/a/blocked":
          "<title>Link blocked | Bitly</title><h1>This URL has been blocked by Bitly's systems as potentially harmful.</h1>",
      },
      seen: "dead service_takedown C2",
    },
    {
      what: "behind a warning",
      url: SHORT,
      web: {
        "bit.ly/3abcdef": to(
          "https://bitly.com/a/warning?hash=3abcdef&url=https%3A%2F%2Fexample.org",
        ),
        "bitly.com/a/warning":
          "<title>Warning! | Bitly</title><h1>There might be a problem with the requested link</h1>",
      },
      seen: "unknown service_unrecognised",
    },
    {
      what: "behind a warning of X",
      url: "https://t.co/AbCdEf",
      web: {
        "t.co/AbCdEf": to("https://twitter.com/safety/unsafe_link_warning?unsafe_link=x", 301),
        "twitter.com/safety/unsafe_link_warning":
          "<title>Warning</title><h1>This link may be unsafe</h1>",
      },
      seen: "unknown service_unrecognised",
    },
    {
      what: "led to where errors are told",
      url: TINY,
      web: {
        "tinyurl.com/abc123": to("https://tinyurl.com/errorb.php?url=abc123"),
        "tinyurl.com/errorb.php": "<title>TinyURL</title><h1>Please check the address</h1>",
      },
      seen: "dead service_not_found C2",
    },
    {
      what: "led to its page for what is missing",
      url: "https://cutt.ly/abc123",
      web: {
        "cutt.ly/abc123": to("https://cutt.ly/404"),
        "cutt.ly/404": "<title>Cuttly</title><h1>404</h1>",
      },
      seen: "dead soft404_redirect_error C2",
    },
    {
      what: "walled",
      url: SHORT,
      web: { "bit.ly/3abcdef": challenge() },
      seen: "unknown bot_challenge",
    },
    { what: "failing", url: SHORT, web: { "bit.ly/3abcdef": 502 }, seen: "unknown http_502" },
  ],
});
