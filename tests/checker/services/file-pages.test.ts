import { expect, test } from "bun:test";
import { checkUrl } from "../../../server/verdict/confirm.ts";
import { NEVER_CHECKED } from "../../../server/verdict/look.ts";
import {
  type Answers,
  challenge,
  file,
  json,
  page,
  startPlayedWeb,
  text,
  to,
  type Web,
} from "./played-web.ts";
import { checkerThrough, type Row, tellOf } from "./told.ts";

/** A page as such sites have it, with what counts somewhere in it. */
const shows = (title: string, body: string, status = 200) =>
  page(
    `<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>${title}</title></head>
<body><nav><a href="/">Home</a> <a href="/faq">FAQ</a></nav><main>${body}</main>
<footer>&copy; All rights reserved</footer></body></html>`,
    status,
  );

/** What a page becomes that the record does not know. */
const RENEWED = shows("Our new site", "<h1>All is new</h1><p>Have a look around.</p>");

/** The page of somebody who stands between. */
const BLOCKED = { web: { "block.example.net/notice": RENEWED } };
const ELSEWHERE = "unknown service_unrecognised";

type More = Pick<Row, "asked" | "headers"> & { web?: Web };

/** Rows about one address, whose page is played in one place. */
const rowsAt =
  (url: string, at: string) =>
  (what: string, answer: Answers, seen: string, { web, ...more }: More = {}): Row => ({
    ...{ what, url, web: { [at]: answer, ...web }, seen },
    ...more,
  });

const ID = "0123456789abcdef0123456789abcdef";

const rapidgator = rowsAt(`https://rg.to/file/${ID}/a.zip.html`, `rapidgator.net/file/${ID}`);
const RAPIDGATOR_SIZE = "<div>File size: <strong>12.3 MB</strong></div>";
const AT_RAPIDGATOR = "Rapidgator: Fast, safe and secure file hosting";

tellOf("rapidgator", {
  urls: [
    `https://rapidgator.net/file/${ID}`,
    "http://www.rapidgator.asia/file/12345678/a.rar.html",
    "https://RG.to/file/12345678",
  ],
  rows: [
    rapidgator("a file", shows("Download file a.zip", RAPIDGATOR_SIZE), "active ok_service", {
      asked: [`GET https://rapidgator.net/file/${ID}`],
      headers: { cookie: "lang=en" },
    }),
    rapidgator("a file with a title", shows("Download file a.zip", ""), "active ok_service"),
    rapidgator("a file with a size", shows(AT_RAPIDGATOR, RAPIDGATOR_SIZE), "active ok_service"),
    rapidgator(
      "a file of a site in trouble",
      shows("Download file a.zip", RAPIDGATOR_SIZE, 500),
      "unknown service_probe_failed",
    ),
    rapidgator(
      "gone in as many words",
      shows("Error", "<h3> 404 File not found</h3>", 404),
      "dead service_not_found C1",
    ),
    rapidgator("gone", 404, "dead http_404 C2"),
    rapidgator("gone, and leads home", to("/"), "dead service_not_found C2", {
      web: { "rapidgator.net/": RENEWED },
    }),
    rapidgator("gone, and leads to an error", to("/error"), "dead service_not_found C2", {
      web: { "rapidgator.net/error": RENEWED },
    }),
    ...["/article/news", "/maintenance", "/premium", "https://block.example.net/notice"].map(
      (place) =>
        rapidgator(`leading to ${place}`, to(place), "unknown service_unrecognised", {
          web: {
            "rapidgator.net/article/news": RENEWED,
            "rapidgator.net/maintenance": RENEWED,
            "rapidgator.net/premium": RENEWED,
            "block.example.net/notice": RENEWED,
          },
        }),
    ),
    rapidgator(
      "a file with the name of an error",
      shows("Download file Error 404 - the movie.mkv", "<h1>Error 404 - the movie.mkv</h1>"),
      "active ok_service",
    ),
    rapidgator(
      "a file whose page has a word about errors",
      shows("Download file a.zip", `<p>Error 404</p>${RAPIDGATOR_SIZE}`),
      "active ok_service",
    ),
    {
      what: "a file at the main host, asked for where it is",
      url: `https://www.rapidgator.net/file/${ID}/a.zip.html`,
      web: {
        [`www.rapidgator.net/file/${ID}/a.zip.html`]: shows("Download file a.zip", RAPIDGATOR_SIZE),
      },
      seen: "active ok_service",
      headers: { cookie: "lang=en" },
    },
    rapidgator("leading to a page in trouble", to("/"), "unknown service_probe_failed", {
      web: { "rapidgator.net/": 500 },
    }),
    rapidgator("for members", to("/site/PleaseLogin"), "unknown login_required", {
      web: { "rapidgator.net/site/PleaseLogin": shows("Rapidgator", "<p>Welcome back.</p>") },
    }),
    rapidgator("for subscribers", to("/subscription/create"), "active ok_service_protected", {
      web: { "rapidgator.net/subscription/create": shows("Subscribe", "<p>Ten a month.</p>") },
    }),
    rapidgator(
      "for paying users",
      shows("Download file a.zip", "<div>This file can be downloaded by premium only</div>"),
      "active ok_service_protected",
    ),
    rapidgator(
      "on a server that rests",
      shows(AT_RAPIDGATOR, "<p>File is temporarily not available, please try again later</p>"),
      "unknown service_unavailable",
    ),
    rapidgator(
      "behind a limit",
      shows(AT_RAPIDGATOR, "<p>You have reached your daily downloads limit.</p>"),
      "unknown service_rate_limited",
    ),
    rapidgator("on a page that is new", RENEWED, "unknown service_unrecognised"),
    rapidgator("walled", challenge(), "unknown bot_challenge"),
  ],
});

const filefactory = rowsAt(
  "https://filefactory.com/stream/abc123def/film.mp4",
  "www.filefactory.com/file/abc123def",
);
const FACTORY_ERROR = "www.filefactory.com/error.php";
const factoryData = (data: object) =>
  shows(
    "FileFactory",
    `<div id="app"></div><script>self.__next_f.push([1,${JSON.stringify(JSON.stringify(data))}])</script>`,
  );

tellOf("filefactory", {
  urls: [
    "https://www.filefactory.com/file/abc123def/film.mp4",
    "http://filefactory.com/trafficshare/0123456789abcdef0123456789abcdef/abc123def/",
    "https://classic.FILEFACTORY.com/file/abc123def",
  ],
  rows: [
    filefactory(
      "a file",
      factoryData({ file: { disp_filename: "film.mp4", size: 1234 }, requiresPremium: false }),
      "active ok_service",
      {
        asked: ["GET https://www.filefactory.com/file/abc123def"],
        headers: {
          cookie: "locale=en_US.utf8; ff_relaunch_message_seen=true; filefactory_stream=seen",
        },
      },
    ),
    filefactory(
      "a file on the old pages",
      shows("film.mp4", '<div id="file_name" class="big"><h2>film.mp4</h2></div>'),
      "active ok_service",
    ),
    filefactory(
      "gone",
      factoryData({ errorData: { errorCode: "FILE_NOT_FOUND", message: "File not found" } }),
      "dead service_not_found C1",
    ),
    filefactory("gone by its number", to("/error.php?code=251"), "dead service_not_found C1", {
      web: { [FACTORY_ERROR]: RENEWED },
    }),
    filefactory(
      "an address that was never one",
      shows("Error", '<div id="wp-body-box-message"><h2>Invalid Download Link</h2></div>'),
      "dead service_not_found C1",
    ),
    filefactory(
      "deleted",
      shows("Error", "<h2>File Removed</h2><p>This file is no longer available</p>"),
      "dead service_deleted C1",
    ),
    filefactory(
      "for paying users",
      factoryData({ file: {}, requiresPremium: true }),
      "active ok_service_protected",
    ),
    filefactory(
      "for paying users on the old pages",
      shows("film.mp4", "<h3>Premium Account Required</h3>"),
      "active ok_service_protected",
    ),
    filefactory(
      "for paying users by its number",
      to("/error.php?code=258"),
      "active ok_service_protected",
      { web: { [FACTORY_ERROR]: RENEWED } },
    ),
    {
      what: "a file at the main host, asked for where it is",
      url: "https://filefactory.com/file/abc123def/film.mp4",
      web: {
        "filefactory.com/file/abc123def/film.mp4": factoryData({ disp_filename: "film.mp4" }),
      },
      seen: "active ok_service",
      asked: ["GET https://filefactory.com/file/abc123def/film.mp4"],
    },
    filefactory(
      "for members",
      shows("film.mp4", "<p>This file is only available to Premium Members.</p>"),
      "active ok_service_protected",
    ),
    ...["Invalid Download Link", "This file is no longer available"].map((name) =>
      filefactory(
        `a file named ${name}`,
        shows("x", `<div id="file_name"><h2>${name}.mp4</h2></div>`),
        "active ok_service",
      ),
    ),
    filefactory("on a busy server", to("/error.php?code=257"), "unknown service_unavailable", {
      web: { [FACTORY_ERROR]: RENEWED },
    }),
    filefactory("behind a limit", to("/error.php?code=266"), "unknown service_rate_limited", {
      web: { [FACTORY_ERROR]: RENEWED },
    }),
    filefactory("on a page that is new", RENEWED, "unknown service_unrecognised"),
    filefactory("walled", challenge(), "unknown bot_challenge"),
    {
      what: "a file whose traffic is shared",
      url: `https://www.filefactory.com/trafficshare/${ID}/abc123def/`,
      web: {
        [`www.filefactory.com/trafficshare/${ID}/abc123def/`]: shows(
          "film.mp4",
          '<div class="file-name">film.mp4</div>',
        ),
      },
      seen: "active ok_service",
      headers: {
        cookie: "locale=en_US.utf8; ff_relaunch_message_seen=true; filefactory_stream=seen",
      },
    },
    {
      what: "a page that is new where traffic is shared",
      url: `https://www.filefactory.com/trafficshare/${ID}/abc123def`,
      web: { [`www.filefactory.com/trafficshare/${ID}/abc123def`]: RENEWED },
      seen: "unknown service_unrecognised",
    },
  ],
});

const uploadgig = rowsAt(
  "https://uploadgig.com/file/download/aB3dE6gH9/a.rar",
  "uploadgig.com/file/download/aB3dE6gH9/a.rar",
);
const UPLOADGIG_FILE =
  '<h1><span class="filename">a.rar</span> <span class="filesize">[12.3 MB]</span></h1>';

tellOf("uploadgig", {
  urls: [
    "https://uploadgig.com/file/download/aB3dE6gH9/a.rar",
    "http://www.uploadgig.com/file/download/aB3dE6gH9",
    "https://UploadGig.com/",
  ],
  rows: [
    uploadgig("a file", shows("Download a.rar", UPLOADGIG_FILE), "active ok_service"),
    uploadgig(
      "gone in as many words",
      shows("UploadGIG", "<h2>File not found</h2>"),
      "dead service_not_found C2",
    ),
    uploadgig(
      "a file with the name of a lost one",
      shows("Download", '<h1><span class="filename">File Not Found.mp4</span></h1>'),
      "active ok_service",
    ),
    uploadgig("gone", 404, "dead http_404 C2"),
    uploadgig(
      "for paying users",
      shows("UploadGIG", "<p>This file can be downloaded by Premium Member only</p>"),
      "active ok_service_protected",
    ),
    uploadgig(
      "on a server that rests",
      shows("UploadGIG", "<p>Sorry, this server is under maintenance</p>"),
      "unknown service_unavailable",
    ),
    uploadgig(
      "not for machines like this one",
      shows(
        "UploadGIG",
        "<p>Blocked!<br>If you are using VPN or proxy, disable your proxy and try again</p>",
        403,
      ),
      "unknown ip_blocked",
    ),
    uploadgig("on a page that is new", RENEWED, "unknown service_unrecognised"),
  ],
});

const upstore = rowsAt("http://upsto.re/aB3dE6/a.rar", "upstore.net/aB3dE6");
const AT_UPSTORE = "Upload, store &amp; share your files on Upstore";
const upstoreError = (message: string) =>
  shows(AT_UPSTORE, `<div class="center"><span class="error">${message}</span></div>`);

tellOf("upstore", {
  urls: ["https://upstore.net/aB3dE6", "https://www.upstore.net/aB3dE6/a.rar", "https://UPSTO.re/"],
  rows: [
    upstore(
      "a file",
      shows(
        `Download file a.rar &mdash; ${AT_UPSTORE}`,
        '<h2 style="margin:0">a.rar</h2>\n<div class="comment">\n 12.3 MB</div>',
      ),
      "active ok_service",
      { asked: ["GET https://upstore.net/aB3dE6"], headers: { cookie: "lang=en" } },
    ),
    upstore(
      "a file that is offered",
      shows(AT_UPSTORE, '<form><input type="hidden" name="hash" value="aB3dE6"></form>'),
      "active ok_service",
    ),
    {
      what: "a file at the main host, asked for where it is",
      url: "https://www.upstore.net/aB3dE6/a.rar",
      web: { "www.upstore.net/aB3dE6/a.rar": shows(AT_UPSTORE, '<input value="aB3dE6">') },
      seen: "active ok_service",
      asked: ["GET https://www.upstore.net/aB3dE6/a.rar"],
    },
    upstore("gone", upstoreError("File not found"), "dead service_not_found C1"),
    upstore(
      "deleted",
      upstoreError("File was deleted by owner or due to a violation of service rules."),
      "dead service_deleted C1",
    ),
    upstore(
      "for paying users",
      upstoreError("This file is available only for Premium users"),
      "active ok_service_protected",
    ),
    upstore(
      "on a server that rests",
      upstoreError("Sorry, download server with your file is temporarily unavailable"),
      "unknown service_unavailable",
    ),
    upstore(
      "behind a limit",
      upstoreError("Please wait 45 minutes before downloading next file"),
      "unknown service_rate_limited",
    ),
    upstore("on a page that is new", RENEWED, "unknown service_unrecognised"),
    upstore("walled", challenge(), "unknown bot_challenge"),
    {
      what: "a page of its own",
      url: "https://upstore.net/premium/",
      web: { "upstore.net/premium/": RENEWED },
      seen: "active ok",
    },
  ],
});

const depositfiles = rowsAt(
  "https://dfiles.eu/de/files/ab12cd34e",
  "depositfiles.com/files/ab12cd34e",
);
const AT_DEPOSIT = "Download file - Depositfiles";

tellOf("depositfiles", {
  urls: [
    "https://depositfiles.com/files/ab12cd34e",
    "http://www.dfiles.ru/en/files/ab12cd34e",
    "https://DFILES.eu/files/ab12cd34e",
    "https://depositfiles.org/files/ab12cd34e",
  ],
  rows: [
    depositfiles(
      "a file",
      shows(AT_DEPOSIT, '<div class="info"><span>File size: <b>12.3 MB</b></span></div>'),
      "active ok_service",
      {
        asked: ["GET https://depositfiles.com/files/ab12cd34e"],
        headers: { cookie: "lang_current=en" },
      },
    ),
    depositfiles(
      "gone",
      shows(AT_DEPOSIT, '<span class="html_download_api-not_exists"></span>'),
      "dead service_not_found C1",
    ),
    {
      what: "a file at the main host, asked for where it is",
      url: "https://dfiles.eu/files/ab12cd34e",
      web: {
        "dfiles.eu/files/ab12cd34e": shows(AT_DEPOSIT, "<span>File size: <b>1 MB</b></span>"),
      },
      seen: "active ok_service",
      asked: ["GET https://dfiles.eu/files/ab12cd34e"],
    },
    depositfiles(
      "gone in as many words",
      shows(AT_DEPOSIT, "<p>This file does not exist.</p>"),
      "dead service_not_found C1",
    ),
    depositfiles(
      "a file with the name of a lost one",
      shows(AT_DEPOSIT, "<h1>This file does not exist.mp4</h1><p>File size: 1 MB</p>"),
      "active ok_service",
    ),
    depositfiles(
      "gone, in whatever words",
      shows(AT_DEPOSIT, '<div class="no_download_msg">Such a file does not exist</div>'),
      "dead service_not_found C2",
    ),
    depositfiles(
      "for who knows the password",
      shows(AT_DEPOSIT, '<form><input type="text" name="file_password"></form>'),
      "active ok_service_protected",
    ),
    depositfiles(
      "new",
      shows(AT_DEPOSIT, "<p>File is checked, please try again in a minute.</p>"),
      "unknown service_processing",
    ),
    depositfiles(
      "on a server that rests",
      shows(AT_DEPOSIT, '<span class="html_download_api-temporary_unavailable"></span>'),
      "unknown service_unavailable",
    ),
    depositfiles(
      "behind a limit",
      shows(AT_DEPOSIT, '<span class="html_download_api-limit_interval">900</span>'),
      "unknown service_rate_limited",
    ),
    depositfiles("on a page that is new", RENEWED, "unknown service_unrecognised"),
  ],
});

const alfafile = rowsAt("https://www.alfafile.net/file/aB3d", "www.alfafile.net/file/aB3d");

tellOf("alfafile", {
  urls: [
    "https://alfafile.net/file/aB3d",
    "http://www.alfafile.net/file/aB3d/a.rar",
    "https://ALFAFILE.net/",
  ],
  rows: [
    alfafile(
      "a file",
      shows("Download a.rar", '<strong id="st_file_name" title="a.rar">a.rar</strong>'),
      "active ok_service",
      { asked: ["GET https://www.alfafile.net/file/aB3d"], headers: { cookie: "lang=en" } },
    ),
    alfafile("gone", 404, "dead http_404 C2"),
    alfafile(
      "for paying users",
      shows("Alfafile", "<h4>This file can be downloaded by premium users only</h4>"),
      "active ok_service_protected",
    ),
    alfafile(
      "behind a limit",
      shows("Alfafile", "<p>You have reached your daily downloads limit.</p>"),
      "unknown service_rate_limited",
    ),
    alfafile("on a page that is new", RENEWED, "unknown service_unrecognised"),
    alfafile("walled", challenge(), "unknown bot_challenge"),
  ],
});

const workupload = rowsAt(
  "https://en.workupload.com/start/aB3dE6gH9jK",
  "workupload.com/file/aB3dE6gH9jK",
);
const workuploadArchive = rowsAt(
  "https://workupload.com/archive/aB3dE6gH",
  "workupload.com/archive/aB3dE6gH",
);

tellOf("workupload", {
  urls: [
    "https://workupload.com/file/aB3dE6gH9jK",
    "https://en.workupload.com/start/aB3dE6gH9jK",
    "https://www.WORKUPLOAD.com/archive/aB3dE6gH",
  ],
  rows: [
    workupload(
      "a file",
      shows("workupload", "<table><tr><td>Filename:&nbsp;</td><td>a.zip</td></tr></table>"),
      "active ok_service",
      { asked: ["GET https://workupload.com/file/aB3dE6gH9jK"] },
    ),
    workupload(
      "gone",
      shows("workupload", '<img src="/img/404.jpg"><h1>Whoops! 404</h1>'),
      "dead service_not_found C1",
    ),
    {
      what: "a file, asked for where it is",
      url: "https://www.workupload.com/file/aB3dE6gH9jK",
      web: { "www.workupload.com/file/aB3dE6gH9jK": shows("workupload", "<b>Filename:</b> a.zip") },
      seen: "active ok_service",
      asked: ["GET https://www.workupload.com/file/aB3dE6gH9jK"],
    },
    workupload(
      "gone, in a word",
      shows("workupload", "<h1>Whoops! 404</h1>"),
      "dead service_not_found C1",
    ),
    ...["Whoops! 404", "Datei gesperrt"].map((name) =>
      workupload(
        `a file named ${name}`,
        shows("workupload", `<table><td>Filename:</td><td>${name}.zip</td></table>`),
        "active ok_service",
      ),
    ),
    workupload("gone for long", 410, "dead http_410 C1"),
    workupload(
      "banned",
      shows("workupload", "<h1> Datei gesperrt</h1>"),
      "dead service_deleted C1",
    ),
    workupload(
      "for who knows the password",
      shows("workupload", '<form><input id="passwordprotected_file_password"></form>'),
      "active ok_service_protected",
    ),
    workupload(
      "behind a riddle",
      shows("workupload", '<i class="fa fa-shield-check"></i><p>One moment</p>'),
      "unknown bot_challenge",
    ),
    workupload("on a page that is new", RENEWED, "unknown service_unrecognised"),
    workuploadArchive(
      "an archive",
      shows("workupload", "<table><tr><td>Archivname:</td><td>aB3dE6gH</td></tr></table>"),
      "active ok_service",
    ),
    workuploadArchive("an archive that is gone", 404, "dead http_404 C2"),
    workuploadArchive("an archive that is new", RENEWED, "unknown service_unrecognised"),
  ],
});

const sendspace = rowsAt("https://www.sendspace.com/file/ab12cd", "www.sendspace.com/file/ab12cd");
const AT_SENDSPACE = "Free large file hosting. Send big files the easy way!";

tellOf("sendspace", {
  urls: [
    "https://www.sendspace.com/file/ab12cd",
    "http://sendspace.com/pro/dl/ab12cd",
    "https://fs01n1.SENDSPACE.com/",
  ],
  rows: [
    sendspace(
      "a file",
      shows("Download a.zip", '<h2 class="bgray"><b>a.zip</b></h2>'),
      "active ok_service",
    ),
    {
      what: "a file of its own",
      url: "https://www.sendspace.com/pro/dl/ab12cd",
      web: { "www.sendspace.com/pro/dl/ab12cd": file("application/zip") },
      seen: "active ok_service",
    },
    {
      what: "gone, and was a file of its own",
      url: "https://www.sendspace.com/pro/dl/ab12cd",
      web: { "www.sendspace.com/pro/dl/ab12cd": text("No.", 404) },
      seen: "dead http_404 C2",
    },
    sendspace(
      "gone",
      shows(
        AT_SENDSPACE,
        '<div class="msg error" style="cursor: default">Sorry, the file you requested is not available.</div>',
      ),
      "dead service_not_found C1",
    ),
    sendspace(
      "a file with the name of a lost one",
      shows("x", '<h2 class="bgray"><b>The file you requested is not available.mp4</b></h2>'),
      "active ok_service",
    ),
    sendspace(
      "for who knows the password",
      shows(AT_SENDSPACE, '<form><input type="password" name="filepassword"></form>'),
      "active ok_service_protected",
    ),
    sendspace(
      "behind a captcha",
      shows(AT_SENDSPACE, "<h2>Please complete the form below:</h2>"),
      "unknown bot_challenge",
    ),
    sendspace(
      "on a server that rests",
      shows(AT_SENDSPACE, "<p>The file is not currently available.</p>"),
      "unknown service_unavailable",
    ),
    sendspace(
      "behind a limit",
      shows(AT_SENDSPACE, "<p>You have reached your daily download limit.</p>"),
      "unknown service_rate_limited",
    ),
    sendspace("on a page that is new", RENEWED, "unknown service_unrecognised"),
  ],
});

const buzzheavier = rowsAt("https://bzzhr.co/ab12cd34ef56", "bzzhr.co/ab12cd34ef56");

tellOf("buzzheavier", {
  urls: [
    "https://buzzheavier.com/ab12cd34ef56",
    "https://bzzhr.to/ab12cd34ef56",
    "https://www.BZZHR.co/ab12cd34ef56",
  ],
  rows: [
    buzzheavier(
      "a file",
      shows("a.zip", "<h1>a.zip</h1><li>Size - 12.3 MB | Views - 45</li>"),
      "active ok_service",
    ),
    buzzheavier(
      "a file that is offered",
      shows("a.zip", '<a class="link-button" hx-get="/ab12cd34ef56/download">Download</a>'),
      "active ok_service",
    ),
    buzzheavier(
      "a folder",
      shows("Photos", '<table><tr><td><a href="/cd34ef56ab12">1.jpg</a></td></tr></table>'),
      "active ok_service",
    ),
    buzzheavier(
      "gone in as many words",
      shows("Buzzheavier", "<h1>File Not Found Or Deleted</h1>"),
      "dead service_not_found C1",
    ),
    buzzheavier(
      "a file with the name of a lost one",
      shows("x", "<h1>File Not Found Or Deleted.zip</h1><li>Size - 1 MB | Views - 4</li>"),
      "active ok_service",
    ),
    buzzheavier("gone, and leads elsewhere", to("/notfound"), "dead service_not_found C1", {
      web: { "bzzhr.co/notfound": RENEWED },
    }),
    buzzheavier("gone", 404, "dead http_404 C2"),
    buzzheavier("on a page that is new", RENEWED, "unknown service_unrecognised"),
    buzzheavier("walled", challenge(), "unknown bot_challenge"),
  ],
});

const fuckingfast = rowsAt(
  "https://fuckingfast.co/ab12cd34ef56#game.part1.rar",
  "fuckingfast.co/ab12cd34ef56",
);

tellOf("fuckingfast", {
  urls: [
    "https://fuckingfast.co/ab12cd34ef56#game.part1.rar",
    "https://www.fuckingfast.co/ab12cd34ef56",
    "https://FuckingFast.net/ab12cd34ef56",
  ],
  rows: [
    fuckingfast(
      "a file",
      shows("game.part1.rar", '<span class="text-gray-500">Size: 500MB | Uploaded: 2025</span>'),
      "active ok_service",
    ),
    fuckingfast(
      "a file with nothing behind its size",
      shows("game.part1.rar", "<span>Size: 500 MB</span>"),
      "active ok_service",
    ),
    fuckingfast(
      "size that is none",
      shows("x", "<p>Size: any</p>"),
      "unknown service_unrecognised",
    ),
    fuckingfast("gone", 404, "dead http_404 C2"),
    fuckingfast("on a page that is new", RENEWED, "unknown service_unrecognised"),
    fuckingfast("walled", challenge(), "unknown bot_challenge"),
  ],
});

const shared = rowsAt(
  "https://www.4shared.com/video/aB-3dE6gH/film.html",
  "www.4shared.com/video/aB-3dE6gH/film.html",
);
const AT_4SHARED = "4shared.com - free file sharing and storage";

tellOf("4shared", {
  urls: [
    "https://www.4shared.com/video/aB-3dE6gH/film.html",
    "https://4s.io/file/aB3dE6gH",
    "https://api.4SHARED.com/download/aB3dE6gH",
    "http://www.4shared-china.com/mp3/aB3dE6gH/a.html",
  ],
  rows: [
    shared(
      "a file",
      page('<html><head><meta name="title" content="film.mp4"></head><h1>film.mp4</h1></html>'),
      "active ok_service",
      { headers: { cookie: "4langcookie=en" } },
    ),
    shared(
      "gone",
      shows(AT_4SHARED, '<div class="warn">The file link that you requested is not valid.</div>'),
      "dead service_not_found C1",
    ),
    shared(
      "deleted",
      shows(AT_4SHARED, "<p>This file was deleted.</p>"),
      "dead service_deleted C1",
    ),
    shared(
      "deleted, without a dot",
      shows(AT_4SHARED, "<p>This file was deleted by its owner</p>"),
      "dead service_deleted C1",
    ),
    ...[
      "This file was deleted",
      "The file link that you requested is not valid",
      "This file is no longer available because of a claim",
    ].map((name) =>
      shared(
        `a file named ${name}`,
        page(`<meta name="title" content="${name}.mp4"><h1>${name}.mp4</h1>`),
        "active ok_service",
      ),
    ),
    shared(
      "claimed, as its like was",
      shows(AT_4SHARED, "<p>Sorry, it is identical to a file banned because of a claim.</p>"),
      "dead service_takedown C1",
    ),
    shared(
      "claimed by somebody",
      shows(AT_4SHARED, "<p>This file is no longer available because of a claim by ACME.</p>"),
      "dead service_takedown C1",
    ),
    shared(
      "for who knows the password",
      shows(AT_4SHARED, "<p>Please enter a password to access this file</p>"),
      "active ok_service_protected",
    ),
    shared(
      "on a server that rests",
      shows(AT_4SHARED, "<h1>Servers Upgrade</h1>"),
      "unknown service_unavailable",
    ),
    shared(
      "behind a limit",
      shows(AT_4SHARED, "<p>The download limit has been reached.</p>"),
      "unknown service_rate_limited",
    ),
    shared("on a page that is new", RENEWED, "unknown service_unrecognised"),
  ],
});

const megaup = rowsAt("https://megaup.net/1aB2c/a.rar", "megaup.net/1aB2c/a.rar");

tellOf("megaup", {
  urls: [
    "https://megaup.net/1aB2c/a.rar",
    "http://www.megaup.net/0123456789abcdef/a.rar",
    "https://MegaUp.net/",
  ],
  rows: [
    megaup(
      "a file",
      shows("a.rar - MegaUp", "<div>File: a.rar</div><div>Size: 1.23 GB</div>"),
      "active ok_service",
    ),
    megaup(
      "gone",
      shows(
        "Error - MegaUp",
        "<li>The file you are trying to download is no longer available!</li>",
      ),
      "dead service_deleted C1",
    ),
    megaup(
      "a file with the name of a lost one",
      shows(
        "x",
        "<h1>The file you are trying to download is no longer available!.rar</h1><p>Size: 1 GB</p>",
      ),
      "active ok_service",
    ),
    megaup("on a page that is new", RENEWED, "unknown service_unrecognised"),
    megaup("walled", challenge(), "unknown bot_challenge"),
  ],
});

const easyupload = rowsAt("https://easyupload.io/ab12cd", "easyupload.io/ab12cd");

tellOf("easyupload", {
  urls: [
    "https://easyupload.io/ab12cd",
    "https://www.easyupload.io/m/ab12cd",
    "https://EasyUpload.io/faq",
  ],
  rows: [
    easyupload(
      "a file",
      shows("a.zip", "<h4>a.zip</h4><p>Size: 12.3 MB | Expires in 3 days</p>"),
      "active ok_service",
    ),
    easyupload(
      "several files",
      shows("Files", '<div class="col s1"><a class="turbo" data-url="cd12ab">a.zip</a></div>'),
      "active ok_service",
    ),
    easyupload(
      "gone",
      shows("Easyupload", "<h4>FILE NOT FOUND</h4><p>It has expired or was deleted.</p>"),
      "dead service_not_found C1",
    ),
    easyupload(
      "a file with the name of a lost one",
      shows("a.zip", "<h4>File Not Found.mp4</h4><p>Size: 12.3 MB</p>"),
      "active ok_service",
    ),
    easyupload(
      "for who knows the password",
      shows("a.zip", "<h4>a.zip</h4><p>Size: 12.3 MB | Password Protected</p>"),
      "active ok_service_protected",
    ),
    easyupload("on a page that is new", RENEWED, "unknown service_unrecognised"),
  ],
});

const uploadEe = rowsAt(
  "http://upload.ee/files/1234567/my_a.zip.html",
  "www.upload.ee/files/1234567/my_a.zip.html",
);

tellOf("upload-ee", {
  urls: [
    "https://www.upload.ee/files/1234567/my_a.zip.html",
    "http://upload.ee/files/1234567/a.zip.html",
    "https://UPLOAD.ee/",
  ],
  rows: [
    uploadEe(
      "a file",
      shows("my_a.zip", "<p>File: <b>my_a.zip</b><br>Size: 1 MB</p>"),
      "active ok_service",
      {
        asked: ["GET https://www.upload.ee/files/1234567/my_a.zip.html"],
        headers: { cookie: "lng=eng" },
      },
    ),
    uploadEe(
      "a file with a title",
      shows("UPLOAD.EE - Download my_a.zip", "<p>my_a.zip</p>"),
      "active ok_service",
    ),
    uploadEe(
      "gone",
      shows("UPLOAD.EE", "<p>There is no such file.</p>"),
      "dead service_not_found C1",
    ),
    uploadEe(
      "gone by its title",
      shows("UPLOAD.EE - File does not exist", "<p>Sorry.</p>"),
      "dead service_not_found C1",
    ),
    uploadEe(
      "deleted",
      shows("UPLOAD.EE", "<p>File was deleted by user.</p>"),
      "dead service_deleted C1",
    ),
    uploadEe(
      "deleted by itself",
      shows("UPLOAD.EE", "<p>File was deleted automatically.</p>"),
      "dead service_expired C1",
    ),
    ...[
      "File was deleted by user",
      "File was deleted automatically",
      "There is no such file",
    ].flatMap((name) => [
      uploadEe(
        `a file named ${name}`,
        shows("x", `<p>File: <b>${name}.mp4</b></p>`),
        "active ok_service",
      ),
      uploadEe(
        `a title with a file named ${name}`,
        shows(`UPLOAD.EE - Download ${name}.mp4`, `<b>${name}.mp4</b>`),
        "active ok_service",
      ),
    ]),
    uploadEe(
      "a file that calls itself lost",
      shows("UPLOAD.EE - File does not exist.mp4", "<p>File: <b>a.mp4</b></p>"),
      "active ok_service",
    ),
    uploadEe(
      "unasked for too long",
      shows(
        "UPLOAD.EE",
        "<p>File was deleted automatically because of long time after last downloads.</p>",
      ),
      "dead service_expired C1",
    ),
    uploadEe("on a page that is new", RENEWED, "unknown service_unrecognised"),
  ],
});

const filestore = rowsAt("https://filestore.to/?d=AB12CD34EF", "filestore.to/?d=AB12CD34EF");
const alerts = (message: string) =>
  shows(
    "FileStore.to",
    `<div class="alert alert-danger page-alert mb-2"><strong>${message}</strong></div>`,
  );

tellOf("filestore-to", {
  urls: [
    "https://filestore.to/?d=AB12CD34EF",
    "http://www.filestore.to/?d=AB12CD34EF",
    "https://FileStore.to/",
  ],
  rows: [
    filestore(
      "a file",
      shows("FileStore.to", '<div class="file">a.zip</div><div class="size">1,2 MB</div>'),
      "active ok_service",
    ),
    filestore("gone", alerts("Datei nicht gefunden"), "dead service_not_found C1"),
    filestore(
      "gone in other words",
      alerts(
        "Fehler</strong>Entweder wurde die Datei von unseren Servern entfernt oder der Download-Link war falsch.<strong>",
      ),
      "dead service_not_found C1",
    ),
    ...[
      "Datei nicht gefunden",
      "Datei gesperrt",
      "Für diese Datei ist eine Take Down-Meldung eingegangen",
    ].map((name) =>
      filestore(
        `a file named ${name}`,
        shows("FileStore.to", `<div class="file">${name}.zip</div>`),
        "active ok_service",
      ),
    ),
    filestore("banned", alerts("Datei gesperrt"), "dead service_deleted C1"),
    filestore(
      "taken down",
      alerts("Für diese Datei ist eine Take Down-Meldung eingegangen"),
      "dead service_takedown C1",
    ),
    filestore(
      "for whom there is a slot",
      alerts("Leider sind aktuell keine freien Downloadslots für Freeuser verfügbar"),
      "active ok_service_protected",
    ),
    filestore("new", alerts("Datei noch nicht bereit"), "unknown service_processing"),
    filestore(
      "on a server that rests",
      alerts("Derzeit haben wir Serverprobleme und arbeiten daran."),
      "unknown service_unavailable",
    ),
    filestore("behind a limit", to("/error/limit"), "unknown service_rate_limited", {
      web: { "filestore.to/error/limit": RENEWED },
    }),
    filestore("on a page that is new", RENEWED, "unknown service_unrecognised"),
  ],
});

const fileUpload = rowsAt(
  "https://www.file-upload.net/download-12345678/a.zip.html",
  "www.file-upload.net/download-12345678/a.zip.html",
);

tellOf("file-upload-net", {
  urls: [
    "https://www.file-upload.net/download-12345678/a.zip.html",
    "http://en.file-upload.net/view-12345678/a.jpg.html",
    "https://File-Upload.net/en/download-12345678/a.zip.html",
  ],
  rows: [
    fileUpload(
      "a file",
      shows("File-Upload.net - a.zip", "<h1 class='dateiname'>a.zip</h1>"),
      "active ok_service",
    ),
    fileUpload(
      "gone",
      shows("File-Upload.net - Fehler", "<h1>Datei existiert nicht!</h1>"),
      "dead service_not_found C1",
    ),
    fileUpload("gone, and leads home", to("/"), "dead service_not_found C2", {
      web: { "www.file-upload.net/": shows("File-Upload.net - Ihr File Hoster", "<h1>Hallo</h1>") },
    }),
    fileUpload(
      "a file with the name of a lost one",
      shows("File-Upload.net - x", "<h1 class='dateiname'>Datei existiert nicht.zip</h1>"),
      "active ok_service",
    ),
    fileUpload(
      "leading to another site",
      to("https://block.example.net/notice"),
      ELSEWHERE,
      BLOCKED,
    ),
    fileUpload("on a page that is new", RENEWED, "unknown service_unrecognised"),
    fileUpload("walled", challenge(), "unknown bot_challenge"),
  ],
});

const fastshare = rowsAt("https://fastshare.cz/1234567/film.avi", "fastshare.cz/1234567/film.avi");
const AT_FASTSHARE = "FastShare.cz";

tellOf("fastshare", {
  urls: [
    "https://fastshare.cz/1234567/film.avi",
    `https://www.fastshare.cloud/${ID}`,
    "https://FASTSHARE.live/1234567/film.avi",
    "https://netshare.cz/1234567/film.avi",
  ],
  rows: [
    fastshare(
      "a file",
      shows("film.avi | FastShare.cz", '<h2 title="film.avi" class="section_title">film.avi</h2>'),
      "active ok_service",
      { headers: { cookie: "lang=en" } },
    ),
    fastshare(
      "gone",
      shows(AT_FASTSHARE, "<p>Requested page not found.</p>"),
      "dead service_not_found C1",
    ),
    fastshare(
      "deleted",
      shows(AT_FASTSHARE, "<p>The file has been deleted.</p>"),
      "dead service_deleted C1",
    ),
    fastshare(
      "deleted, as it is said in Czech",
      shows(AT_FASTSHARE, "<p> Soubor byl smazán.</p>"),
      "dead service_deleted C1",
    ),
    ...["Requested page not found", "The file has been deleted"].map((name) =>
      fastshare(
        `a file named ${name}`,
        shows("x", `<h2 title="${name}.avi">${name}.avi</h2>`),
        "active ok_service",
      ),
    ),
    fastshare(
      "claimed by somebody",
      shows(
        AT_FASTSHARE,
        "<p>Tento soubor byl smazán na základě požadavku vlastníka autorských práv.</p>",
      ),
      "dead service_takedown C1",
    ),
    fastshare(
      "for whom there is a slot",
      shows(AT_FASTSHARE, "<p> 100% of FREE slots are full</p>"),
      "active ok_service_protected",
    ),
    fastshare("on a page that is new", RENEWED, "unknown service_unrecognised"),
  ],
});

const emload = rowsAt(
  "https://www.emload.com/v2/file/aB3-dE6_g/a.rar",
  "www.emload.com/v2/file/aB3-dE6_g/a.rar",
);

tellOf("emload", {
  urls: [
    "https://www.emload.com/v2/file/aB3-dE6_g/a.rar",
    "https://wdupload.com/file/aB3dE6g",
    "https://EMLOAD.al/file/aB3dE6g",
  ],
  rows: [
    emload(
      "a file",
      shows("Emload", '<h5 class="filename wordwrap">a.rar</h5>'),
      "active ok_service",
    ),
    emload(
      "gone",
      shows("Emload", "<p>The file has been removed because of its age.</p>"),
      "dead service_deleted C2",
    ),
    emload(
      "gone, in other words",
      shows("Emload", "<p>Sorry, your file is no longer available</p>"),
      "dead service_deleted C2",
    ),
    emload(
      "a file with common questions",
      shows("Emload", '<h5 class="filename wordwrap">a.rar</h5><p>It is no longer available?</p>'),
      "active ok_service",
    ),
    emload(
      "a file with the name of a lost one, on a page that is new",
      shows("Emload", "<h1>It is no longer available.mp4</h1>"),
      ELSEWHERE,
    ),
    emload(
      "for paying users",
      shows("Emload", "<p>This link is for premium only user</p>"),
      "active ok_service_protected",
    ),
    emload(
      "behind a limit",
      shows("Emload", "<h3>Your bandwidth quota exceeded</h3>"),
      "unknown service_rate_limited",
    ),
    emload("on a page that is new", RENEWED, "unknown service_unrecognised"),
  ],
});

const filebin = rowsAt("https://filebin.net/qr/ab12cd34ef56gh78", "filebin.net/ab12cd34ef56gh78");

tellOf("filebin", {
  urls: [
    "https://filebin.net/ab12cd34ef56gh78",
    "https://www.filebin.net/qr/ab12cd34ef56gh78",
    "https://FileBin.net/ab12cd34ef56gh78/a.zip",
  ],
  rows: [
    filebin(
      "a bin",
      shows("Filebin", '<dl><dt>Total size</dt><dd class="col-sm-9">1 kB (1024 bytes)</dd></dl>'),
      "active ok_service",
      { asked: ["GET https://filebin.net/ab12cd34ef56gh78"] },
    ),
    filebin(
      "a bin with a file",
      shows("Filebin", '<table><td><a href="/ab12cd34ef56gh78/a.zip">a.zip</a></td></table>'),
      "active ok_service",
    ),
    filebin("empty", shows("Filebin", "<p>This bin is empty.</p>"), "dead service_not_found C2"),
    filebin(
      "a bin with a file of such a name",
      shows("Filebin", '<a href="/ab12cd34ef56gh78/x">This bin is empty.txt</a>'),
      "active ok_service",
    ),
    filebin("gone", 404, "dead http_404 C2"),
    filebin(
      "at rest",
      shows("Filebin", "<h1>Sorry, Filebin is currently down</h1>"),
      "unknown service_unavailable",
    ),
    filebin("on a page that is new", RENEWED, "unknown service_unrecognised"),
  ],
});

const catbox = rowsAt("https://files.catbox.moe/8ih3y7.png", "files.catbox.moe/8ih3y7.png");
const litterbox = rowsAt("https://litter.catbox.moe/t8v3n9.png", "litter.catbox.moe/t8v3n9.png");
const catboxAlbum = rowsAt("https://catbox.moe/c/1igcbe", "catbox.moe/c/1igcbe");

tellOf("catbox", {
  urls: [
    "https://files.catbox.moe/8ih3y7.png",
    "https://litter.catbox.moe/t8v3n9.png",
    "https://www.CATBOX.moe/c/1igcbe",
  ],
  rows: [
    catbox("a file", file("image/png"), "active ok"),
    catbox("gone", 404, "dead http_404 C2"),
    catbox("on a server in trouble", 502, "unknown http_502"),
    litterbox("there for some days", file("image/png"), "active ok"),
    litterbox("past its days", 404, "dead service_expired C2"),
    catboxAlbum(
      "an album",
      shows("Catbox", '<h1>test</h1><a href="https://files.catbox.moe/8ih3y7.png">1</a>'),
      "active ok_service",
    ),
    catboxAlbum("no album", RENEWED, "unknown service_unrecognised"),
  ],
});

const tempSh = rowsAt("https://temp.sh/aBcDe/a.zip", "temp.sh/aBcDe/a.zip");

tellOf("temp-sh", {
  urls: ["https://temp.sh/aBcDe/a.zip", "http://www.temp.sh/aBcDe/a.zip", "https://TEMP.sh/"],
  rows: [
    tempSh(
      "a file",
      shows("a.zip", "<table><tr><th>File Size</th><td>1 MB</td></tr></table>"),
      "active ok",
    ),
    tempSh("gone", 404, "dead http_404 C2"),
    tempSh("gone or in trouble", 500, "unknown unconfirmed (service_not_found in 24 hours)"),
    tempSh("on a server in other trouble", 502, "unknown http_502"),
  ],
});

const transferSh = rowsAt("https://transfer.sh/aBcDeF/a.zip", "transfer.sh/aBcDeF/a.zip");

tellOf("transfer-sh", {
  urls: [
    "https://transfer.sh/aBcDeF/a.zip",
    "https://www.transfer.sh/get/aBcDeF/a.zip",
    "https://TRANSFER.sh/",
  ],
  rows: [
    transferSh("a file", shows("a.zip", "<p>size: <b>1,024</b> bytes</p>"), "active ok"),
    transferSh("gone", 404, "dead http_404 C2"),
    transferSh("for members", 401, "unknown http_401"),
    transferSh("on a server in trouble", 500, "unknown http_500"),
  ],
});

const VIKING_API = "vikingfile.com/api/check-file";
const VIKING_PAGE = "vikingfile.com/f/TPRSfLvcIu";
const viking = rowsAt("https://vikingfile.com/f/TPRSfLvcIu", VIKING_API);

tellOf("vikingfile", {
  urls: [
    "https://vikingfile.com/f/TPRSfLvcIu",
    "https://www.vikingfile.com/f/TPRSfLvcIu",
    "https://VIKINGF1LE.us.to/f/TPRSfLvcIu",
  ],
  rows: [
    viking("a file", json([{ exist: true, name: "a.zip", size: 12345 }]), "active ok_service", {
      asked: [`POST https://${VIKING_API} hash%5B%5D=TPRSfLvcIu`],
    }),
    viking("a file told alone", json({ exist: true, name: "a.zip" }), "active ok_service"),
    viking("gone", json([{ exist: false }]), "dead service_not_found C1"),
    viking(
      "told of as two",
      json([{ exist: false }, { exist: false }]),
      "unknown service_probe_failed",
      { web: { [VIKING_PAGE]: RENEWED } },
    ),
    viking("gone, told alone", json({ exist: false }), "dead service_not_found C1"),
    viking(
      "a file of a silent service",
      shows("ViKiNG FiLE", "<h1>API</h1>", 500),
      "active ok_service",
      { web: { [VIKING_PAGE]: shows("ViKiNG FiLE", '<p id="filename">a.zip</p>') } },
    ),
    viking("gone from a silent service", 500, "dead http_404 C2", { web: { [VIKING_PAGE]: 404 } }),
    viking("behind walls", challenge(), "unknown service_probe_failed", {
      web: { [VIKING_PAGE]: RENEWED },
    }),
  ],
});

test("One refusal of vikingfile to a question about several files is none about each", async () => {
  const web = await startPlayedWeb(["vikingfile.com"]);
  web.play({
    [VIKING_API]: async (request) => {
      const { length } = new URLSearchParams(await request.text()).getAll("hash[]");
      return json(length > 1 ? { exist: false } : [{ exist: true }]);
    },
  });
  const { checker } = checkerThrough(web);
  const urls = ["https://vikingfile.com/f/TPRSfLvcIu", "https://vikingfile.com/f/aB3dE6gH9j"];

  const seen = await Promise.all(urls.map((url) => checkUrl(checker, { ...NEVER_CHECKED, url })));

  expect(seen.map(({ reason }) => reason)).toEqual(["ok_service", "ok_service"]);
  expect(web.requests()).toHaveLength(3);
  await web.stop();
});

const uploadhaven = rowsAt(
  `https://uploadhaven.com/download/${ID}`,
  `uploadhaven.com/download/${ID}`,
);

tellOf("uploadhaven", {
  urls: [
    `https://uploadhaven.com/download/${ID}`,
    `http://www.uploadhaven.com/download/${ID}`,
    "https://UploadHaven.com/",
  ],
  rows: [
    uploadhaven(
      "a file",
      shows("UploadHaven", "<h5>Download file - a.zip</h5>"),
      "active ok_service",
    ),
    uploadhaven("gone", 404, "dead http_404 C2"),
    uploadhaven("gone, and leads home", to("/"), "dead service_not_found C2", {
      web: { "uploadhaven.com/": RENEWED },
    }),
    uploadhaven(
      "a file with its name before a break",
      shows("UploadHaven", "<p>File: a.zip<br>Size: 1 MB</p>"),
      "active ok_service",
    ),
    uploadhaven(
      "leading to another site",
      to("https://block.example.net/notice"),
      ELSEWHERE,
      BLOCKED,
    ),
    uploadhaven(
      "for visitors of another site",
      shows("UploadHaven", "<h3>Hotlink protection active</h3>"),
      "unknown service_private",
    ),
    uploadhaven("on a page that is new", RENEWED, "unknown service_unrecognised"),
    uploadhaven("walled", challenge(), "unknown bot_challenge"),
  ],
});

const modsfire = rowsAt("https://modsfire.com/aB3dE6gH9jK1mN4", "modsfire.com/aB3dE6gH9jK1mN4");

tellOf("modsfire", {
  urls: [
    "https://modsfire.com/aB3dE6gH9jK1mN4",
    "https://www.modsfire.com/aB3dE6gH9jK1mN4",
    "https://ModsFire.com/register",
  ],
  rows: [
    modsfire(
      "a file",
      shows("Download file mod.zip", '<a href="/download/aB3dE6gH9jK1mN4">Download</a>'),
      "active ok_service",
    ),
    modsfire("gone", 404, "dead http_404 C2"),
    modsfire("gone, and leads home", to("/"), "dead service_not_found C2", {
      web: { "modsfire.com/": RENEWED },
    }),
    modsfire("leading to another site", to("https://block.example.net/notice"), ELSEWHERE, BLOCKED),
    modsfire("leading to a page of its own", to("/maintenance"), ELSEWHERE, {
      web: { "modsfire.com/maintenance": RENEWED },
    }),
    modsfire("on a page that is new", RENEWED, "unknown service_unrecognised"),
    modsfire("walled", challenge(), "unknown bot_challenge"),
  ],
});

const bunkr = rowsAt("https://bunkr.si/f/aB3dE6gH9jK1m", "bunkr.si/f/aB3dE6gH9jK1m");
const bunkrAlbum = rowsAt("https://bunkr.cr/a/Lktg9Keq", "bunkr.cr/a/Lktg9Keq");
const bunkrMedia = rowsAt(
  "https://cdn12.bunkr.ru/film-aB3dE6gH.mp4",
  "cdn12.bunkr.ru/film-aB3dE6gH.mp4",
);

tellOf("bunkr", {
  urls: [
    "https://bunkr.si/f/aB3dE6gH9jK1m",
    "https://www.bunkrr.su/a/Lktg9Keq",
    "https://cdn12.bunkr.ru/film-aB3dE6gH.mp4",
    "https://BUNKRRR.org/a/Lktg9Keq",
  ],
  rows: [
    bunkr(
      "a file",
      shows("film.mp4", '<h1>film.mp4</h1><a href="https://get.bunkrr.su/file/1234">Download</a>'),
      "active ok_service",
    ),
    bunkr(
      "a file with a number",
      shows("film.mp4", '<h1>film.mp4</h1><video data-file-id="1234"></video>'),
      "active ok_service",
    ),
    bunkr("gone", 404, "dead http_404 C2"),
    bunkr("behind a guard", 403, "unknown http_403"),
    bunkr(
      "on a server that rests",
      shows("Bunkr", '<h1>film.mp4</h1><span data-file-id="1">Server under maintenance</span>'),
      "unknown service_unavailable",
    ),
    bunkr(
      "not to be had for now",
      shows("Bunkr", '<i data-file-id="1"></i><div class="down_disabled">Not now</div>'),
      "unknown service_unavailable",
    ),
    bunkr("on a page that is new", RENEWED, "unknown service_unrecognised"),
    bunkrAlbum(
      "an album",
      shows("test", "<h1>test</h1><script>window.albumFiles = [{ id: 1234 }];</script>"),
      "active ok_service",
    ),
    bunkrAlbum("an album that is gone", 404, "dead http_404 C2"),
    bunkrAlbum("an album that is new", RENEWED, "unknown service_unrecognised"),
    bunkrMedia("a file of its own", file("video/mp4"), "active ok"),
    bunkrMedia(
      "replaced while its server rests",
      to("https://bnkr.b-cdn.net/maintenance-vid.mp4"),
      "unknown service_unavailable",
      { web: { "bnkr.b-cdn.net/maintenance-vid.mp4": file("video/mp4") } },
    ),
  ],
});

const afh = rowsAt(
  "https://androidfilehost.com/?fid=1234567890123456789",
  "androidfilehost.com/?fid=1234567890123456789",
);

tellOf("androidfilehost", {
  urls: [
    "https://androidfilehost.com/?fid=1234567890123456789",
    "https://www.androidfilehost.com/?fid=1234567890123456789",
    "https://AndroidFileHost.com/?w=files&flid=1234",
  ],
  rows: [
    afh(
      "a file",
      shows("rom.zip", '<input type="hidden" name="filename" id="filename" value="rom.zip">'),
      "active ok_service",
    ),
    afh("gone", shows("AFH", "<h3>404 not found</h3>"), "dead service_not_found C2"),
    afh(
      "gone, after a word",
      shows("AFH", "<h3>Error: 404 not found.</h3>"),
      "dead service_not_found C2",
    ),
    ...["File Not Found.mp4", "404 not found"].map((name) =>
      afh(
        `a file named ${name}`,
        shows(name, `<h1>${name}</h1><input id="filename" value="${name}">`),
        "active ok_service",
      ),
    ),
    afh(
      "a name of a lost file on a page that is new",
      shows("AFH", "<h1>File Not Found.mp4</h1>"),
      ELSEWHERE,
    ),
    afh("not for all", shows("AFH", "<h3>access denied</h3>"), "unknown service_private"),
    afh("on a page that is new", RENEWED, "unknown service_unrecognised"),
    afh("walled", challenge(), "unknown bot_challenge"),
  ],
});
