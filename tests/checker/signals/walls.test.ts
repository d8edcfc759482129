import { describe, expect, test } from "bun:test";
import { judge } from "../../../server/verdict/verdict.ts";
import { type Case, seenOf } from "../seen.ts";
import { article, notice, page, prose, type Row, testGuards, testWalls } from "./wall-pages.ts";

const script = (code: string) => `<script>${code}</script>`;
const behind = (server: string, more: Record<string, string> = {}) => ({ server, ...more });

const CLOUDFLARE_ERROR = (code: number, text: string) =>
  `<title>Access denied | site.test</title><div id="cf-error-details"><h1><span class="cf-error-type">Error</span> <span class="cf-error-code">${code}</span></h1><p>${text}</p></div>`;

describe("a program is kept out by", () => {
  testWalls([
    [
      "Cloudflare's header, at whatever status",
      { status: 404, headers: { "cf-mitigated": "challenge" }, html: article("Rivers") },
      "bot_challenge",
      "cloudflare_challenge",
    ],
    [
      "Cloudflare's title",
      { status: 503, headers: behind("cloudflare"), html: notice("Just a moment...") },
      "bot_challenge",
      "cloudflare_challenge_title",
    ],
    [
      "Cloudflare's older title",
      {
        status: 403,
        headers: behind("cloudflare-nginx"),
        html: notice("Attention Required! | Cloudflare", "Sorry, you have been blocked"),
      },
      "bot_challenge",
      "cloudflare_challenge_title",
    ],
    [
      "Cloudflare's script under a title of another language",
      {
        status: 403,
        headers: behind("cloudflare"),
        html: `<title>Nur einen Moment…</title>${script("window._cf_chl_opt={cvId:'3'}")}`,
      },
      "bot_challenge",
      "cloudflare_challenge_page",
    ],
    [
      "Cloudflare's error page for a firewall rule",
      {
        status: 403,
        headers: behind("cloudflare"),
        html: CLOUDFLARE_ERROR(1020, "This website is using a security service."),
      },
      "bot_challenge",
      "cloudflare_block_page",
    ],
    [
      "Cloudflare's title for a firewall rule",
      {
        status: 403,
        headers: behind("cloudflare"),
        html: notice("Access denied | site.test used Cloudflare to restrict access"),
      },
      "bot_challenge",
      "cloudflare_block_title",
    ],
    [
      "Cloudflare, for where it asks from",
      {
        status: 403,
        headers: behind("cloudflare"),
        html: CLOUDFLARE_ERROR(1009, "The owner has banned the country or region you are in."),
      },
      "geo_blocked",
      "cloudflare_country_block",
    ],
    [
      "Cloudflare, for its address",
      {
        status: 403,
        headers: behind("cloudflare"),
        html: CLOUDFLARE_ERROR(1006, "The owner of this website has banned your IP address."),
      },
      "ip_blocked",
      "cloudflare_ip_block",
    ],
    [
      "Vercel's header",
      { status: 429, headers: { "x-vercel-mitigated": "challenge" } },
      "bot_challenge",
      "vercel_challenge",
    ],
    [
      "Vercel's checkpoint",
      { status: 429, headers: behind("Vercel"), html: notice("Vercel Security Checkpoint") },
      "bot_challenge",
      "vercel_checkpoint",
    ],
    [
      "the firewall of AWS, with a success",
      { status: 202, headers: { "x-amzn-waf-action": "challenge" }, html: "" },
      "bot_challenge",
      "aws_waf_challenge",
    ],
    [
      "the firewall of AWS, with a captcha at a 404",
      { status: 404, headers: { "x-amzn-waf-action": "captcha" }, html: "" },
      "bot_challenge",
      "aws_waf_challenge",
    ],
    [
      "the firewall of AWS, in words of its own",
      { status: 403, headers: { "x-amzn-waf-action": "custom" } },
      "bot_challenge",
      "aws_waf_action",
    ],
    [
      "SiteGround's header",
      { status: 202, headers: { "SG-Captcha": "challenge" } },
      "bot_challenge",
      "siteground_challenge",
    ],
    [
      "DataDome's header",
      { status: 403, headers: { "X-DD-B": "1" } },
      "bot_challenge",
      "datadome_header",
    ],
    [
      "DataDome's other header",
      { status: 401, headers: { "X-DataDome": "blocked" } },
      "bot_challenge",
      "datadome_header",
    ],
    [
      "DataDome's page",
      {
        status: 403,
        html: `<title>site.test</title><p id="cmsg">Please enable JS and disable any ad blocker</p>${script("var dd={'host':'geo.captcha-delivery.com'}")}`,
      },
      "bot_challenge",
      "datadome_page",
    ],
    [
      "DataDome's page, with a success",
      {
        html: `<title>site.test</title><p id="cmsg">Please enable JS and disable any ad blocker</p>${script("var dd={'host':'geo.captcha-delivery.com'}")}`,
      },
      "bot_challenge",
      "datadome_notice",
    ],
    [
      "PerimeterX at a refusal",
      { status: 403, html: `<title>Shop</title>${script("window._pxAppId='PX1234'")}` },
      "bot_challenge",
      "perimeterx_block",
    ],
    [
      "PerimeterX, with a success",
      { html: `${notice("Robot or human?")}<div id="px-captcha"></div>` },
      "bot_challenge",
      "perimeterx_page",
    ],
    [
      "Akamai's page",
      {
        status: 403,
        html: notice(
          "Access Denied",
          "Access Denied",
          'You don\'t have permission to access "http://site.test/" on this server. Reference&#32;&#35;18&#46;2d351cb8&#46;1700000000',
        ),
      },
      "bot_challenge",
      "akamai_denied",
    ],
    [
      "Akamai's header",
      { status: 403, headers: { "Akamai-Cache-Status": "Error from child" } },
      "bot_challenge",
      "akamai_error",
    ],
    [
      "Imperva's script and nothing else",
      {
        headers: { "X-Iinfo": "5-2434707-0 0NNN RT(1 2) q(0 -1 -1 0)" },
        html: '<html><head><META NAME="robots" CONTENT="noindex,nofollow"><script src="/_Incapsula_Resource?SWJIYLWA=5074a7"></script><body></body></html>',
      },
      "bot_challenge",
      "imperva_script",
    ],
    [
      "Imperva's incident",
      {
        headers: { "X-CDN": "Incapsula" },
        html: `<title>Pardon Our Interruption</title>${prose(120)}<iframe id="main-iframe" src="/_Incapsula_Resource?SWUDNSAI=31&incident_id=12"></iframe>`,
      },
      "bot_challenge",
      "imperva_incident",
    ],
    [
      "Kasada's header",
      { status: 429, headers: { "x-kasada-challenge": "1" } },
      "bot_challenge",
      "kasada_header",
    ],
    [
      "Kasada's script",
      { status: 429, html: script("window.KPSDK={};KPSDK.now=Date.now;") },
      "bot_challenge",
      "kasada_page",
    ],
    [
      "DDoS-Guard",
      {
        status: 403,
        headers: behind("ddos-guard"),
        html: `<title>DDoS-Guard</title>${script("load('/.well-known/ddos-guard/js-challenge/index.js')")}`,
      },
      "bot_challenge",
      "ddos_guard",
    ],
    [
      "Sucuri's header",
      { status: 403, headers: { "X-Sucuri-Block": "GEO02" } },
      "bot_challenge",
      "sucuri_block",
    ],
    [
      "Sucuri's page",
      { status: 403, html: notice("Sucuri WebSite Firewall - Access Denied") },
      "bot_challenge",
      "sucuri_page",
    ],
    [
      "Sucuri's script, with a success",
      {
        html: `<html><title>You are being redirected...</title>${script("sucuri_cloudproxy_js=''")}`,
      },
      "bot_challenge",
      "sucuri_challenge",
    ],
    [
      "Anubis, with a success",
      {
        html: `${notice("Making sure you're not a bot!")}<script id="anubis_challenge" type="application/json">{}</script><script src="/.within.website/x/cmd/anubis/static/js/main.mjs"></script>`,
      },
      "bot_challenge",
      "anubis",
    ],
    [
      "EdgeOne's script, with a success",
      {
        headers: behind("EdgeOne_L2"),
        html: script("document.cookie='__tst_status=1';location.reload()"),
      },
      "bot_challenge",
      "edgeone",
    ],
    [
      "ShieldSquare's captcha, with a success",
      { html: notice("ShieldSquare Captcha", "Please solve this puzzle") },
      "bot_challenge",
      "shieldsquare",
    ],
    [
      "Radware, which leads elsewhere for it",
      {
        from: ["http://site.test/articles/some-story"],
        at: "https://validate.perfdrive.com/fb803c746e9148689b3984a31fccd902/?ssa=1",
      },
      "bot_challenge",
      "radware_redirect",
    ],
    [
      "Fastly's challenge, with a success",
      {
        html: `<title>Client Challenge</title><script src="/_fs-ch-1T1wmsGaOgGaSxcX/script.js"></script>`,
      },
      "bot_challenge",
      "fastly_challenge",
    ],
    [
      "Imunify360's check, with a success",
      {
        html: notice(
          "One moment, please...",
          "Please wait while your request is being verified...",
        ),
      },
      "bot_challenge",
      "imunify_check",
    ],
    [
      "F5's firewall, with a success",
      {
        html: "<title>Request Rejected</title>The requested URL was rejected. Please consult with your administrator. Your support ID is: 4711",
      },
      "bot_challenge",
      "f5_rejected",
    ],
    [
      "Fortinet's firewall in front of the site",
      {
        status: 500,
        html: notice("Server Unavailable", "Web Page Blocked!", "Attack ID: 20000051"),
      },
      "bot_challenge",
      "fortiweb_block",
    ],
    [
      "CloudFront",
      {
        status: 403,
        html: notice(
          "ERROR: The request could not be satisfied",
          "403 ERROR",
          "Request blocked. We can't connect to the server for this app or website at this time.",
        ),
      },
      "bot_challenge",
      "cloudfront_block",
    ],
    [
      "CloudFront, for where it asks from",
      {
        status: 403,
        html: notice(
          "ERROR: The request could not be satisfied",
          "403 ERROR",
          "The Amazon CloudFront distribution is configured to block access from your country.",
        ),
      },
      "geo_blocked",
      "cloudfront_country_block",
    ],
    [
      "Wordfence",
      {
        status: 503,
        html: notice(
          "Your access to this site has been limited",
          "Your access to this site has been limited by the site owner",
          "Generated by Wordfence at Tue, 1 Jan 2030",
        ),
      },
      "bot_challenge",
      "wordfence_block",
    ],
    [
      "Amazon, with a success",
      {
        url: "https://www.amazon.de/dp/B00EXAMPLE",
        html: `<!-- To discuss automated access to Amazon data please contact api-services-support@amazon.com -->${notice("Amazon.de", "Geben Sie die angezeigten Zeichen ein")}`,
      },
      "bot_challenge",
      "amazon_captcha",
    ],
    [
      "Amazon, when it has nothing else to say",
      {
        status: 503,
        html: "<!-- To discuss automated access to Amazon data please contact us. --><p>Sorry!</p>",
      },
      "bot_challenge",
      "amazon_notice",
    ],
    [
      "Amazon, by the words of its captcha",
      {
        html: `${notice("Robot Check", "Enter the characters you see below")}<img src="https://images-na.ssl-images-amazon.com/captcha/x.jpg">`,
      },
      "bot_challenge",
      "amazon_characters",
    ],
    [
      "Reddit",
      {
        status: 403,
        html: notice(
          "Blocked",
          "whoa there, pardner!",
          "Your request has been blocked due to a network policy.",
        ),
      },
      "bot_challenge",
      "reddit_block",
    ],
    [
      "Reddit's check, with a success",
      { html: notice("Reddit - Please wait for verification", "") },
      "bot_challenge",
      "reddit_verification",
    ],
    ["LinkedIn's status", { status: 999, html: "" }, "bot_challenge", "linkedin_999"],
    [
      "Google, which leads to an apology",
      {
        url: "https://www.youtube.com/watch?v=dQw4w9WgXcQ",
        from: ["https://www.youtube.com/watch?v=dQw4w9WgXcQ"],
        at: "https://www.google.com/sorry/index?continue=https://www.youtube.com/watch",
        status: 429,
        html: notice("https://www.youtube.com/watch", ""),
      },
      "bot_challenge",
      "google_sorry",
    ],
    [
      "Google's words about traffic",
      {
        status: 429,
        html: notice(
          "Sorry...",
          "",
          "Our systems have detected unusual traffic from your computer network.",
        ),
      },
      "bot_challenge",
      "google_traffic",
    ],
    [
      "Google Drive",
      {
        status: 403,
        html: notice(
          "Sorry...",
          "We're sorry...",
          "... but your computer or network may be sending automated queries.",
        ),
      },
      "bot_challenge",
      "google_traffic",
    ],
    [
      "a refusal that asks for a captcha",
      { status: 403, html: notice("Please complete the CAPTCHA") },
      "bot_challenge",
      "challenge_title",
    ],
    [
      "a refusal that asks for a person",
      { status: 429, html: notice("Are you human?") },
      "bot_challenge",
      "challenge_title",
    ],
    [
      "a refusal in general",
      { status: 503, html: notice("Request blocked") },
      "bot_challenge",
      "refusal_title",
    ],
    [
      "a success that asks for a captcha",
      { html: `${notice("Are you a robot?")}<div class="g-recaptcha"></div>` },
      "bot_challenge",
      "challenge_page",
    ],
    [
      "a success of Imperva's that apologises",
      {
        html: notice(
          "Pardon Our Interruption",
          "Pardon Our Interruption...",
          "Something about your browser made us think you were a bot.",
        ),
      },
      "bot_challenge",
      "challenge_page",
    ],
    [
      "a success of Cloudflare's without its header",
      { html: `${notice("Just a moment...")}<script>window._cf_chl_opt={}</script>` },
      "bot_challenge",
      "challenge_page",
    ],
  ] satisfies Row[]);
});

describe("a page is no wall because of", () => {
  testGuards([
    [
      "a reCAPTCHA in its comment form",
      {
        html: article("Floods", 500, {
          head: '<script src="https://www.google.com/recaptcha/api.js"></script>',
        }),
      },
      "active ok",
    ],
    [
      "an hCaptcha on a short contact page",
      { html: page("Contact us", '<h1>Contact us</h1><form><div class="h-captcha"></div></form>') },
      "active ok",
    ],
    [
      "the cookies of Akamai and DataDome",
      {
        headers: { "Set-Cookie": "_abck=A1~0~; datadome=x; Path=/" },
        html: article("Bridges", 80),
      },
      "active ok",
    ],
    [
      "being protected by DataDome",
      { status: 403, headers: { "X-DataDome": "protected" }, html: notice("403 Forbidden") },
      "unknown http_403",
    ],
    ["Cloudflare in front of it", { headers: behind("cloudflare") }, "active ok"],
    [
      "Cloudflare in front of what is missing",
      {
        status: 404,
        headers: behind("cloudflare"),
        html: notice("Page not found", "Just a moment in time is gone"),
      },
      "dead http_404 C2",
    ],
    [
      "Cloudflare in front of a broken server",
      { status: 500, headers: behind("cloudflare"), html: notice("Internal Server Error") },
      "unknown http_500",
    ],
    [
      "Cloudflare's page about a server that is down",
      {
        status: 522,
        headers: behind("cloudflare"),
        html: CLOUDFLARE_ERROR(522, "Connection timed out"),
      },
      "unknown http_522",
    ],
    [
      "Cloudflare in front of a server that is asked too often",
      {
        status: 429,
        headers: behind("cloudflare", { "Retry-After": "10" }),
        html: notice("429 Too Many Requests"),
      },
      "unknown http_429",
    ],
    [
      "a title that begins like Cloudflare's",
      {
        status: 403,
        headers: behind("cloudflare"),
        html: notice("Just a moment in time | Photographs"),
      },
      "unknown http_403",
    ],
    [
      "the same title at a success",
      { headers: behind("cloudflare"), html: article("Just a moment in time", 90) },
      "active ok",
    ],
    [
      "Cloudflare's script at a success",
      { headers: behind("cloudflare"), html: article("Weirs", 80) + script("_cf_chl_opt={}") },
      "active ok",
    ],
    [
      "cf-mitigated in another sense",
      { headers: { "cf-mitigated": "none", "x-note": "cf-mitigated: challenge" } },
      "active ok",
    ],
    [
      "being served by Vercel and asking for patience",
      {
        status: 429,
        headers: behind("Vercel", { "Content-Type": "application/json", "Retry-After": "60" }),
      },
      "unknown http_429",
    ],
    [
      "a 202 from AWS",
      {
        status: 202,
        headers: { "x-amzn-requestid": "ee270925-a72c-4312", server: "awselb/2.0" },
        html: notice("Accepted", "Your report is being made"),
      },
      "active ok",
    ],
    [
      "the sensor of PerimeterX",
      { html: article("Locks", 90) + script("window._pxAppId='PX1'") },
      "active ok",
    ],
    [
      "a question for a title",
      { html: article("Robot or human? A play in three acts", 120) },
      "active ok",
    ],
    [
      "an error that Akamai passes on",
      {
        status: 404,
        headers: { "Akamai-Cache-Status": "Error from child" },
        html: notice("Not found"),
      },
      "dead http_404 C2",
    ],
    [
      "Imperva's script in a long page",
      {
        headers: { "X-CDN": "Incapsula", "X-Iinfo": "1-2-3" },
        html: article("Mills", 900, {
          head: '<script src="/_Incapsula_Resource?SWJIYLWA=1"></script>',
        }),
      },
      "active ok",
    ],
    [
      "Imperva's script in a short page",
      {
        headers: { "X-CDN": "Incapsula" },
        html: page("Opening hours", "<h1>Opening hours</h1><p>Daily from nine to five.</p>", {
          head: '<script src="/_Incapsula_Resource?SWJIYLWA=1"></script>',
        }),
      },
      "active ok",
    ],
    [
      "a mention of Imperva without Imperva",
      { html: notice("Notes", "Notes", "It loads /_Incapsula_Resource, incident_id=1 and so on.") },
      "active ok",
    ],
    [
      "DDoS-Guard in front of an ordinary refusal",
      { status: 403, headers: behind("ddos-guard"), html: notice("403 Forbidden") },
      "unknown http_403",
    ],
    [
      "being about Anubis",
      {
        html: article(
          'How Anubis works: the id="anubis_challenge" and /.within.website/x/cmd/anubis/ explained',
          700,
        ),
      },
      "active ok",
    ],
    [
      "being a short page that loads something of Anubis",
      {
        html: `${notice("Demo")}<link href="/.within.website/x/cmd/anubis/static/css/custom.css">`,
      },
      "active ok",
    ],
    [
      "EdgeOne in front of a page",
      { headers: behind("EdgeOne"), html: `${script("var a=1")}${article("Ferries", 100)}` },
      "active ok",
    ],
    [
      "being about captchas",
      { html: article("Captcha: a short history of proving you are human", 700) },
      "active ok",
    ],
    [
      "being about airports",
      { html: article("How to pass the security check at the airport", 150) },
      "active ok",
    ],
    [
      "being about access lists",
      { html: article("Access denied: a history of the ACL", 150) },
      "active ok",
    ],
    [
      "a long refusal about access lists",
      { status: 403, html: article("Access denied: a history of the ACL", 700) },
      "unknown http_403",
    ],
    ["a plain refusal", { status: 403, html: notice("403 Forbidden") }, "unknown http_403"],
    [
      "a plain outage",
      { status: 503, html: notice("503 Service Temporarily Unavailable") },
      "unknown http_503",
    ],
    [
      "a missing page that asks who is there",
      { status: 404, html: notice("Access denied", "Are you human?") },
      "dead http_404 C2",
    ],
    [
      "a page gone with a captcha",
      { status: 410, html: notice("Security check", "Please complete the CAPTCHA") },
      "dead http_410 C1",
    ],
    [
      "words of Amazon's captcha in an exercise",
      {
        html: article("Typing lesson one", 100).replace(
          "<p>",
          "<p>Enter the characters you see below.</p><p>",
        ),
      },
      "active ok",
    ],
    [
      "a comment for Amazon on another site",
      {
        html: `<!-- To discuss automated access to Amazon data please write -->${notice("Shop notes")}`,
      },
      "active ok",
    ],
    [
      "telling of Reddit's politeness",
      { html: article("Whoa there, pardner: how sites block bots", 200) },
      "active ok",
    ],
    [
      "a link to Google's apology itself",
      {
        url: "https://www.google.com/sorry/about",
        from: ["https://www.google.com/sorry/about"],
        at: "https://www.google.com/sorry/index",
        html: article("About this page", 100),
      },
      "active ok_redirected",
    ],
    [
      "a folder named sorry",
      {
        from: ["http://site.test/a/b"],
        at: "http://site.test/google.com/sorry/songs",
        html: article("Sorry: a song book", 300),
      },
      "active ok_redirected",
    ],
    [
      "a part of Anubis that is named like its challenge",
      { html: `${notice("Demo")}<div id="anubis_challenge"></div>` },
      "active ok",
    ],
    [
      "PerimeterX in a form",
      { html: `${notice("Sign up")}<div id="px-captcha"></div>` },
      "active ok",
    ],
    [
      "a frame behind Imperva",
      {
        headers: { "X-CDN": "Incapsula" },
        html: `${notice("Portal")}<iframe id="main-iframe"></iframe>`,
      },
      "active ok",
    ],
    [
      "a reference number",
      { status: 403, html: notice("Forbidden", "", "You don't have permission. Reference #18.2d") },
      "unknown http_403",
    ],
    [
      "CloudFront in front of a server that refuses",
      {
        status: 403,
        html: notice("ERROR: The request could not be satisfied", "403 ERROR", "Bad request."),
      },
      "unknown http_403",
    ],
    [
      "a request that is blocked in another sense",
      { status: 403, html: notice("Forbidden", "Forbidden", "Request blocked.") },
      "unknown http_403",
    ],
    [
      "Fastly's title on another page",
      { html: notice("Client Challenge", "Client Challenge", "Our clients' questions, answered.") },
      "active ok",
    ],
    [
      "Fastly's script on another page",
      { html: `${notice("Opening hours")}<script src="/_fs-ch-1T1/script.js"></script>` },
      "active ok",
    ],
    [
      "EdgeOne's header before a page without a title",
      { headers: behind("EdgeOne"), html: "<p>Daily from nine to five.</p>" },
      "active ok",
    ],
    [
      "EdgeOne's header before a script with a title",
      { headers: behind("EdgeOne"), html: "<script>var a=1</script><title>Boats</title>" },
      "active ok",
    ],
    [
      "DataDome's script on a page with little text",
      { html: `<p>Closed today.</p>${script("var dd={'host':'geo.captcha-delivery.com'}")}` },
      "active ok",
    ],
    [
      "DataDome's words without its script",
      { html: "<p>Please enable JS and disable any ad blocker</p>" },
      "active ok",
    ],
    [
      "Imperva's header before an application",
      {
        headers: { "X-CDN": "Incapsula" },
        html: '<html><body><div id="root"></div></body></html>',
      },
      "active ok",
    ],
    [
      "Sucuri's title on another page",
      { html: notice("You are being redirected...", "", "To the new harbour site.") },
      "active ok",
    ],
    [
      "Sucuri's script on another page",
      { html: `<title>Boats</title>${script("sucuri_cloudproxy_js=''")}` },
      "active ok",
    ],
    [
      "a title that asks for a moment",
      { html: notice("One moment, please", "One moment, please", "A one-act play.") },
      "active ok",
    ],
    [
      "words about a request",
      { html: notice("Passport", "Passport", "Your request is being verified by our staff.") },
      "active ok",
    ],
    ["a support id", { html: notice("Ticket", "Ticket", "Your support ID is: 4711") }, "active ok"],
    [
      "an attack by number",
      { html: notice("Chess", "Chess", "Attack ID: 4711 opens with a pawn.") },
      "active ok",
    ],
    [
      "a page of Amazon with little text",
      { url: "https://www.amazon.de/gp/help", html: notice("Amazon.de Hilfe", "Hilfe") },
      "active ok",
    ],
    [
      "a picture",
      { headers: { "Content-Type": "image/png", server: "EdgeOne", "X-CDN": "Incapsula" } },
      "active ok",
    ],
    [
      "a title about rejection",
      {
        html: notice(
          "Request Rejected",
          "Request Rejected",
          "A poem about a letter that came back.",
        ),
      },
      "active ok",
    ],
    [
      "a story that is called like a challenge",
      { html: article("Just a moment", 300).replace("<p>", "<p>A challenge.</p><p>") },
      "active ok",
    ],
    [
      "a short page of that name, without a task",
      { html: notice("Security check", "Security check", "Mondays at the gate.") },
      "active ok",
    ],
    [
      "a form with a captcha",
      { html: `${notice("Contact | Harbour", "Contact")}<div class="g-recaptcha"></div>` },
      "active ok",
    ],
  ]);
});

describe("whoever met a wall", () => {
  const HOURS = 3_600_000;
  const findingOn = async (given: Case) => {
    const finding = judge(await seenOf(given));
    if ("needs" in finding) throw new Error("A wall needs no more facts.");
    return finding;
  };

  test("does not try it again at once, and leaves it alone for six hours", async () => {
    const refused = await findingOn({ status: 403, html: notice("Are you human?") });

    expect(refused).toMatchObject({ retries: [], restMs: 6 * HOURS });
  });

  test("that is only a refusal may spare a browser", async () => {
    const refused = await findingOn({ status: 403, html: notice("Access denied") });

    expect(refused).toMatchObject({
      retries: [{ delayMs: 2000, style: { profile: "B" } }],
      restMs: 6 * HOURS,
    });
  });

  test("waits longer if the server asks for it", async () => {
    const headers = { "cf-mitigated": "challenge", "Retry-After": "36000" };

    expect(await findingOn({ status: 429, headers })).toMatchObject({ restMs: 10 * HOURS });
  });

  test("comes back as usual where nobody suspects a program", async () => {
    const html = notice("This website is not available in your country");

    expect(await findingOn({ status: 403, html })).toMatchObject({ retries: [], restMs: null });
  });

  test("is told what the page says, without what would garble the line", async () => {
    const { signals } = await findingOn({
      status: 403,
      html: notice(`Access denied \u202e${"x".repeat(400)}`),
    });

    expect(signals[0]?.text).toStartWith(
      "The server rejects the request with a page for suspected automated requests. It says “Access denied x",
    );
    expect(signals[0]?.text.length).toBeLessThan(180);
    expect(signals[0]?.text).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  });
});
