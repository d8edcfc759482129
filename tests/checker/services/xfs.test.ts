import { challenge, file, json, page, to, type Web } from "./played-web.ts";
import { type Row, tellOf } from "./told.ts";

const ID = "abc123def456";

const GONE = { missing: "dead service_not_found C1", deleted: "dead service_deleted C1" };
const PROTECTED = "active ok_service_protected";

/** A page as XFileSharing makes it. */
const site = (body: string, title = "Download File") =>
  `<!DOCTYPE html><html><head><title>${title}</title></head><body><nav><a href="/">Home</a>
  <a href="/premium.html">Premium</a></nav><div class="container">${body}</div></body></html>`;

const FNAME = site(`<h2>Almost there</h2><form name="F1" method="POST">
  <input type="hidden" name="fname" value="report.pdf"><button>Create link</button></form>`);
const DOWNLOAD_FORM = site(`<form method="POST"><input type="hidden" name="op" value="download1">
  <input type="hidden" name="id" value="${ID}"><button>Slow download</button></form>`);
const NOT_FOUND = site(`<h1>File Not Found</h1><p>Sorry for any inconvenience.</p>`);
const PREMIUM = site(`<div class="err">This file is available for Premium Users only.</div>`);
const MAINTENANCE = site(
  `<div class="err">This server is in maintenance mode. Refresh later.</div>`,
);
const NEITHER = site(`<h2>Welcome</h2><p>Share your files with anyone.</p>`, "Welcome");

/** What is the same for every host. `asked` is played where another request comes before the page. */
function usual(url: string, asked: Web = {}): Row[] {
  const isFirst = Object.keys(asked).length === 0;
  const row = (what: string, seen: string, answer: Web[string]): Row => ({
    what,
    url,
    web: { ...asked, [url.replace("https://", "")]: answer },
    seen,
  });
  return [
    {
      ...row("a file, by its name in the form", "active ok_service", FNAME),
      ...(isFirst && { asked: [`GET ${url}`], headers: { cookie: "lang=english" } }),
    },
    row("a file, by the form for its download", "active ok_service", DOWNLOAD_FORM),
    row("a file for premium users", PROTECTED, PREMIUM),
    row("a server under maintenance", "unknown service_unavailable", MAINTENANCE),
    row("gone, by the status", "dead http_404 C2", page(site("<p>Nothing here.</p>"), 404)),
    row("a server in trouble", "unknown http_500", page(site("<p>Try again.</p>"), 500)),
    row("behind a wall", "unknown bot_challenge", challenge()),
    row(
      "a page that says neither",
      isFirst ? "unknown service_unrecognised" : "unknown service_probe_failed",
      NEITHER,
    ),
  ];
}

type Own = { aliases?: string[]; rows?: Row[] };

/** Tells of a host what all have in common, and its own `rows`. */
function tellOfHost(id: string, name: string, { aliases = [], rows = [] }: Own = {}) {
  const url = `https://${name}/${ID}`;
  const urls = [
    url,
    `HTTPS://WWW.${name.toUpperCase()}/${ID}/report.pdf.html`,
    `http://${name}/embed-${ID}.html`,
    ...aliases.map((alias) => `https://${alias}/d/${ID}`),
  ];
  const gone = { what: "gone, by its words", url, web: { [`${name}/${ID}`]: NOT_FOUND } };
  tellOf(id, { urls, rows: [...usual(url), { ...gone, seen: GONE.missing }, ...rows] });
}

/** One page of a host, and what comes of it. */
const shown = (name: string, what: string, seen: string, body: string, title?: string): Row => ({
  what,
  url: `https://${name}/${ID}`,
  web: { [`${name}/${ID}`]: site(body, title) },
  seen,
});

const CLICKNUPLOAD = "clicknupload.click";
const DOWNLOAD = `https://${CLICKNUPLOAD}/${ID}`;

/** All that XFileSharing says anywhere, with the markup around it. */
const PHRASES: [seen: string, ...bodies: string[]][] = [
  [
    "unknown service_unavailable",
    "<h2>This server is in maintenance mode</h2>",
    "<center> Technical Maintenance </center>",
    '<b class="err">Our server is in maintenance</b>',
    '<b class="err">Download server is in maintainance</b>',
  ],
  [
    "dead service_takedown C1",
    "<h3>File has been removed due to copyright issues</h3>",
    "<strong>Oops!</strong><p>This file was banned by copyright owner's report</p>",
    "<b>File Not Found</b><p>Reason for deletion:</p> <i>DMCA notice</i>",
    "<b>File Not Found</b><p>Reason for deletion: copyright</p>",
    "<b>File Not Found</b><p>Reason for deletion: infringes rights</p>",
  ],
  [
    GONE.deleted,
    "<h3>File Deleted</h3>",
    "<p>The file was removed by administrator</p>",
    "<p>The file was deleted by its owner</p>",
    "<strong>🗑️ Reason for deletion</strong><p>The user asked for it.</p>",
    "<div>File is no longer available as it expired or has been deleted.</div>",
    "<div>File is not longer available as it has been deleted.</div>",
    "<div>The file is no longer available</div>",
    "<h2>The file you are trying to download is no longer available!</h2>",
    "<h2>File has been removed</h2>",
    "<h2>This file was removed</h2>",
    "<h2>Your file has been removed.</h2>",
    "<h2>Video no longer available</h2>",
  ],
  ["dead service_expired C1", "<li>- The file expired</li>"],
  [
    GONE.missing,
    "<h2>File Not Found</h2>",
    "<h2> * File Not Found\n</h2>",
    "<p>No such file with this filename</p>",
    "<p>Error: No such file</p>",
    "<h2>Sorry, we can't find the page you're looking for</h2>",
    "<h2>Sorry, we can&#39;t find the page you&rsquo;re looking for</h2>",
    "<p>File could not be found due to expiration or removal by the file owner.</p>",
    "<p>The file of the above link no longer exists.</p>",
    "<h1>Oh</h1><p>video you are looking for is not found.</p>",
    "<p>The file you were looking for doesn't exist.</p>",
    "<p>The file you were looking for could not be found, sorry for any inconvenience.</p>",
    "<h2>Video Not Found</h2>",
    // The usual list of causes tells nothing of the cause.
    "<p>Possible causes:</p><ul><li>The file expired<li>The file was deleted by its owner</ul>",
  ],
  [
    PROTECTED,
    "<div>This video is available for Premium Users only</div>",
    "<div>This file is available <b>for</b> Premium Users only</div>",
    "<div>This file is only available to Premium users.</div>",
    "<div>File is available only for Premium users</div>",
    "<div>Available Only for Premium Members</div>",
    "<div>Only Premium user can download this file</div>",
    "<div>Please Buy Premium To download</div>",
    "<div>This file reached max downloads</div>",
    "<div>The file you requested reached max downloads</div>",
    "<div>This file is not available for free download</div>",
    "<div>Sorry, This file can only be downloaded by premium members</div>",
    '<div class="err">You can download files up to 1 Mb only.</div>',
    "<div>Downloads disabled for this file</div>",
    "<div>This video cannot be watched under this domain</div>",
    "<div>This video can be watched as embed only</div>",
    "<h4>Enter File Password</h4>",
    "<h4>Password Protected</h4>",
    '<br><b>Passwort:</b> <input type="password" name="password">',
  ],
  [
    "unknown geo_blocked",
    "<div>This video is not available in your country</div>",
    "<div>Downloads are disabled for your country</div>",
  ],
  ["unknown service_processing", '<div id="over_player_msg">Video is processing now.</div>'],
  [
    "active ok_service",
    `<a href="/${ID}">report.pdf</a> You have requested <b>report.pdf</b> (12.5 MB)`,
    '<h1 class="title filename">report.pdf</h1><span class="size">3.1 GB</span>',
    '<div class="name">report.pdf</div><p>Size: 700 bytes</p>',
    "<b>Filename:</b> report.pdf<br><b>Size:</b> 12&nbsp;KB",
    '<script>player.setup({sources: [{file:"https://s1.example.net/hls/a/master.m3u8"}]})</script>',
    '<script>player.src({ type: "video/mp4", src: "https://a1.example.net:183/d/x/video.mp4" });</script>',
    '<script>player.src("https://a1.example.net/d/x/video.mp4");</script>',
    '<video><source src="https://s1.example.net/a/v.mp4" type="video/mp4"></video>',
    `<script>eval(function(p,a,c,k,e,d){return p}('0 1="2"',36,3,'jwplayer|master|m3u8|file'.split('|')))</script>`,
  ],
  [
    "unknown service_rate_limited",
    "<p>You have reached the download-limit: 1000 Mb for last 1 days</p>",
    "<p>You have reached the maximum limit 150 files in 24 hours</p>",
    "<p>You have to wait 1 hour, 2 minutes till next download</p>",
    "<p>Delay between downloads must be not less than 2 hours</p>",
    "<p>Download limit reached. Please wait.</p>",
    "<p>You're using all download slots for IP 192.0.2.1</p>",
  ],
  // Nothing of it is what the page says itself.
  [
    "unknown service_unrecognised",
    "<p>Report it when a file says: The file expired</p>",
    "<script>const texts = { gone: 'File Not Found' }</script>",
    "<img alt='No such file' src='/logo.png'>",
    "<p>Files of members are kept, and The file was deleted by nobody.</p>",
    '<script>play({file: "https://www.example.net/images/deleted.mp4"})</script>',
    '<span class="username">Ann</span><p>Up to 50 GB of space</p>',
    '<input type="hidden" name="op" value="login">',
    '<input type="hidden" name="fname" value="">',
  ],
];

/** What pages of files that are there may hold besides. */
const QUOTED = [
  "<!-- <h3>File Not Found</h3> -->",
  '<div class="modal" hidden><b>Reason for deletion</b><p>DMCA or copyright</p></div>',
  "<h4>What happened to my file?</h4><p>The file was deleted by its owner</p>",
  "<ul><li>The file expired</li></ul>",
  "<ul><li>The file expired</li><li>The file was deleted by its owner</li></ul>",
  "<p>See also</p><a href='/x'>File Not Found</a>",
];

/** Names of files that look like what is said of a lost one. */
const NAMES = [
  "File Not Found.mp4",
  "Video Not Found.mp4",
  "File has been removed.mp4",
  "File has been removed.mp4 (12.5 MB)",
  "No such file.zip",
  "The file expired.rar",
  "This file was banned by copyright.7z",
  "Reason for deletion.docx",
  "That file was removed.mkv",
];

const said = (body: string, seen: string): Row => ({
  what: `a page with ${body.replace(/\s+/g, " ").slice(0, 120)}`,
  url: DOWNLOAD,
  web: { [`${CLICKNUPLOAD}/${ID}`]: site(body, "ClicknUpload") },
  seen,
});

tellOfHost("clicknupload", CLICKNUPLOAD, {
  aliases: ["clicknupload.name", "clickndownload.cfd", "clicknupload.to"],
  rows: [
    ...PHRASES.flatMap(([seen, ...bodies]) => bodies.map((body) => said(body, seen))),
    ...QUOTED.flatMap((quote) =>
      [FNAME, DOWNLOAD_FORM].map((form) => ({
        ...said(quote, "active ok_service"),
        web: { [`${CLICKNUPLOAD}/${ID}`]: form.replace("</nav>", `</nav>${quote}`) },
      })),
    ),
    ...NAMES.map((name) =>
      said(`<h1 class="filename">${name}</h1><p>12.5 MB</p>`, "active ok_service"),
    ),
    ...NAMES.map((name) => said(`<h3>${name}</h3>`, "unknown service_unrecognised")),
    said(
      '<h1 class="filename">a.zip</h1><p>12.5 MB</p><a href="/x">File Not Found</a>',
      "unknown service_unrecognised",
    ),
    ...[
      ["a short link that is lost", NOT_FOUND, GONE.missing],
      ["a short link", DOWNLOAD_FORM, "active ok_service"],
      ["a short link to a page that says neither", NEITHER, "unknown service_unrecognised"],
    ].map(([what, shows, seen]) => ({
      what: what!,
      url: `https://${CLICKNUPLOAD}/d/AbC1`,
      web: { [`${CLICKNUPLOAD}/d/AbC1`]: shows! },
      seen: seen!,
      headers: { cookie: "lang=english" },
    })),
    // An error is an error, whatever stands on its page.
    ...PHRASES.filter(([seen]) => seen.startsWith("active"))
      .flatMap(([, ...bodies]) => bodies)
      .map((body) => ({
        ...said(body, "unknown http_503"),
        web: { [`${CLICKNUPLOAD}/${ID}`]: page(site(body, "Watch a video"), 503) },
      })),
    {
      what: "gone by status, with a word of doubt",
      url: DOWNLOAD,
      web: { [`${CLICKNUPLOAD}/${ID}`]: page(site("<h2>Your file has been removed</h2>"), 404) },
      seen: "dead http_404 C2",
    },
    {
      what: "a title that only a video has",
      url: DOWNLOAD,
      web: { [`${CLICKNUPLOAD}/${ID}`]: site("<p>Player</p>", "Watch holiday mp4") },
      seen: "active ok_service",
    },
    {
      what: "a home page of the same title, to which a lost file leads",
      url: DOWNLOAD,
      web: {
        [`${CLICKNUPLOAD}/${ID}`]: to(`https://${CLICKNUPLOAD}/videos.html`),
        [`${CLICKNUPLOAD}/videos.html`]: site("<p>Videos</p>", "Watch videos"),
      },
      seen: "unknown service_unrecognised",
    },
    {
      what: "a file that comes by itself",
      url: DOWNLOAD,
      web: {
        [`${CLICKNUPLOAD}/${ID}`]: () => {
          const answer = file("application/zip");
          answer.headers.set("Content-Disposition", 'attachment; filename="a.zip"');
          return answer;
        },
      },
      seen: "active ok_service",
    },
    {
      what: "a plain answer of three words",
      url: DOWNLOAD,
      web: { [`${CLICKNUPLOAD}/${ID}`]: page("No such file") },
      seen: GONE.missing,
    },
    {
      what: "gone by status, with its phrase",
      url: DOWNLOAD,
      web: { [`${CLICKNUPLOAD}/${ID}`]: page(NOT_FOUND, 404) },
      seen: GONE.missing,
    },
    {
      what: "the web server's own page of what is missing",
      url: DOWNLOAD,
      web: {
        [`${CLICKNUPLOAD}/${ID}`]: page("<title>404 Not Found</title><h1>404 Not Found</h1>", 404),
      },
      seen: "dead http_404 C2",
    },
    {
      what: "a file whose page also speaks of something missing",
      url: DOWNLOAD,
      web: { [`${CLICKNUPLOAD}/${ID}`]: FNAME.replace("<nav>", "<nav><i>Avatar Not Found</i>") },
      seen: "active ok_service",
    },
    {
      what: "a form that comes with an error",
      url: DOWNLOAD,
      web: { [`${CLICKNUPLOAD}/${ID}`]: page(FNAME, 500) },
      seen: "unknown http_500",
    },
    {
      what: "an address of the site's own",
      url: `https://${CLICKNUPLOAD}/registration`,
      web: { [`${CLICKNUPLOAD}/registration`]: site("<h1>Sign up now</h1><p>It is free.</p>") },
      seen: "active ok",
    },
  ],
});

tellOfHost("dailyuploads", "dailyuploads.net", { aliases: ["dailyuploads.cc"] });
tellOfHost("drop-download", "drop.download", { aliases: ["dropapk.to", "mixloads.com"] });
tellOfHost("hexupload", "hexupload.net", { aliases: ["hexupload.com"] });
tellOfHost("hexload", "hexload.com");
tellOfHost("userscloud", "userscloud.com", { aliases: ["usercdn.com"] });
tellOfHost("uploadrar", "uploadrar.com", { aliases: ["cloud.getpczone.com"] });
tellOfHost("usersdrive", "usersdrive.com");
tellOfHost("worldfiles", "world-files.com");
tellOfHost("desiupload", "desiupload.co");
tellOfHost("wupfile", "wupfile.com", { aliases: ["salefiles.com"] });
tellOfHost("uqload", "uqload.is", { aliases: ["uqload.to", "uqload.co"] });
tellOfHost("mp4upload", "mp4upload.com");
tellOfHost("savefiles", "savefiles.com", { aliases: ["streamhls.to"] });

tellOfHost("mexashare", "mexa.sh", {
  aliases: ["mexashare.com", "mx-sh.net"],
  rows: [
    shown(
      "mexa.sh",
      "a site under maintenance",
      "unknown service_unavailable",
      "<h2>The site is currently under maintenance</h2>",
    ),
  ],
});

tellOfHost("novafile", "novafile.org", {
  aliases: ["novafile.com", "nfile.cc"],
  rows: [
    shown("novafile.org", "gone", GONE.missing, '<div id="file-not-found"><h1>Oops</h1></div>'),
    {
      what: "a file at its longer address",
      url: `https://novafile.org/file/${ID}`,
      web: {
        [`novafile.org/file/${ID}`]: site(
          '<div class="name">a.zip</div><div class="size">5 MB</div>',
        ),
      },
      seen: "active ok_service",
    },
  ],
});

tellOfHost("uploady", "uploady.io", {
  aliases: ["uploadydl.com"],
  rows: [
    shown(
      "uploady.io",
      "a file that is too large for guests",
      PROTECTED,
      "<p><i></i> As a Guest user, you can download files up to <strong>500 MB</strong>.</p>",
    ),
    shown(
      "uploady.io",
      "gone, with what guests may do",
      GONE.missing,
      "<p>As a Guest user, you can download files up to 500 MB</p><h1>File Not Found</h1>",
    ),
  ],
});

tellOfHost("rapidcloud", "rapidcloud.cc", {
  rows: [
    shown(
      "rapidcloud.cc",
      "a file for sale",
      PROTECTED,
      "<p>Please select one of options below in order to purchase an access to this file for just <strong>2.99 USD</strong></p>",
    ),
    shown(
      "rapidcloud.cc",
      "a file that is for others",
      PROTECTED,
      "<p> You're attempting to download a paid file.</p>",
    ),
  ],
});

tellOfHost("isra-cloud", "isra.cloud", {
  aliases: ["isracloud.com"],
  rows: [
    shown(
      "isra.cloud",
      "a file, by its name",
      "active ok_service",
      '<div class="desc"> <span>holiday.mp4</span></div>',
    ),
  ],
});

tellOfHost("upstream", "upstream.to", {
  rows: [
    shown("upstream.to", "gone, by its picture", GONE.missing, '<img src="/images/image-404.png">'),
  ],
});

tellOfHost("vidoza", "vidoza.net", {
  aliases: ["videzz.net", "vidoza.co"],
  rows: [
    shown(
      "vidoza.net",
      "a video, by its name",
      "active ok_service",
      '<script>var curFileName = "holiday.mp4";</script>',
    ),
    shown(
      "vidoza.net",
      "gone, with a name left over",
      GONE.missing,
      '<h1>File Not Found</h1><script>var curFileName = "holiday.mp4";</script>',
    ),
    {
      what: "an error with a video's name",
      url: `https://vidoza.net/${ID}`,
      web: { [`vidoza.net/${ID}`]: page(site('<script>curFileName = "a.mp4"</script>'), 503) },
      seen: "unknown http_503",
    },
    {
      what: "another video, to which it leads",
      url: `https://vidoza.net/${ID}`,
      web: {
        [`vidoza.net/${ID}`]: to("/xyz789xyz789"),
        "vidoza.net/xyz789xyz789": site('<script>curFileName = "a.mp4"</script>'),
      },
      seen: "unknown service_unrecognised",
    },
    shown(
      "vidoza.net",
      "a heading for an encoded video",
      "unknown service_unrecognised",
      "<div> Conversion stage: <span></span></div>",
      "My holiday",
    ),
    shown(
      "vidoza.net",
      "an embedded video that is lost",
      "dead service_not_found C2",
      "<div id='enc'> Conversion stage: <span></span></div>",
      "Watch",
    ),
    shown(
      "vidoza.net",
      "a frame around nothing",
      "dead service_not_found C2",
      '<textarea>&lt;iframe src="https://vidoza.net/embed-.html"&gt;</textarea>',
    ),
  ],
});

tellOfHost("streamwish", "streamwish.com", {
  aliases: ["streamwish.to", "hglink.to", "vibuxer.com", "swishsrv.com"],
  rows: [
    shown(
      "streamwish.com",
      "a video, by its heading",
      "active ok_service",
      '<h1 class="h5 mb-3">Holiday</h1>',
    ),
    shown(
      "streamwish.com",
      "locked or gone",
      GONE.missing,
      "<div> This video has been locked watch or does not exist</div>",
    ),
    shown(
      "streamwish.com",
      "a video that is away for now",
      "unknown service_unavailable",
      "<p>Video temporarily not available</p>",
    ),
  ],
});

tellOfHost("lulustream", "lulustream.com", {
  aliases: ["luluvdo.com", "lulu.st", "luluvid.com"],
  rows: [
    shown(
      "lulustream.com",
      "a video, by what it tells of itself",
      "active ok_service",
      '<meta name="og:title" content="Holiday">',
    ),
    shown(
      "lulustream.com",
      "a video, by what it tells of itself today",
      "active ok_service",
      '<meta property="og:title" content="Holiday">',
    ),
    shown("lulustream.com", "a video", "active ok_service", '<h1 class="h5">Holiday</h1>'),
    shown("lulustream.com", "no page", GONE.missing, "<h1>Oops! Page Not Found</h1>"),
    shown(
      "lulustream.com",
      "no page, in other words",
      GONE.missing,
      "<p>Sorry, the page you're looking for doesn't exist</p>",
    ),
    {
      what: "a player",
      url: `https://lulustream.com/e/${ID}`,
      web: {
        [`lulustream.com/e/${ID}`]: site(
          '<script>jwplayer().setup({sources:[{file:"https://a.example.net/x.m3u8"}]})</script>',
        ),
      },
      seen: "active ok_service",
    },
  ],
});

tellOfHost("voe", "voe.sx", {
  aliases: ["voeunblock10.com", "crystaltreatmenteast.com", "un-block-voe.net"],
  rows: [
    shown(
      "voe.sx",
      "a video, by the player's title",
      "active ok_service",
      '<div class="player-title"> Holiday</div>',
    ),
    shown(
      "voe.sx",
      "a video, by what it tells of itself",
      "active ok_service",
      '<meta name="og:title" content="Holiday">',
    ),
    shown(
      "voe.sx",
      "a video, by what it tells of itself today",
      "active ok_service",
      '<meta property="og:title" content="Holiday">',
    ),
    {
      what: "a video at the name of the week",
      url: `https://voe.sx/e/${ID}`,
      web: {
        [`voe.sx/e/${ID}`]: to(`https://crystaltreatmenteast.com/e/${ID}`),
        [`crystaltreatmenteast.com/e/${ID}`]: site(
          '<script type="application/json">["bWFzdGVy"]</script>',
        ),
      },
      seen: "active ok_service",
    },
    shown(
      "voe.sx",
      "a page that only leads on by script",
      "unknown service_unrecognised",
      "<script>window.location.href = 'https://crystaltreatmenteast.com/abc123def456';</script>",
      "Redirecting...",
    ),
    shown("voe.sx", "closed", "unknown service_unavailable", "<p>Soon</p>", "Maintenance Mode"),
    shown(
      "voe.sx",
      "overloaded",
      "unknown service_unavailable",
      "<p>Server overloaded, download temporary disabled</p>",
    ),
    shown(
      "voe.sx",
      "over capacity",
      "unknown service_unavailable",
      "<p>The server of this file is currently over capacity</p>",
    ),
    shown(
      "voe.sx",
      "in the queue",
      "unknown service_processing",
      "<p>File is in the encoding queue. Current position: #3</p>",
    ),
    shown(
      "voe.sx",
      "being encoded",
      "unknown service_processing",
      '<div class="progress-bar encoding-process"></div>',
    ),
  ],
});

tellOfHost("ddownload", "ddownload.com", {
  aliases: ["ddl.to", "ucdn.to"],
  rows: [
    {
      what: "a file, asked for without its name",
      url: `https://ddl.to/${ID}/DROP_TABLE.sql.html`,
      web: {
        [`ddownload.com/${ID}`]: site('<h1 class="file-info-name">DROP_TABLE.sql</h1>'),
      },
      seen: "active ok_service",
      asked: [`GET https://ddownload.com/${ID}`],
    },
    {
      what: "a file at the host's own name, which has to know it by its own name",
      url: `https://www.ddownload.com/${ID}/a.zip`,
      web: { [`www.ddownload.com/${ID}/a.zip`]: site('<h1 class="file-info-name">a.zip</h1>') },
      seen: "active ok_service",
      asked: [`GET https://www.ddownload.com/${ID}/a.zip`],
      headers: { cookie: "lang=english" },
    },
    shown(
      "ddownload.com",
      "banned, in a sentence",
      "dead service_takedown C1",
      "<p>Sorry, it was banned by copyright owner's report</p>",
    ),
    shown(
      "ddownload.com",
      "a file with the name of a lost one",
      "active ok_service",
      '<h1 class="file-info-name">File has been removed.mp4</h1>',
    ),
    shown(
      "ddownload.com",
      "a file, as of 2026",
      "active ok_service",
      '<div class="text dk-dl-name"> report.pdf</div>',
    ),
    shown(
      "ddownload.com",
      "a file with a password",
      PROTECTED,
      '<div class="dk-dl-password"><input type="password"></div>',
    ),
    shown(
      "ddownload.com",
      "a file with a password, by its heading",
      PROTECTED,
      '<h2 class="dk-pw-header">Password</h2>',
    ),
    shown(
      "ddownload.com",
      "a file, as of April 2026",
      "active ok_service",
      '<div class="dl-file-name">report.pdf</div>',
    ),
    shown(
      "ddownload.com",
      "banned",
      "dead service_takedown C1",
      '<h1 class="file-info-name">a.zip</h1><p><strong>Oops!</strong></p><p>This file was banned by copyright owner\'s report</p>',
    ),
  ],
});

tellOfHost("katfile", "katfile.com", {
  aliases: ["katfile.cloud", "katfile.online", "katfile.vip"],
  rows: [
    {
      what: "removed, as its last address says",
      url: `https://katfile.com/${ID}`,
      web: {
        [`katfile.com/${ID}`]: to("/404-remove"),
        "katfile.com/404-remove": site("<h1>Sorry</h1>"),
      },
      seen: GONE.deleted,
    },
    shown(
      "katfile.com",
      "removed, as a link on its page says",
      GONE.deleted,
      '<p>It is <a href="/404-remove">removed</a>.</p>',
    ),
    shown(
      "katfile.com",
      "removed, as one word of its page says",
      GONE.deleted,
      "<p>It was deleted by its owner.</p>",
    ),
    shown(
      "katfile.com",
      "gone, with the usual list of causes",
      GONE.missing,
      "<ul><li>The file expired</li><li>The file was deleted by its owner</li></ul>",
    ),
    {
      what: "there, with a link to what is removed",
      url: `https://katfile.com/${ID}`,
      web: { [`katfile.com/${ID}`]: FNAME.replace("</nav>", '<a href="/404-remove">?</a></nav>') },
      seen: "active ok_service",
    },
    {
      what: "there, with common questions",
      url: `https://katfile.com/${ID}`,
      web: {
        [`katfile.com/${ID}`]: FNAME.replace("</nav>", "</nav><p>Or deleted by its owner</p>"),
      },
      seen: "active ok_service",
    },
    shown(
      "katfile.com",
      "for premium users",
      PROTECTED,
      "<p>This file is available for Premium</p>",
    ),
  ],
});

tellOfHost("send-now", "send.now", {
  aliases: ["send.cm", "sendit.cloud", "tusfiles.net", "usersfiles.com"],
  rows: [
    shown(
      "send.now",
      "a file, by its heading",
      "active ok_service",
      '<h5><i data-feather="file" class="icon"></i> report.pdf</h5>',
    ),
    shown(
      "send.now",
      "a file, by how it is shared",
      "active ok_service",
      '<a href="https://t.me/share?url=x&text=report.pdf" target="_blank"> Share on Telegram</a>',
    ),
    shown(
      "send.now",
      "gone, with a mark of surprise",
      GONE.deleted,
      "<h6>The requested file is no longer available!</h6>",
    ),
    {
      what: "a short link that leads to a file",
      url: "https://send.cm/d/AbC1",
      web: {
        "send.cm/d/AbC1": to(`https://send.now/${ID}`),
        [`send.now/${ID}`]: site('<h5><i data-feather="file"></i> report.pdf</h5>'),
      },
      seen: "active ok_service",
    },
    {
      what: "a short link that is lost",
      url: "https://send.cm/d/AbC1",
      web: { "send.cm/d/AbC1": NOT_FOUND },
      seen: GONE.missing,
    },
    shown(
      "send.now",
      "a page that allows nothing",
      "unknown service_unrecognised",
      "<p>Not allowed</p>",
    ),
  ],
});

tellOfHost("datanodes", "datanodes.to", {
  rows: [
    shown(
      "datanodes.to",
      "a file, by what one can do with it",
      "active ok_service",
      `<file-actions link="https://datanodes.to/${ID}/report.pdf"></file-actions>`,
    ),
    shown(
      "datanodes.to",
      "a place for files without one",
      "unknown service_unrecognised",
      `<file-actions link="https://datanodes.to/${ID}/"></file-actions>`,
    ),
  ],
});

const HOTLINK = `https://hotlink.cc/${ID}`;
const CHECKED = "hotlink.cc/?op=check_files";
const CHECKER = `POST https://hotlink.cc/?op=check_files op=check_files&process=Check+URLs&list=https%3A%2F%2Fhotlink.cc%2F${ID}`;
const checker = (cells: string) =>
  site(`<table><tr><td>${HOTLINK}</td>${cells}</tr></table>`, "Check files");

tellOf("hotlink-cc", {
  urls: [HOTLINK, `http://www.hotlink.cc/${ID}/a.zip.html`, `https://redirect.codes/${ID}`],
  rows: [
    {
      what: "a file",
      url: HOTLINK,
      web: { [CHECKED]: checker("<td>Found</td><td>12.5 MB</td>") },
      seen: "active ok_service",
      asked: [CHECKER],
    },
    {
      what: "gone",
      url: HOTLINK,
      web: { [CHECKED]: checker('<td style="color:red">Not found</td><td></td>') },
      seen: GONE.missing,
    },
    {
      what: "another file",
      url: HOTLINK,
      web: {
        [CHECKED]: checker("<td>Found</td><td>12.5 MB</td>").replaceAll(ID, "xyz123xyz123"),
        [`hotlink.cc/${ID}`]: NEITHER,
      },
      seen: "unknown service_probe_failed",
    },
    {
      what: "gone for whoever asks without an account",
      url: HOTLINK,
      web: { [CHECKED]: 500, [`hotlink.cc/${ID}`]: NOT_FOUND },
      seen: "unknown unconfirmed (service_not_found in 24 hours)",
    },
    {
      what: "a video, by its heading",
      url: HOTLINK,
      web: {
        [CHECKED]: challenge(),
        [`hotlink.cc/${ID}`]: site(
          '<h3><i class="glyphicon glyphicon-play-circle"></i> holiday.mp4</h3>',
        ),
      },
      seen: "active ok_service",
    },
    {
      what: "a video of which there is a preview",
      url: HOTLINK,
      web: {
        [CHECKED]: 500,
        [`hotlink.cc/${ID}`]: site(
          "<p>This video <b>is available for viewing and downloading <b>only for premium users</p>",
        ),
      },
      seen: PROTECTED,
    },
    ...usual(HOTLINK, { [CHECKED]: 500 }),
  ],
});

const FILEMOON = `https://filemoon.sx/e/${ID}`;
const DETAILS = `filemoon.sx/api/videos/${ID}/details`;
const EMBEDDED = `filemoon.sx/api/videos/${ID}/embed/details`;
const NO_API = { [DETAILS]: 404, [EMBEDDED]: 404 };

tellOf("filemoon", {
  urls: [
    FILEMOON,
    `https://bysejikuar.com/d/${ID}`,
    `https://www.byse.sx/download/${ID}`,
    `https://filemoon.to/e/${ID}/holiday`,
    "https://FILEMOON.nl/",
  ],
  rows: [
    {
      what: "a video",
      url: FILEMOON,
      web: { [DETAILS]: json({ code: ID, title: "holiday.mp4" }) },
      seen: "active ok_service",
      asked: [`GET https://${DETAILS}`],
    },
    {
      what: "a video that is there only to be embedded",
      url: FILEMOON,
      web: {
        [DETAILS]: json({ error: "not found" }, 404),
        [EMBEDDED]: json({ title: "holiday.mp4" }),
      },
      seen: "active ok_service",
      asked: [`GET https://${DETAILS}`, `GET https://${EMBEDDED}`],
    },
    {
      what: "gone",
      url: FILEMOON,
      web: {
        [DETAILS]: json({ error: "not found" }, 404),
        [EMBEDDED]: json({ error: "not found" }, 404),
      },
      seen: "dead service_not_found C2",
    },
    {
      what: "gone from a site without an API",
      url: FILEMOON,
      web: { ...NO_API, [`filemoon.sx/e/${ID}`]: site("<h1>Page not found</h1>") },
      seen: "dead service_not_found C2",
    },
    {
      what: "gone, with another page",
      url: FILEMOON,
      web: { ...NO_API, [`filemoon.sx/e/${ID}`]: site('<div class="error e404"></div>') },
      seen: "dead service_not_found C2",
    },
    {
      what: "behind a wall",
      url: FILEMOON,
      web: { [DETAILS]: challenge(), [`filemoon.sx/e/${ID}`]: challenge() },
      seen: "unknown bot_challenge",
    },
    {
      what: "gone from an older site, by its words",
      url: FILEMOON,
      web: { ...NO_API, [`filemoon.sx/e/${ID}`]: NOT_FOUND },
      seen: GONE.missing,
    },
    ...usual(FILEMOON, NO_API),
  ],
});
