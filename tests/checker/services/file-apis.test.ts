import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { checkUrl } from "../../../server/verdict/confirm.ts";
import { NEVER_CHECKED } from "../../../server/verdict/look.ts";
import { challenge, json, page, startPlayedWeb, text, to, type Web } from "./played-web.ts";
import { checkerThrough, type Row, tellOf } from "./told.ts";

/** A page as those see it who ask for English. */
const inEnglish =
  (cookie: string, html: string) =>
  ({ headers }: Request) =>
    page(
      headers.get("Cookie") === cookie ? html : "<title>Téléchargement</title><h1>Bienvenue</h1>",
    );

const FICHIER = "https://1fichier.com/?k3v8m2x9qp7w1z5r4t6y";
const FICHIER_CHECKER = "1fichier.com/check_links.pl";

const fichierPage = (html: string): Web => ({
  [FICHIER_CHECKER]: page("<h1>Software error:</h1>", 500),
  "1fichier.com/": inEnglish("LG=en", `<title>1fichier.com</title><div id="content">${html}</div>`),
});

tellOf("1fichier", {
  urls: [
    FICHIER,
    "https://www.1fichier.com/?k3v8m2x9qp&lg=en",
    "http://k3v8m2x9qp.1fichier.com/",
    "https://Alterupload.com/?k3v8m2x9qp",
    "https://1fichier.com/dir/AbCd1234",
    "https://desfichiers.net/?k3v8m2x9qp",
    "https://mesfichiers.org/?k3v8m2x9qp",
  ],
  rows: [
    {
      what: "a file",
      url: `${FICHIER}&af=62851`,
      web: { [FICHIER_CHECKER]: text(`${FICHIER};holiday.part1.rar;1048576\n`) },
      seen: "active ok_service",
      asked: [
        "POST https://1fichier.com/check_links.pl links%5B%5D=https%3A%2F%2F1fichier.com%2F%3Fk3v8m2x9qp7w1z5r4t6y",
      ],
    },
    {
      what: "a file that is there under another domain only",
      url: "https://www.alterupload.com/?k3v8m2x9qp",
      web: { [FICHIER_CHECKER]: text("https://alterupload.com/?k3v8m2x9qp;holiday.rar;1048576\n") },
      seen: "active ok_service",
      asked: [
        "POST https://1fichier.com/check_links.pl links%5B%5D=https%3A%2F%2Falterupload.com%2F%3Fk3v8m2x9qp",
      ],
    },
    {
      what: "a file with its id in the name of the host",
      url: "http://k3v8m2x9qp.1fichier.com/",
      web: { [FICHIER_CHECKER]: text("https://1fichier.com/?k3v8m2x9qp;holiday.rar;1048576\n") },
      seen: "active ok_service",
      asked: [
        "POST https://1fichier.com/check_links.pl links%5B%5D=https%3A%2F%2F1fichier.com%2F%3Fk3v8m2x9qp",
      ],
    },
    {
      what: "a file that not everybody may have",
      url: FICHIER,
      web: { [FICHIER_CHECKER]: text(`${FICHIER};;;PRIVATE\n`) },
      seen: "active ok_service_protected",
    },
    {
      what: "gone",
      url: FICHIER,
      web: { [FICHIER_CHECKER]: text(`${FICHIER};;;NOT FOUND\n`) },
      seen: "dead service_not_found C1",
    },
    {
      what: "a link that never led anywhere",
      url: FICHIER,
      web: { [FICHIER_CHECKER]: text(`${FICHIER};;;BAD LINK\n`) },
      seen: "dead service_not_found C1",
    },
    {
      what: "a file named like an error",
      url: FICHIER,
      web: { [FICHIER_CHECKER]: text(`${FICHIER};NOT FOUND.mp3;4096\n`) },
      seen: "active ok_service",
    },
    {
      what: "a list without it, and a page with it",
      url: FICHIER,
      web: {
        ...fichierPage(
          '<table><td class="normal"><span style="font-weight:bold">holiday.rar</span></td></table>',
        ),
        [FICHIER_CHECKER]: text("https://1fichier.com/?another0id;other.rar;1\n"),
      },
      seen: "active ok_service",
      asked: [
        "POST https://1fichier.com/check_links.pl links%5B%5D=https%3A%2F%2F1fichier.com%2F%3Fk3v8m2x9qp7w1z5r4t6y",
        `GET ${FICHIER}`,
      ],
    },
    {
      what: "a page of a deleted file",
      url: FICHIER,
      web: fichierPage("<h3>The requested file has been deleted following an abuse request.</h3>"),
      seen: "dead service_deleted C1",
    },
    {
      what: "a page of no file",
      url: FICHIER,
      web: fichierPage("<h3>File not found !</h3>"),
      seen: "dead service_not_found C1",
    },
    {
      what: "a page of a file that does not exist",
      url: FICHIER,
      web: fichierPage("<p>The requested file does not exist</p>"),
      seen: "dead service_not_found C1",
    },
    ...[
      "This file is protected",
      "Access to this file is protected",
      "This is not possible to unregistered users",
    ].map((phrase) => ({
      what: `a page that says "${phrase}"`,
      url: FICHIER,
      web: fichierPage(`<div class="ct_warn">${phrase}.</div>`),
      seen: "active ok_service_protected",
    })),
    ...[
      "Free download is temporarily limited due to high demand",
      "Without subscription, you can only download one file at a time",
    ].map((phrase) => ({
      what: `a page that says "${phrase}"`,
      url: FICHIER,
      web: fichierPage(`<div class="ct_warn">${phrase}.</div>`),
      seen: "unknown service_rate_limited",
    })),
    ...["File not found !", "The requested file has been deleted"].map((name) => ({
      what: `a page of a file named ${name}`,
      url: FICHIER,
      web: fichierPage(
        `<table><td class="normal"><span style="font-weight:bold">${name}.rar</span></td></table>`,
      ),
      seen: "active ok_service",
    })),
    {
      what: "closed for repairs",
      url: FICHIER,
      web: fichierPage("<p>Our services are in maintenance. Please come back after 10:00.</p>"),
      seen: "unknown service_unavailable",
    },
    {
      what: "a page that says nothing",
      url: FICHIER,
      web: fichierPage("<h1>Cloud storage</h1>"),
      seen: "unknown service_probe_failed",
    },
  ],
});

const NITRO = "https://nitroflare.com/view/A1B2C3D4E5F6A7B/holiday.rar";
const NITRO_API = "nitroflare.com/api/v2/getFileInfo";
const NITRO_PAGE = "nitroflare.com/view/A1B2C3D4E5F6A7B/holiday.rar";

const nitroFiles = (files: unknown) => json({ type: "success", result: { files } });
const nitroFile = (told: object) =>
  nitroFiles({ A1B2C3D4E5F6A7B: { name: "holiday.rar", size: "1048576", ...told } });
const nitroPage = (html: string): Web => ({
  [NITRO_API]: page("<title>Database error</title><h1>Oops</h1>", 500),
  [NITRO_PAGE]: `<title>NitroFlare - Upload Files</title><div id="view">${html}</div>`,
});

tellOf("nitroflare", {
  urls: [
    NITRO,
    "https://www.nitroflare.net/view/A1B2C3D4E5F6A7B",
    "https://nitro.download/watch/A1B2C3D4E5F6A7B",
  ],
  rows: [
    {
      what: "a file",
      url: NITRO,
      web: { [NITRO_API]: nitroFile({ status: "online", premiumOnly: false, password: null }) },
      seen: "active ok_service",
      asked: ["GET https://nitroflare.com/api/v2/getFileInfo?files=A1B2C3D4E5F6A7B"],
    },
    {
      what: "a film under another name",
      url: "https://nitro.download/watch/A1B2C3D4E5F6A7B",
      web: { [NITRO_API]: nitroFile({ status: "online" }) },
      seen: "active ok_service",
    },
    {
      what: "a file with a password",
      url: NITRO,
      web: { [NITRO_API]: nitroFile({ status: "online", password: "yes" }) },
      seen: "active ok_service_protected",
    },
    {
      what: "a file for those who pay",
      url: NITRO,
      web: { [NITRO_API]: nitroFile({ status: "online", premiumOnly: true }) },
      seen: "active ok_service_protected",
    },
    {
      what: "deleted",
      url: NITRO,
      web: {
        [NITRO_API]: nitroFile({ status: "offline", premiumOnly: true, password: "yes" }),
      },
      seen: "dead service_deleted C1",
    },
    {
      what: "unknown to it",
      url: NITRO,
      web: { [NITRO_API]: nitroFiles([]) },
      seen: "dead service_not_found C2",
    },
    {
      what: "an error that names no file",
      url: NITRO,
      web: {
        ...nitroPage("<h1>Upload files</h1>"),
        [NITRO_API]: json({ type: "error", result: { files: [] } }, 500),
      },
      seen: "unknown service_probe_failed",
    },
    {
      what: "closed for repairs",
      url: NITRO,
      web: { [NITRO_API]: text("In these moments we are upgrading the site system.") },
      seen: "unknown service_unavailable",
    },
    {
      what: "a page of a file, where the API fails",
      url: NITRO,
      web: nitroPage('<b>File Name: </b><span title="holiday.rar">holiday.rar</span>'),
      seen: "active ok_service",
    },
    {
      what: "a page of a file for those who pay, where the API fails",
      url: NITRO,
      web: nitroPage("<p>This file is available with Premium only.</p>"),
      seen: "active ok_service_protected",
    },
    ...["File doesn't exist", "This file has been removed"].map((name) => ({
      what: `a page of a file named ${name}, where the API fails`,
      url: NITRO,
      web: nitroPage(`<b>File Name: </b><span title="${name}.rar">${name}.rar</span>`),
      seen: "active ok_service",
    })),
    {
      what: "a page of a removed file, where the API fails",
      url: NITRO,
      web: nitroPage("<p>This file has been removed by its owner</p>"),
      seen: "dead service_deleted C1",
    },
    {
      what: "a page of no file, where the API fails",
      url: NITRO,
      web: nitroPage("<p>File doesn't exist</p>"),
      seen: "dead service_not_found C1",
    },
    {
      what: "a page that is closed for repairs",
      url: NITRO,
      web: nitroPage("<p>In these moments we are upgrading the site system.</p>"),
      seen: "unknown service_unavailable",
    },
    {
      what: "an answer without what was asked for, and a page that says nothing",
      url: NITRO,
      web: { ...nitroPage("<h1>Upload files</h1>"), [NITRO_API]: nitroFile({ status: "moved" }) },
      seen: "unknown service_probe_failed",
    },
    {
      what: "behind a wall",
      url: NITRO,
      web: { [NITRO_API]: challenge(), [NITRO_PAGE]: challenge() },
      seen: "unknown bot_challenge",
    },
  ],
});

const K2S_ID = "a1b2c3d4e5f60";

/** Keep2Share and its sisters have all but the name in common. */
function keep2shareRows(site: string, api: string): Row[] {
  const url = `https://${site}/file/${K2S_ID}/holiday.rar?site=example.org`;
  const list = `${api}/api/v2/GetFilesInfo`;
  const single = `${api}/api/v2/GetFileStatus`;
  const files = (...told: object[]) =>
    json({
      status: "success",
      code: 200,
      files: told.map((file) => ({ id: K2S_ID, name: "holiday.rar", ...file })),
    });
  const status = (told: object) => json({ status: "success", code: 200, ...told });
  const refused = (errorCode: number, code = 406) =>
    json({ status: "error", code, message: "No", errorCode }, code);
  const asksForMany = `POST https://${list} {"ids":["${K2S_ID}"],"extended_info":false}`;
  return [
    {
      what: "a file",
      url,
      web: { [list]: files({ is_available: true, access: "public" }) },
      seen: "active ok_service",
      asked: [asksForMany],
    },
    {
      what: "a file for those who pay",
      url,
      web: { [list]: files({ is_available: true, access: "premium" }) },
      seen: "active ok_service_protected",
    },
    {
      what: "a file that its owner keeps",
      url,
      web: { [list]: files({ is_available: true, access: "private" }) },
      seen: "unknown service_private",
    },
    {
      what: "deleted",
      url,
      web: { [list]: files({ is_available: false }) },
      seen: "dead service_deleted C1",
    },
    {
      what: "deleted, in another word",
      url,
      web: { [list]: files({ is_available: true, isDeleted: true }) },
      seen: "dead service_deleted C1",
    },
    {
      what: "unknown to it",
      url,
      web: { [list]: files({ name: null, is_available: false }) },
      seen: "dead service_not_found C1",
    },
    {
      what: "a folder under the address of a file",
      url,
      web: {
        [list]: files({ id: "b1b2c3d4e5f60", is_available: true }),
        [single]: status({ is_available: true, is_folder: true, name: "holidays" }),
      },
      seen: "active ok_service",
      asked: [asksForMany, `POST https://${single} {"id":"${K2S_ID}"}`],
    },
    {
      what: "a lost folder under the address of a file",
      url,
      web: { [list]: files({ id: "b1b2c3d4e5f60", is_available: true }), [single]: refused(20) },
      seen: "dead service_not_found C1",
    },
    {
      what: "refused alone as well",
      url,
      web: { [list]: refused(20) },
      seen: "dead service_not_found C1",
    },
    {
      what: "in a list without files, alone as well",
      url,
      web: { [list]: json({ status: "success", code: 200, files: [] }) },
      seen: "dead service_not_found C1",
      asked: [asksForMany],
    },
    {
      what: "a file that is told of without its id",
      url,
      web: { [list]: json({ status: "success", files: [{ is_available: true }] }) },
      seen: "active ok_service",
    },
    {
      what: "gone, and told of without its id",
      url,
      web: { [list]: json({ status: "success", files: [{ is_available: false }] }) },
      seen: "dead service_not_found C1",
    },
    {
      what: "blocked for a while",
      url,
      web: { [list]: refused(22) },
      seen: "unknown service_unavailable",
    },
    {
      what: "a list that refuses with no number",
      url,
      web: { [list]: json({ status: "error", code: 400, message: "No" }, 400) },
      seen: "unknown service_probe_failed",
    },
    {
      what: "a file under a longer id",
      url: `https://www.${site}/preview/info/Ab_1-2c3d4e5f6a7b`,
      web: {
        [list]: files({ is_available: true, requested_id: "Ab_1-2c3d4e5f6a7b" }),
      },
      seen: "active ok_service",
    },
    {
      what: "a folder",
      url: `https://${site}/folder/${K2S_ID}`,
      web: { [single]: status({ is_available: true, is_folder: true, files: [] }) },
      seen: "active ok_service",
      asked: [`POST https://${single} {"id":"${K2S_ID}"}`],
    },
    {
      what: "a folder that was deleted",
      url: `https://${site}/folder/${K2S_ID}`,
      web: { [single]: status({ is_available: false, is_folder: true, name: "holidays" }) },
      seen: "dead service_deleted C1",
    },
    {
      what: "a folder behind a wall",
      url: `https://${site}/folder/${K2S_ID}`,
      web: { [single]: challenge() },
      seen: "unknown service_probe_failed",
    },
    {
      what: "a folder that its owner keeps",
      url: `https://${site}/folder/${K2S_ID}`,
      web: { [single]: refused(10, 403) },
      seen: "unknown service_private",
    },
    {
      what: "a folder that is blocked for a while",
      url: `https://${site}/folder/${K2S_ID}`,
      web: { [single]: refused(22) },
      seen: "unknown service_unavailable",
    },
    {
      what: "asked for too often",
      url,
      web: { [list]: json({ status: "error", code: 429 }, 429) },
      seen: "unknown service_rate_limited",
    },
    {
      what: "behind a wall",
      url,
      web: { [list]: challenge() },
      seen: "unknown service_probe_failed",
    },
  ];
}

tellOf("keep2share", {
  urls: [
    "https://k2s.cc/file/a1b2c3d4e5f60",
    "https://WWW.keep2share.cc/",
    "https://keep2s.cc/f/a1b2c3d4e5f60",
  ],
  rows: keep2shareRows("k2s.cc", "keep2share.cc"),
});

tellOf("fileboom", {
  urls: [
    "https://fboom.me/file/a1b2c3d4e5f60",
    "https://fileboom.me/folder/a1b2c3d4e5f60",
    "http://www.fboom.me/",
  ],
  rows: keep2shareRows("fboom.me", "fileboom.me"),
});

tellOf("tezfiles", {
  urls: [
    "https://tezfiles.com/file/a1b2c3d4e5f60",
    "https://publish2.me/file/a1b2c3d4e5f60",
    "https://m.tezfiles.com/",
  ],
  rows: keep2shareRows("publish2.me", "tezfiles.com"),
});

const TURBOBIT = "https://turbobit.net/a1b2c3d4e5f6/holiday.part1.rar.html";
const TURBOBIT_CHECKER = "app.turbobit.net/api/links/check";
const TURBOBIT_PAGE = "turbobit.net/a1b2c3d4e5f6/holiday.part1.rar.html";

const turbobitPage = (html: string, title = "Turbobit.net"): Web => ({
  [TURBOBIT_CHECKER]: page("<h1>502 Bad Gateway</h1>", 502),
  [TURBOBIT_PAGE]: inEnglish(
    "user_lang=en",
    `<html><head><title>${title}</title></head><body><div class="content">${html}</div></body></html>`,
  ),
});

const TURBOBIT_COOKIES = {
  Cookie: "user_lang=en; site_version=2",
  "X-Requested-With": "XMLHttpRequest",
};

tellOf("turbobit", {
  urls: [
    TURBOBIT,
    "https://new.turbobit.net/download/free/a1b2c3d4e5f6",
    "https://turb.pw/a1b2c3d4e5f6.html",
    "http://Trbt.CC/a1b2c3d4e5f6.html",
    "https://turbo.to/a1b2c3d4e5f6.html",
    "https://m.turbobit.cc/",
  ],
  rows: [
    {
      what: "a file",
      url: TURBOBIT,
      web: {
        [TURBOBIT_CHECKER]: json([
          { id: "a1b2c3d4e5f6", name: "holiday.part1.rar", status: "active" },
        ]),
      },
      seen: "active ok_service",
      asked: [
        "POST https://app.turbobit.net/api/links/check links=https%3A%2F%2Fturbobit.net%2Fa1b2c3d4e5f6.html",
      ],
      headers: TURBOBIT_COOKIES,
    },
    {
      what: "a file under another name and address",
      url: "https://turb.pw/download/free/a1b2c3d4e5f6",
      web: { [TURBOBIT_CHECKER]: json([{ id: "a1b2c3d4e5f6", name: null, status: "active" }]) },
      seen: "active ok_service",
      asked: [
        "POST https://app.turbobit.net/api/links/check links=https%3A%2F%2Fturbobit.net%2Fa1b2c3d4e5f6.html",
      ],
    },
    {
      what: "gone",
      url: TURBOBIT,
      web: { [TURBOBIT_CHECKER]: json([{ id: "a1b2c3d4e5f6", name: null, status: "inactive" }]) },
      seen: "dead service_not_found C2",
    },
    {
      what: "a list without it, and a page with it",
      url: TURBOBIT,
      web: {
        ...turbobitPage(
          "<h1>Download</h1>",
          "Download file holiday.part1.rar (1,02 Gb) | Turbobit.net",
        ),
        [TURBOBIT_CHECKER]: json([]),
      },
      seen: "active ok_service",
    },
    ...[
      "<h2>File Not Found</h2>",
      '<div class="code-404">404</div>',
      "<script>$('#x').html('File was not found')</script>",
      "<p>It could possibly be deleted.</p>",
      "<p>Searching for the file...Please wait</p>",
    ].map((html) => ({
      what: `a page that says ${html.replace(/<[^>]+>/g, " ").trim()}`,
      url: TURBOBIT,
      web: turbobitPage(html),
      seen: "dead service_not_found C2",
    })),
    ...["File was not found", "It could possibly be deleted"].map((name) => ({
      what: `a page of a file named ${name}`,
      url: TURBOBIT,
      web: turbobitPage(
        `<h1>Download file ${name}.rar</h1>`,
        `Download file ${name}.rar (1,02 Gb) | Turbobit.net`,
      ),
      seen: "active ok_service",
    })),
    {
      what: "a file at an address without an ending",
      url: "https://turbobit.net/a1b2c3d4e5f6",
      web: { [TURBOBIT_CHECKER]: json([{ id: "a1b2c3d4e5f6", status: "active" }]) },
      seen: "active ok_service",
    },
    {
      what: "a page of its own",
      url: "https://turbobit.net/registration",
      web: { "turbobit.net/registration": "<title>Turbobit</title><h1>Join us</h1>" },
      seen: "active ok",
    },
    {
      what: "a page of another name than a file's, where the checker fails",
      url: TURBOBIT,
      web: turbobitPage("<h1>Loading</h1>", "Download files at once"),
      seen: "unknown service_probe_failed",
    },
    {
      what: "a page that is not there, where the checker fails",
      url: TURBOBIT,
      web: {
        [TURBOBIT_CHECKER]: text("Service Unavailable", 503),
        [TURBOBIT_PAGE]: 404,
        "turbobit.net/robots.txt": 404,
      },
      seen: "dead http_404 C2",
    },
  ],
});

const HITFILE = "https://hitfile.net/5kBLg8f";
const HITFILE_CHECKER = "app.hitfile.net/api/links/check";

tellOf("hitfile", {
  urls: [
    HITFILE,
    "https://www.hitfile.net/download/free/5kBLg8f",
    "https://hil.to/5kBLg8f",
    "https://m.HitFile.net/login",
  ],
  rows: [
    {
      what: "a file",
      url: "https://hil.to/5kBLg8f",
      web: { [HITFILE_CHECKER]: json([{ id: "5kBLg8f", name: "holiday.rar", status: "active" }]) },
      seen: "active ok_service",
      asked: [
        "POST https://app.hitfile.net/api/links/check links=https%3A%2F%2Fhitfile.net%2F5kBLg8f",
      ],
      headers: TURBOBIT_COOKIES,
    },
    {
      what: "gone",
      url: HITFILE,
      web: { [HITFILE_CHECKER]: json([{ id: "5kBLg8f", name: null, status: "inactive" }]) },
      seen: "dead service_not_found C2",
    },
    {
      what: "a page of a file, where the checker fails",
      url: HITFILE,
      web: {
        [HITFILE_CHECKER]: challenge(),
        "hitfile.net/5kBLg8f": inEnglish(
          "user_lang=en",
          '<p>You download: <span>holiday.rar</span> <span class="file-size">(1.02 Gb)</span></p>',
        ),
      },
      seen: "active ok_service",
    },
    {
      what: "a page of no file, where the checker fails",
      url: HITFILE,
      web: {
        [HITFILE_CHECKER]: 500,
        "hitfile.net/5kBLg8f": "<h1>File was deleted or not found</h1>",
      },
      seen: "dead service_not_found C1",
    },
    {
      what: "a page of a file with the name of a lost one, where the checker fails",
      url: HITFILE,
      web: {
        [HITFILE_CHECKER]: 500,
        "hitfile.net/5kBLg8f":
          '<p><span>File was deleted or not found.rar</span> <span class="file-size">(1.02 Gb)</span></p>',
      },
      seen: "active ok_service",
    },
    {
      what: "a page that says nothing, where the checker fails",
      url: HITFILE,
      web: {
        [HITFILE_CHECKER]: 500,
        "hitfile.net/5kBLg8f": "<title>Hitfile.net</title><h1>Hitfile</h1>",
      },
      seen: "unknown service_probe_failed",
    },
    {
      what: "a page of its own",
      url: "https://hitfile.net/premium",
      web: { "hitfile.net/premium": "<title>Premium</title><h1>Choose your plan</h1>" },
      seen: "active ok",
    },
  ],
});

const FIKPER = "https://fikper.com/0IvWjNbDYj/holiday.rar.html";
const FIKPER_API = "sapi.fikper.com/";

tellOf("fikper", {
  urls: [FIKPER, "https://www.fikper.com/0IvWjNbDYj", "https://fikper.com/login"],
  rows: [
    {
      what: "a file",
      url: FIKPER,
      web: {
        [FIKPER_API]: json({
          name: "holiday.rar",
          size: 1048576,
          password: false,
          delayTime: 60000,
        }),
      },
      seen: "active ok_service",
      asked: ["POST https://sapi.fikper.com/ fileHashName=0IvWjNbDYj"],
    },
    {
      what: "a file with a password",
      url: FIKPER,
      web: { [FIKPER_API]: json({ name: "holiday.rar", size: 1048576, password: true }) },
      seen: "active ok_service_protected",
    },
    {
      what: "a file for those who pay",
      url: FIKPER,
      web: {
        [FIKPER_API]: json(
          {
            code: 403,
            message:
              '{"message":"To download this file you should be premium user.","data":{"size":"1"}}',
          },
          403,
        ),
      },
      seen: "active ok_service_protected",
    },
    {
      what: "a file too big for those who do not pay",
      url: FIKPER,
      web: { [FIKPER_API]: json({ code: 403, message: "File size limit" }, 403) },
      seen: "active ok_service_protected",
    },
    {
      what: "gone",
      url: FIKPER,
      web: { [FIKPER_API]: json({ code: 404, message: "The file might be deleted." }, 404) },
      seen: "dead service_not_found C1",
    },
    {
      what: "gone, without a word",
      url: FIKPER,
      web: { [FIKPER_API]: json({ code: 404 }, 404) },
      seen: "dead service_not_found C1",
    },
    {
      what: "asked for where no route is",
      url: FIKPER,
      web: { [FIKPER_API]: json({ code: 404, message: "No such route" }, 404) },
      seen: "unknown service_probe_failed",
    },
    {
      what: "asked for elsewhere than before",
      url: FIKPER,
      web: { [FIKPER_API]: json({ code: 404, message: "Cannot POST /" }, 404) },
      seen: "unknown service_probe_failed",
    },
    {
      what: "asked for too often",
      url: FIKPER,
      web: { [FIKPER_API]: json({ code: 403, message: "Bandwidth limit." }, 403) },
      seen: "unknown service_rate_limited",
    },
    {
      what: "to be waited for",
      url: FIKPER,
      web: {
        [FIKPER_API]: json(
          { code: 405, message: '{"delay":7200000,"remainingDelay":"7189"}' },
          405,
        ),
      },
      seen: "unknown service_rate_limited",
    },
    {
      what: "behind a wall",
      url: FIKPER,
      web: { [FIKPER_API]: challenge() },
      seen: "unknown service_probe_failed",
    },
    {
      what: "a page of its own",
      url: "https://fikper.com/premium",
      web: { "fikper.com/premium": "<title>Premium</title><h1>Choose your plan</h1>" },
      seen: "active ok",
    },
  ],
});

const FILER = "https://filer.net/get/a1b2c3d4e5f6";
const FILER_FOLDER = "https://filer.net/folder/a1b2c3d4e5f6";
const FILER_API = "filer.net/api/status/a1b2c3d4e5f6.json";
const FILER_MANY = "filer.net/api/multi_status/a1b2c3d4e5f6.json";
const FILER_FOLDER_API = "filer.net/api/folder/a1b2c3d4e5f6";

const FILER_FILE = {
  file_hash: "a1b2c3d4e5f6",
  file_name: "holiday.rar",
  file_size: 1048576,
  premium_only: false,
};
const filer = (data: unknown, code: number | string = 200, status = "success") =>
  json({ code, status, data });

tellOf("filer-net", {
  urls: [
    FILER,
    "https://www.filer.net/dl/a1b2c3d4e5f6",
    "http://filer.net/app.php/get/a1b2c3d4e5f6",
    FILER_FOLDER,
  ],
  rows: [
    {
      what: "a file",
      url: "https://filer.net/app.php/dl/a1b2c3d4e5f6",
      web: { [FILER_API]: filer(FILER_FILE) },
      seen: "active ok_service",
      asked: ["GET https://filer.net/api/status/a1b2c3d4e5f6.json"],
    },
    {
      what: "a file for those who pay",
      url: FILER,
      web: { [FILER_API]: filer({ ...FILER_FILE, premium_only: true }) },
      seen: "active ok_service_protected",
    },
    {
      what: "gone",
      url: FILER,
      web: { [FILER_API]: filer([], "505", "file not found") },
      seen: "dead service_not_found C1",
    },
    {
      what: "gone, by number only",
      url: FILER,
      web: { [FILER_API]: json({ code: 505, message: "Unknown" }, 404) },
      seen: "dead service_not_found C1",
    },
    {
      what: "an error of the same number under the same name",
      url: FILER,
      web: { [FILER_API]: json({ code: 505, message: "PREMIUM_REQUIRED" }, 403) },
      seen: "unknown service_probe_failed",
    },
    {
      what: "a file with a shorter word for its name",
      url: FILER,
      web: { [FILER_API]: json({ data: { name: "holiday.rar" } }) },
      seen: "active ok_service",
    },
    {
      what: "a file, by number only",
      url: FILER,
      web: { [FILER_API]: filer({ size: 1 }) },
      seen: "active ok_service",
    },
    {
      what: "a success about nothing",
      url: FILER,
      web: { [FILER_API]: filer([]) },
      seen: "unknown service_probe_failed",
    },
    {
      what: "an error of the same number",
      url: FILER,
      web: { [FILER_API]: json({ error: 505, message: "PREMIUM_REQUIRED" }, 403) },
      seen: "unknown service_probe_failed",
    },
    {
      what: "a file that is told of among many only",
      url: FILER,
      web: { [FILER_API]: text("", 401), [FILER_MANY]: filer({ a1b2c3d4e5f6: FILER_FILE }) },
      seen: "active ok_service",
      asked: [`GET https://${FILER_API}`, `GET https://${FILER_MANY}`],
    },
    {
      what: "not among many",
      url: FILER,
      web: { [FILER_API]: text("", 401), [FILER_MANY]: filer([]) },
      seen: "dead service_not_found C2",
    },
    {
      what: "told of by nobody",
      url: FILER,
      web: {
        [FILER_API]: text("", 401),
        [FILER_MANY]: filer({ file: "a1b2c3d4e5f6" }, 400, "API is disabled"),
      },
      seen: "unknown service_probe_failed",
    },
    {
      what: "told of neither as gone nor as there",
      url: FILER,
      web: { [FILER_API]: text("", 401), [FILER_MANY]: filer({ b2: { file_hash: "b2" } }) },
      seen: "unknown service_probe_failed",
    },
    {
      what: "not among many that failed",
      url: FILER,
      web: { [FILER_API]: text("", 401), [FILER_MANY]: filer([], "500", "temporarily disabled") },
      seen: "unknown service_probe_failed",
    },
    {
      what: "an API that is a page",
      url: FILER,
      web: { [FILER_API]: "<title>filer.net</title><h1>API is disabled</h1>" },
      seen: "unknown service_probe_failed",
    },
    {
      what: "a folder",
      url: FILER_FOLDER,
      web: {
        [FILER_FOLDER_API]: json({
          name: "holidays",
          files: [{ hash: "b2", name: "holiday.rar" }],
        }),
      },
      seen: "active ok_service",
      asked: ["GET https://filer.net/api/folder/a1b2c3d4e5f6"],
    },
    {
      what: "a folder with a password",
      url: FILER_FOLDER,
      web: { [FILER_FOLDER_API]: filer([], 201, "password required") },
      seen: "active ok_service_protected",
    },
    {
      what: "a folder that is gone",
      url: FILER_FOLDER,
      web: { [FILER_FOLDER_API]: json({ message: "Folder not found" }, 404) },
      seen: "dead service_not_found C1",
    },
    {
      what: "a folder that is gone, by number",
      url: FILER_FOLDER,
      web: { [FILER_FOLDER_API]: filer([], "506", "folder not found") },
      seen: "dead service_not_found C1",
    },
    {
      what: "a folder behind a wall",
      url: FILER_FOLDER,
      web: { [FILER_FOLDER_API]: challenge() },
      seen: "unknown service_probe_failed",
    },
  ],
});

const GOFILE = "https://gofile.io/d/k6BomI";
const GOFILE_ACCOUNTS = "api.gofile.io/accounts";
const GOFILE_API = "api.gofile.io/contents/k6BomI";

/** Tells its guests what it is asked for, and nobody else. */
const gofile = (status: string, data: object = {}, httpStatus = 200): Web => ({
  [GOFILE_ACCOUNTS]: json({ status: "ok", data: { id: "guest-1", token: "Guest/Token+1" } }),
  [GOFILE_API]: ({ headers }) =>
    headers.get("Authorization") === "Bearer Guest/Token+1" &&
    headers.get("X-BL") === "en-US" &&
    headers.get("Origin") === "https://gofile.io" &&
    headers.get("Referer") === "https://gofile.io/"
      ? json({ status, data }, httpStatus)
      : json({ status: "error-wrongToken", data: {} }, 401),
});

tellOf("gofile", {
  urls: [
    GOFILE,
    "https://www.gofile.io/?c=k6BomI",
    "https://store5.gofile.io/download/web/7fd4a36a/x.zip",
  ],
  rows: [
    {
      what: "a folder",
      url: GOFILE,
      web: gofile("ok", { canAccess: true, type: "folder", name: "holidays", children: {} }),
      seen: "active ok_service",
      asked: [
        "POST https://api.gofile.io/accounts {}",
        "GET https://api.gofile.io/contents/k6BomI",
      ],
      headers: { Origin: "https://gofile.io", Referer: "https://gofile.io/" },
    },
    {
      what: "a file under an old address",
      url: "https://gofile.io/?c=k6BomI",
      web: gofile("ok", { canAccess: true, type: "file", name: "holiday.zip" }),
      seen: "active ok_service",
    },
    {
      what: "a folder with a password",
      url: GOFILE,
      web: gofile("ok", {
        canAccess: false,
        type: "folder",
        password: true,
        passwordStatus: "passwordRequired",
      }),
      seen: "active ok_service_protected",
    },
    {
      what: "a folder with a password, in another word",
      url: GOFILE,
      web: gofile("error-passwordRequired"),
      seen: "active ok_service_protected",
    },
    {
      what: "a folder that its owner keeps",
      url: GOFILE,
      web: gofile("ok", { canAccess: false, type: "folder" }),
      seen: "unknown service_private",
    },
    {
      what: "gone",
      url: GOFILE,
      web: gofile("error-notFound", {}, 404),
      seen: "dead service_not_found C1",
    },
    {
      what: "told only to those who bring its token",
      url: GOFILE,
      web: gofile("error-notPremium", {}, 401),
      seen: "unknown service_unrecognised",
    },
    {
      what: "told only to those who bring another token",
      url: GOFILE,
      web: gofile("error-token", {}, 401),
      seen: "unknown service_unrecognised",
    },
    {
      what: "told only to another guest",
      url: GOFILE,
      web: gofile("error-wrongToken", {}, 401),
      seen: "unknown service_probe_failed",
    },
    {
      what: "asked for too often",
      url: GOFILE,
      web: gofile("error-rateLimit"),
      seen: "unknown service_rate_limited",
    },
    {
      what: "visited by too many guests",
      url: GOFILE,
      web: { [GOFILE_ACCOUNTS]: json({ status: "error-rateLimit", data: {} }) },
      seen: "unknown service_rate_limited",
    },
    {
      what: "without a token for guests",
      url: GOFILE,
      web: { [GOFILE_ACCOUNTS]: json({ status: "ok", data: { token: "" } }) },
      seen: "unknown service_probe_failed",
    },
  ],
});

test.each([
  ["ok", "ok_service"],
  ["error-notPremium", "service_unrecognised"],
])("One guest of gofile asks for all its links, told %p", async (status, seen) => {
  const web = await startPlayedWeb(["api.gofile.io"]);
  web.play(gofile(status, { canAccess: true, type: "folder", children: {} }));
  const { checker } = checkerThrough(web);

  for (const url of [GOFILE, GOFILE]) {
    const { reason } = await checkUrl(checker, { ...NEVER_CHECKED, url });
    expect<string>(reason).toBe(seen);
  }

  expect(web.requests().filter(({ line }) => line.startsWith("POST"))).toHaveLength(1);
  await web.stop();
});

const PIXEL = "https://pixeldrain.com/u/jW9E6s4h";
const PIXEL_API = "pixeldrain.com/api/file/jW9E6s4h/info";
const PIXEL_LIST = "https://pixeldrain.com/l/zQ7XpWfM#item=0";
const PIXEL_LIST_API = "pixeldrain.com/api/list/zQ7XpWfM";
const PIXEL_FOLDER = "https://pixeldrain.com/d/qTnZkhCJ/sub%20dir/test.mp4";
const PIXEL_FOLDER_API = "pixeldrain.com/api/filesystem/qTnZkhCJ/sub%20dir/test.mp4";

const pixelFile = (told: object = {}) => ({
  ...{
    success: true,
    id: "jW9E6s4h",
    name: "holiday.png",
    size: 182,
    abuse_type: "",
    availability: "",
  },
  ...told,
});
const pixelNo = (value: string, status = 404) =>
  json({ success: false, value, message: "The entity you requested could not be found" }, status);

tellOf("pixeldrain", {
  urls: [
    PIXEL,
    "https://www.pixeldrain.net/u/jW9E6s4h",
    "https://pixeldra.in/l/zQ7XpWfM",
    "https://Pixeldrain.dev/",
  ],
  rows: [
    {
      what: "a file",
      url: PIXEL,
      web: { [PIXEL_API]: json(pixelFile()) },
      seen: "active ok_service",
      asked: ["GET https://pixeldrain.com/api/file/jW9E6s4h/info"],
    },
    {
      what: "a file under its direct address",
      url: "https://pixeldra.in/api/file/jW9E6s4h?download",
      web: { [PIXEL_API]: json(pixelFile()) },
      seen: "active ok_service",
    },
    {
      what: "a file behind a captcha",
      url: PIXEL,
      web: { [PIXEL_API]: json(pixelFile({ availability: "file_rate_limited_captcha_required" })) },
      seen: "active ok_service_protected",
    },
    {
      what: "a file of which nothing else is said",
      url: PIXEL,
      web: { [PIXEL_API]: json({ success: true }) },
      seen: "active ok_service",
    },
    {
      what: "a list of which nothing else is said",
      url: PIXEL_LIST,
      web: { [PIXEL_LIST_API]: json({ success: true }) },
      seen: "active ok_service",
    },
    {
      what: "taken down",
      url: PIXEL,
      web: { [PIXEL_API]: json(pixelFile({ abuse_type: "copyright" })) },
      seen: "dead service_takedown C1",
    },
    {
      what: "gone",
      url: PIXEL,
      web: { [PIXEL_API]: pixelNo("not_found") },
      seen: "dead service_not_found C1",
    },
    {
      what: "gone, in another word",
      url: PIXEL,
      web: { [PIXEL_API]: pixelNo("file_not_found") },
      seen: "dead service_not_found C1",
    },
    {
      what: "asked for too often",
      url: PIXEL,
      web: { [PIXEL_API]: pixelNo("ip_rate_limited_captcha_required", 403) },
      seen: "unknown service_rate_limited",
    },
    {
      what: "an error, and a page that says nothing",
      url: PIXEL,
      web: {
        [PIXEL_API]: pixelNo("internal", 500),
        "pixeldrain.com/u/jW9E6s4h": "<title>holiday.png ~ pixeldrain</title>",
      },
      seen: "unknown service_probe_failed",
    },
    {
      what: "an error, and a page that is not there",
      url: PIXEL,
      web: {
        [PIXEL_API]: pixelNo("internal", 500),
        "pixeldrain.com/u/jW9E6s4h": 404,
        "pixeldrain.com/robots.txt": 404,
      },
      seen: "dead http_404 C2",
    },
    {
      what: "a list",
      url: PIXEL_LIST,
      web: {
        [PIXEL_LIST_API]: json({
          success: true,
          id: "zQ7XpWfM",
          title: "holidays",
          files: [pixelFile()],
        }),
      },
      seen: "active ok_service",
      asked: ["GET https://pixeldrain.com/api/list/zQ7XpWfM"],
    },
    {
      what: "a list that is gone",
      url: PIXEL_LIST,
      web: { [PIXEL_LIST_API]: pixelNo("not_found") },
      seen: "dead service_not_found C1",
    },
    {
      what: "a list behind a wall",
      url: PIXEL_LIST,
      web: {
        [PIXEL_LIST_API]: challenge(),
        "pixeldrain.com/l/zQ7XpWfM": "<title>holidays ~ pixeldrain</title>",
      },
      seen: "unknown service_probe_failed",
    },
    {
      what: "a file in a folder",
      url: PIXEL_FOLDER,
      web: {
        [PIXEL_FOLDER_API]: json({
          path: [{ type: "dir", id: "qTnZkhCJ", path: "/qTnZkhCJ" }],
          children: [],
        }),
      },
      seen: "active ok_service",
      asked: [`GET https://${PIXEL_FOLDER_API}?stat`],
    },
    {
      what: "a file that is no longer in its folder",
      url: PIXEL_FOLDER,
      web: {
        [PIXEL_FOLDER_API]: pixelNo("path_not_found"),
        "pixeldrain.com/d/qTnZkhCJ/sub%20dir/test.mp4": "<title>pixeldrain</title>",
      },
      seen: "unknown service_probe_failed",
    },
    {
      what: "a folder that is gone",
      url: "https://pixeldrain.com/d/qTnZkhCJ",
      web: { "pixeldrain.com/api/filesystem/qTnZkhCJ": pixelNo("not_found") },
      seen: "dead service_not_found C1",
    },
  ],
});

const KRAKEN = "https://krakenfiles.com/view/aB3dE5fG7h/file.html";
const KRAKEN_API = "krakenfiles.com/json/aB3dE5fG7h";
const KRAKEN_PAGE = "krakenfiles.com/view/aB3dE5fG7h/file.html";

tellOf("krakenfiles", {
  urls: [
    KRAKEN,
    "https://www.krakenfiles.com/embed-video/aB3dE5fG7h",
    "https://KrakenFiles.com/profiles/someone",
  ],
  rows: [
    {
      what: "a file",
      url: KRAKEN,
      web: { [KRAKEN_API]: json({ hash: "aB3dE5fG7h", title: "holiday.mp3", size: "3.5 MB" }) },
      seen: "active ok_service",
      asked: ["GET https://krakenfiles.com/json/aB3dE5fG7h"],
    },
    {
      what: "a film in a player",
      url: "https://krakenfiles.com/embed-video/aB3dE5fG7h",
      web: { [KRAKEN_API]: json({ hash: "aB3dE5fG7h", title: "holiday.mp4", size: "3.5 MB" }) },
      seen: "active ok_service",
    },
    {
      what: "gone",
      url: KRAKEN,
      web: { [KRAKEN_API]: json([]) },
      seen: "dead service_not_found C1",
    },
    {
      what: "gone, by the status",
      url: KRAKEN,
      web: { [KRAKEN_API]: json([], 404) },
      seen: "dead service_not_found C1",
    },
    {
      what: "gone on its page too",
      url: KRAKEN,
      web: { [KRAKEN_API]: 404, [KRAKEN_PAGE]: 404, "krakenfiles.com/robots.txt": 404 },
      seen: "dead http_404 C2",
    },
    {
      what: "still there on its page",
      url: KRAKEN,
      web: {
        [KRAKEN_API]: 404,
        [KRAKEN_PAGE]: '<div class="coin-name"><h5>holiday.mp3</h5></div>',
      },
      seen: "active ok_service",
    },
    {
      what: "on a page that says nothing",
      url: KRAKEN,
      web: { [KRAKEN_API]: 404, [KRAKEN_PAGE]: "<title>KrakenFiles</title><h1>Upload</h1>" },
      seen: "unknown service_unrecognised",
    },
    {
      what: "another file than the one that was asked for",
      url: KRAKEN,
      web: {
        [KRAKEN_API]: json({ hash: "zZ9yY8xX7w", title: "other.mp3" }),
        [KRAKEN_PAGE]: "<title>KrakenFiles</title><h1>Upload</h1>",
      },
      seen: "unknown service_probe_failed",
    },
    {
      what: "an answer that names it and no file",
      url: KRAKEN,
      web: {
        [KRAKEN_API]: json({ status: "error", id: "aB3dE5fG7h" }),
        [KRAKEN_PAGE]: "<title>KrakenFiles</title><h1>Upload</h1>",
      },
      seen: "unknown service_probe_failed",
    },
    {
      what: "an empty error",
      url: KRAKEN,
      web: {
        [KRAKEN_API]: json([], 500),
        [KRAKEN_PAGE]: "<title>KrakenFiles</title><h1>Upload</h1>",
      },
      seen: "unknown service_probe_failed",
    },
    {
      what: "a profile",
      url: "https://krakenfiles.com/profiles/someone",
      web: {
        "krakenfiles.com/profiles/someone": "<title>someone</title><h1>Files of someone</h1>",
      },
      seen: "active ok",
    },
    {
      what: "a profile that its owner keeps",
      url: "https://krakenfiles.com/profiles/someone",
      web: {
        "krakenfiles.com/profiles/someone":
          "<title>someone</title><div> This profile is private</div>",
      },
      seen: "unknown service_private",
    },
  ],
});

const CYBERDROP = "https://cyberdrop.cr/f/rln0wNQSY5iuA";
const CYBERDROP_API = "api.cyberdrop.cr/api/file/info/rln0wNQSY5iuA";

tellOf("cyberdrop", {
  urls: [
    CYBERDROP,
    "https://cyberdrop.me/a/8uE0wQiK",
    "https://fs-01.cyberdrop.to/a.jpg",
    "https://www.Cyberdrop.cc/",
  ],
  rows: [
    {
      what: "a file",
      url: CYBERDROP,
      web: { [CYBERDROP_API]: json({ slug: "rln0wNQSY5iuA", name: "holiday.gif", size: 143992 }) },
      seen: "active ok_service",
      asked: ["GET https://api.cyberdrop.cr/api/file/info/rln0wNQSY5iuA"],
    },
    {
      what: "gone",
      url: "https://cyberdrop.cr/e/rln0wNQSY5iuA",
      web: { [CYBERDROP_API]: json({ message: "File not found" }, 404) },
      seen: "dead service_not_found C1",
    },
    {
      what: "asked for where nothing is",
      url: CYBERDROP,
      web: { [CYBERDROP_API]: 404, "cyberdrop.cr/f/rln0wNQSY5iuA": "<h1>holiday.gif</h1>" },
      seen: "unknown service_probe_failed",
    },
    {
      what: "asked for too often",
      url: CYBERDROP,
      web: { [CYBERDROP_API]: text("Forbidden", 403) },
      seen: "unknown service_rate_limited",
    },
    {
      what: "behind a wall",
      url: CYBERDROP,
      web: {
        [CYBERDROP_API]: challenge(),
        "cyberdrop.cr/f/rln0wNQSY5iuA": "<title>Cyberdrop</title><h1>File</h1>",
      },
      seen: "unknown service_probe_failed",
    },
    {
      what: "an answer without a file",
      url: CYBERDROP,
      web: {
        [CYBERDROP_API]: json({}),
        "cyberdrop.cr/f/rln0wNQSY5iuA": "<title>Cyberdrop</title><h1>File</h1>",
      },
      seen: "unknown service_probe_failed",
    },
    {
      what: "a file under a name that leads on",
      url: "https://cyberdrop.me/f/rln0wNQSY5iuA",
      web: {
        "cyberdrop.me/f/rln0wNQSY5iuA": to(CYBERDROP),
        "cyberdrop.cr/f/rln0wNQSY5iuA": "<title>Cyberdrop</title><h1>File</h1>",
        [CYBERDROP_API]: json({ message: "File not found" }, 404),
      },
      seen: "dead service_not_found C1",
      asked: [
        "GET https://cyberdrop.me/f/rln0wNQSY5iuA",
        `GET ${CYBERDROP}`,
        `GET https://${CYBERDROP_API}`,
      ],
    },
    {
      what: "an album that is gone",
      url: "https://cyberdrop.cr/a/8uE0wQiK",
      web: { "cyberdrop.cr/a/8uE0wQiK": 404, "cyberdrop.cr/robots.txt": 404 },
      seen: "dead http_404 C2",
    },
  ],
});

type Together = {
  service: string;
  /** The first one is there, so that it is asked about once. */
  urls: [first: string, second: string, third: string];
  web: Web;
  seen: string[];
  /** The request that asks for all. */
  asked: string;
};

const keep2shareTogether = (service: string, site: string, api: string): Together => ({
  service,
  urls: [
    `https://${site}/file/aaaaaaaaaaaa1`,
    `https://${site}/file/bbbbbbbbbbbb2`,
    `https://${site}/file/cccccccccccc3`,
  ],
  web: {
    [`${api}/api/v2/GetFilesInfo`]: json({
      status: "success",
      code: 200,
      files: [
        { id: "bbbbbbbbbbbb2", name: "holiday.rar", is_available: false },
        { id: "aaaaaaaaaaaa1", name: "holiday.rar", is_available: true, access: "public" },
      ],
    }),
    [`${api}/api/v2/GetFileStatus`]: json({ status: "error", code: 406, errorCode: 20 }, 406),
  },
  seen: ["active ok_service", "dead service_deleted", "dead service_not_found"],
  asked: `POST https://${api}/api/v2/GetFilesInfo {"ids":["aaaaaaaaaaaa1","bbbbbbbbbbbb2","cccccccccccc3"],"extended_info":false}`,
});

const TOGETHER: Together[] = [
  {
    service: "1fichier",
    urls: [
      "https://1fichier.com/?aaaaa1",
      "https://1fichier.com/?bbbbb2",
      "https://pjointe.com/?ccccc3",
    ],
    web: {
      [FICHIER_CHECKER]: text(
        "https://pjointe.com/?ccccc3;;;PRIVATE\nhttps://1fichier.com/?aaaaa1;holiday.rar;1048576\nhttps://1fichier.com/?bbbbb2;;;NOT FOUND\n",
      ),
    },
    seen: ["active ok_service", "dead service_not_found", "active ok_service_protected"],
    asked:
      "POST https://1fichier.com/check_links.pl links[]=https://1fichier.com/?aaaaa1&links[]=https://1fichier.com/?bbbbb2&links[]=https://pjointe.com/?ccccc3",
  },
  {
    service: "nitroflare",
    urls: [
      "https://nitroflare.com/view/AAAAA1",
      "https://nitroflare.com/view/BBBBB2",
      "https://nitro.download/view/CCCCC3",
    ],
    web: {
      [NITRO_API]: nitroFiles({ AAAAA1: { status: "online" }, BBBBB2: { status: "offline" } }),
    },
    seen: ["active ok_service", "dead service_deleted", "dead service_not_found"],
    asked: "GET https://nitroflare.com/api/v2/getFileInfo?files=AAAAA1,BBBBB2,CCCCC3",
  },
  keep2shareTogether("keep2share", "k2s.cc", "keep2share.cc"),
  keep2shareTogether("fileboom", "fboom.me", "fileboom.me"),
  keep2shareTogether("tezfiles", "publish2.me", "tezfiles.com"),
  {
    service: "turbobit",
    urls: [
      "https://turbobit.net/aaaaa1.html",
      "https://turb.to/bbbbb2/holiday.rar.html",
      "https://turbobit.net/ccccc3.html",
    ],
    web: {
      [TURBOBIT_CHECKER]: json([
        { id: "bbbbb2", status: "inactive" },
        { id: "aaaaa1", status: "active" },
      ]),
      "turbobit.net/ccccc3.html": "<title>Turbobit.net</title><h1>Loading</h1>",
    },
    seen: ["active ok_service", "dead service_not_found", "unknown service_probe_failed"],
    asked:
      "POST https://app.turbobit.net/api/links/check links=https://turbobit.net/aaaaa1.html\nhttps://turbobit.net/bbbbb2.html\nhttps://turbobit.net/ccccc3.html",
  },
  {
    service: "hitfile",
    urls: ["https://hitfile.net/aaaaa1", "https://hil.to/bbbbb2", "https://hitfile.net/ccccc3"],
    web: {
      [HITFILE_CHECKER]: json([
        { id: "bbbbb2", status: "inactive" },
        { id: "aaaaa1", status: "active" },
        { id: "ccccc3", status: "active" },
      ]),
    },
    seen: ["active ok_service", "dead service_not_found", "active ok_service"],
    asked:
      "POST https://app.hitfile.net/api/links/check links=https://hitfile.net/aaaaa1\nhttps://hitfile.net/bbbbb2\nhttps://hitfile.net/ccccc3",
  },
  {
    service: "pixeldrain",
    urls: [
      "https://pixeldrain.com/u/aaaaa1",
      "https://pixeldrain.com/u/bbbbb2",
      "https://pixeldra.in/u/ccccc3",
    ],
    web: {
      "pixeldrain.com/api/file/aaaaa1%2Cbbbbb2%2Cccccc3/info": json([pixelFile({ id: "aaaaa1" })]),
      "pixeldrain.com/api/file/bbbbb2/info": pixelNo("not_found"),
      "pixeldrain.com/api/file/ccccc3/info": json(pixelFile({ id: "ccccc3" })),
    },
    seen: ["active ok_service", "dead service_not_found", "active ok_service"],
    asked: "GET https://pixeldrain.com/api/file/aaaaa1,bbbbb2,ccccc3/info",
  },
];

describe("Links that are checked at once are asked for in one request, by", () => {
  let web: Awaited<ReturnType<typeof startPlayedWeb>>;
  beforeAll(async () => {
    const places = TOGETHER.flatMap(({ web: played }) => Object.keys(played));
    web = await startPlayedWeb([...new Set(places.map((place) => place.split("/")[0]!))]);
  });
  afterAll(() => web.stop());

  test.each(TOGETHER)("$service", async ({ urls, web: played, seen, asked }) => {
    web.play(played);
    const { checker } = checkerThrough(web);
    const canaries = { noteAlive() {}, wasAlive: async () => true, isSinging: async () => true };
    const services = { ...checker.services, canaries };
    const known = { ...NEVER_CHECKED, lastDecided: "active" as const };

    const conclusions = await Promise.all(
      urls.map((url) => checkUrl({ ...checker, services }, { ...known, url })),
    );

    expect(conclusions.map(({ status, reason }) => `${status} ${reason}`)).toEqual(seen);
    const lines = web.requests().map(({ line }) => decodeURIComponent(line));
    const [, id = ""] = /(\w+)(?:\.html)?$/.exec(urls[0]) ?? [];
    expect(lines.filter((line) => line.includes(id))).toEqual([asked]);
  });
});
