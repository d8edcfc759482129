import { type Answers, challenge, file, json, page, text, to } from "./played-web.ts";
import { tellOf } from "./told.ts";

const titled = (title: string, body = "", status = 200) =>
  page(
    `<!doctype html><html><head><title>${title}</title></head><body><h1>${title}</h1>${body}</body></html>`,
    status,
  );

const DRIVE_ID = "0ByeS4oOUV-49Zzh4R1J6R09zazQ";
const DRIVE_FILE = `https://drive.google.com/file/d/${DRIVE_ID}/view?usp=sharing`;
const DRIVE_UC = "drive.google.com/uc";
const DRIVE_VIEW = `drive.google.com/file/d/${DRIVE_ID}/view`;
const DRIVE_SIGN_IN = "accounts.google.com/v3/signin/identifier";
const TO_SIGN_IN = `https://${DRIVE_SIGN_IN}?continue=https%3A%2F%2Fdrive.google.com%2Ffile%2Fd%2F${DRIVE_ID}%2Fview`;
const FOLDER = "https://drive.google.com/drive/folders/1dQ4sx0-__Nvg65rxTSgQrl7VyW_FZ9QI";
const FOLDER_PAGE = "drive.google.com/drive/folders/1dQ4sx0-__Nvg65rxTSgQrl7VyW_FZ9QI";
const AUTOMATED =
  "<h1>We're sorry...</h1><p>... but your computer or network may be sending automated queries.</p>";

/** What the viewer is told: JSON behind characters that keep it from being run as a script. */
const disposed = (value: object) =>
  new Response(`)]}'\n${JSON.stringify(value)}`, {
    headers: { "Content-Type": "application/json" },
  });

const driveView = titled("Big Buck Bunny.mp4 - Google Drive", `<div data-id="${DRIVE_ID}"></div>`);
/** Who asks again is not answered. */
const once = (answer: Response) => {
  let count = 0;
  return () => (count++ === 0 ? answer.clone() : new Response(null, { status: 599 }));
};
const driveGone = titled(
  "Page Not Found",
  "<p>Sorry, the file you have requested does not exist.</p>",
  404,
);
const driveSignIn = titled(
  "Sign in - Google Accounts",
  `<form action="/next?id=${DRIVE_ID}"></form>`,
);

tellOf("google-drive", {
  urls: [
    DRIVE_FILE,
    "https://drive.usercontent.google.com/download?id=0ByeS4oOUV-49Zzh4R1J6R09zazQ",
    "https://docs.google.com/uc?id=0B2fjwgkl1A_CX083Tkowdmt6d28",
    "https://docs.google.com/file/d/0B2fjwgkl1A_CX083Tkowdmt6d28/edit",
    "https://DRIVE.google.com./open?id=0B2fjwgkl1A_CX083Tkowdmt6d28",
    FOLDER,
  ],
  rows: [
    {
      what: "a file",
      url: DRIVE_FILE,
      web: {
        [DRIVE_UC]: disposed({ disposition: "SCAN_CLEAN", scanResult: "OK", sizeBytes: 5 }),
      },
      seen: "active ok_service",
      asked: [`POST https://drive.google.com/uc?id=${DRIVE_ID}&export=download`],
      headers: { "X-Drive-First-Party": "DriveViewer" },
    },
    {
      what: "a file with a second key, linked for download",
      url: `https://drive.google.com/uc?export=download&id=${DRIVE_ID}&resourcekey=0-abcDEF_123`,
      web: { [DRIVE_UC]: disposed({ fileName: "a.pdf", sizeBytes: 5 }) },
      seen: "active ok_service",
      asked: [
        `POST https://drive.google.com/uc?id=${DRIVE_ID}&resourcekey=0-abcDEF_123&export=download`,
      ],
    },
    {
      what: "a file with a second key that only its page knows",
      url: `https://drive.google.com/file/d/${DRIVE_ID}/view?usp=sharing&resourcekey=0-abcDEF_123`,
      web: { [DRIVE_UC]: titled("Error 404", "", 404), [DRIVE_VIEW]: once(driveView) },
      seen: "active ok_service",
      asked: [
        `POST https://drive.google.com/uc?id=${DRIVE_ID}&resourcekey=0-abcDEF_123&export=download`,
        `GET https://drive.google.com/file/d/${DRIVE_ID}/view?resourcekey=0-abcDEF_123`,
      ],
    },
    {
      what: "a file that is sent at once",
      url: `https://drive.google.com/u/0/uc?id=${DRIVE_ID}`,
      web: {
        [DRIVE_UC]: to(`https://drive.usercontent.google.com/download?id=${DRIVE_ID}`),
        "drive.usercontent.google.com/download": () =>
          new Response("bytes", {
            headers: {
              "Content-Type": "application/octet-stream",
              "Content-Disposition": 'attachment; filename="a.bin"',
            },
          }),
      },
      seen: "active ok_service",
    },
    {
      what: "a file that was downloaded too often",
      url: DRIVE_FILE,
      web: { [DRIVE_UC]: disposed({ disposition: "QUOTA_EXCEEDED", scanResult: "ERROR" }) },
      seen: "active ok_service_protected",
    },
    {
      what: "a file too large to be searched for viruses",
      url: DRIVE_FILE,
      web: {
        [DRIVE_UC]: titled("Google Drive - Virus scan warning", "<p>a.zip is too large.</p>"),
      },
      seen: "active ok_service_protected",
    },
    {
      what: "a file that was asked for too often",
      url: DRIVE_FILE,
      web: { [DRIVE_UC]: titled("Google Drive - Quota exceeded", "<p>Sorry.</p>") },
      seen: "active ok_service_protected",
    },
    {
      what: "a file that too many asked for",
      url: DRIVE_FILE,
      web: {
        [DRIVE_UC]: titled(
          "Google Drive",
          '<p class="uc-error-subcaption">Too many users have viewed or downloaded this file recently. Please try accessing the file again later.</p>',
        ),
      },
      seen: "active ok_service_protected",
    },
    {
      what: "a file that would do harm",
      url: DRIVE_FILE,
      web: {
        [DRIVE_UC]: titled("Google Drive", "<p>Sorry, this file is infected with a virus.</p>"),
      },
      seen: "active ok_service_protected",
    },
    {
      what: "gone",
      url: DRIVE_FILE,
      web: { [DRIVE_UC]: titled("Error 404", "", 404), [DRIVE_VIEW]: driveGone },
      seen: "dead service_not_found C2",
      asked: [
        `POST https://drive.google.com/uc?id=${DRIVE_ID}&export=download`,
        `GET https://drive.google.com/file/d/${DRIVE_ID}/view`,
      ],
    },
    {
      what: "gone, with a refusal that does not name it",
      url: DRIVE_FILE,
      web: {
        [DRIVE_UC]: 404,
        [DRIVE_VIEW]: titled("Google Drive", "<p>You need access.</p>", 403),
      },
      seen: "dead service_not_found C2",
    },
    {
      what: "gone, in words",
      url: DRIVE_FILE,
      web: {
        [DRIVE_UC]: 404,
        [DRIVE_VIEW]: titled(
          "Google Drive",
          `<p class="error-caption">Sorry, we are unable to retrieve this document. ${DRIVE_ID}</p>`,
        ),
      },
      seen: "dead service_not_found C2",
    },
    {
      what: "not to be downloaded, and its page refuses it by its name",
      url: DRIVE_FILE,
      web: {
        [DRIVE_UC]: 404,
        [DRIVE_VIEW]: titled("Google Drive", `<p>Ask for access to ${DRIVE_ID}.</p>`, 403),
      },
      seen: "unknown service_private",
    },
    {
      what: "not to be downloaded, and its page shows something else",
      url: DRIVE_FILE,
      web: { [DRIVE_UC]: 404, [DRIVE_VIEW]: titled("Google Drive", "<p>Welcome.</p>") },
      seen: "unknown service_probe_failed",
    },
    {
      what: "only there for some",
      url: DRIVE_FILE,
      web: { [DRIVE_UC]: titled("Error 403", "<p>Forbidden.</p>", 403) },
      seen: "unknown service_private",
    },
    {
      what: "behind a sign-in",
      url: DRIVE_FILE,
      web: {
        [DRIVE_UC]: to(TO_SIGN_IN),
        [DRIVE_SIGN_IN]: driveSignIn,
        [DRIVE_VIEW]: to(TO_SIGN_IN),
      },
      seen: "unknown login_required",
    },
    {
      what: "behind a sign-in on its page alone",
      url: DRIVE_FILE,
      web: {
        [DRIVE_UC]: 404,
        [DRIVE_VIEW]: to(TO_SIGN_IN),
        [DRIVE_SIGN_IN]: driveSignIn,
      },
      seen: "unknown login_required",
    },
    {
      what: "not told to whoever asks so often",
      url: DRIVE_FILE,
      web: {
        [DRIVE_UC]: titled("Sorry...", AUTOMATED, 403),
        [DRIVE_VIEW]: titled("Sorry...", AUTOMATED, 403),
      },
      seen: "unknown bot_challenge",
    },
    {
      what: "not shown to whoever asks so often",
      url: DRIVE_FILE,
      web: { [DRIVE_UC]: 404, [DRIVE_VIEW]: titled("Sorry...", AUTOMATED, 403) },
      seen: "unknown bot_challenge",
    },
    {
      what: "there by its page, while its download is ill",
      url: DRIVE_FILE,
      web: { [DRIVE_UC]: 500, [DRIVE_VIEW]: driveView },
      seen: "active ok_service",
    },
    {
      what: "refused by its page, while its download is ill",
      url: DRIVE_FILE,
      web: {
        [DRIVE_UC]: 500,
        [DRIVE_VIEW]: titled("Google Drive", `<p>Ask for ${DRIVE_ID}.</p>`, 403),
      },
      seen: "unknown http_403",
    },
    {
      what: "not found by its page, while its download is ill",
      url: DRIVE_FILE,
      web: { [DRIVE_UC]: 500, [DRIVE_VIEW]: driveGone },
      seen: "unknown service_unrecognised",
    },
    {
      what: "gone by the words of its page, while its download is ill",
      url: DRIVE_FILE,
      web: {
        [DRIVE_UC]: 500,
        [DRIVE_VIEW]: titled(
          "Google Drive",
          "<p>Sorry, we are unable to retrieve this document.</p>",
        ),
      },
      seen: "dead service_not_found C2",
    },
    {
      what: "behind walls",
      url: DRIVE_FILE,
      web: { [DRIVE_UC]: challenge(), [DRIVE_VIEW]: titled("Google Drive") },
      seen: "unknown service_probe_failed",
    },
    {
      what: "opened by an address that leads to a file",
      url: `https://drive.google.com/open?id=${DRIVE_ID}`,
      web: {
        "drive.google.com/open": to(DRIVE_FILE),
        [DRIVE_VIEW]: driveView,
        [DRIVE_UC]: disposed({ disposition: "SCAN_CLEAN" }),
      },
      seen: "active ok_service",
    },
    {
      what: "a folder",
      url: FOLDER,
      web: {
        [FOLDER_PAGE]: titled(
          "Forrest - Google Drive",
          '<c-wiz data-id="1dQ4sx0-__Nvg65rxTSgQrl7VyW_FZ9QI"></c-wiz>',
        ),
      },
      seen: "active ok_service",
      asked: [`GET ${FOLDER}`],
    },
    {
      what: "a folder that is gone",
      url: FOLDER,
      web: { [FOLDER_PAGE]: driveGone },
      seen: "dead http_404 C2",
    },
    {
      what: "a folder that is shown for other pages",
      url: "https://drive.google.com/embeddedfolderview?id=1dQ4sx0-__Nvg65rxTSgQrl7VyW_FZ9QI#list",
      web: {
        "drive.google.com/embeddedfolderview": titled(
          "Forrest",
          '<a href="/drive/folders/1dQ4sx0-__Nvg65rxTSgQrl7VyW_FZ9QI">Open</a>',
        ),
      },
      seen: "active ok_service",
    },
    {
      what: "a folder that is only there for some",
      url: FOLDER,
      web: {
        [FOLDER_PAGE]: titled("Google Drive", "", 403),
      },
      seen: "unknown service_private",
    },
    {
      what: "a folder behind a sign-in",
      url: FOLDER,
      web: {
        [FOLDER_PAGE]: to(`https://${DRIVE_SIGN_IN}`),
        [DRIVE_SIGN_IN]: driveSignIn,
      },
      seen: "unknown login_required",
    },
    {
      what: "a folder that is not shown to whoever asks so often",
      url: FOLDER,
      web: {
        [FOLDER_PAGE]: titled("Sorry...", AUTOMATED, 403),
      },
      seen: "unknown bot_challenge",
    },
  ],
});

const DROPBOX_FILE =
  "https://www.dropbox.com/scl/fi/r2kd2skcy5ylbbta5y1pz/DJI_0003.MP4?rlkey=wcdg&dl=0";
const DROPBOX_PAGE = "www.dropbox.com/scl/fi/r2kd2skcy5ylbbta5y1pz/DJI_0003.MP4";

const dropbox = (what: string, answer: Response | number | string, seen: string) => ({
  what,
  url: DROPBOX_FILE,
  web: { [DROPBOX_PAGE]: answer },
  seen,
});

const edison = (name: string, status = 200) =>
  titled("Dropbox", `<script>Edison.init("edison_page_name=${name}&locale=en")</script>`, status);

tellOf("dropbox", {
  urls: [
    DROPBOX_FILE,
    "https://db.tt/AbC123xy",
    "https://DL.dropboxusercontent.com/s/nelirfsxnmcfbfh/a.mp4",
    "https://dropbox.com/sh/2mgpiuq7kv8nqdf/AABy-fW4dkydT4GmWi2mdOUDa?dl=0",
  ],
  rows: [
    {
      ...dropbox(
        "a file",
        titled("Dropbox - DJI_0003.MP4 - Simplify your life"),
        "active ok_service",
      ),
      asked: [`GET ${DROPBOX_FILE}`],
    },
    dropbox("a folder", edison("scl_oboe_folder"), "active ok_service"),
    {
      what: "the file itself",
      url: "https://dl.dropboxusercontent.com/s/nelirfsxnmcfbfh/a.mp4",
      web: { "dl.dropboxusercontent.com/s/nelirfsxnmcfbfh/a.mp4": file("video/mp4") },
      seen: "active ok_service",
    },
    {
      what: "behind a password",
      url: DROPBOX_FILE,
      web: {
        [DROPBOX_PAGE]: to(
          "https://www.dropbox.com/sm/password?cont=%2Fscl%2Ffi%2Fr2kd&content_id=AB",
        ),
        "www.dropbox.com/sm/password": titled("Dropbox - Password required"),
      },
      seen: "active ok_service_protected",
    },
    {
      what: "behind a sign-in that calls itself as a file is called",
      url: DROPBOX_FILE,
      web: {
        [DROPBOX_PAGE]: to("https://www.dropbox.com/account/start?x=1"),
        "www.dropbox.com/account/start": titled("Dropbox - Account"),
      },
      seen: "unknown service_unrecognised",
    },
    dropbox("deleted", edison("shared_link_deleted"), "dead service_deleted C2"),
    dropbox(
      "deleted, with a status",
      edison("shared_link_disabled", 404),
      "dead service_deleted C2",
    ),
    dropbox(
      "deleted by its title",
      titled("Dropbox - File Deleted - Simplify your life"),
      "dead service_deleted C2",
    ),
    ...[
      "404.html",
      "404-page.psd",
      "404 - draft.psd",
      "Shared link error.log",
      "File Deleted.txt",
    ].map((name) =>
      dropbox(
        `a file called ${name}`,
        titled(`Dropbox - ${name} - Simplify your life`),
        "active ok_service",
      ),
    ),
    ...[
      '"edison_page_name":"shared_link_deleted"',
      "edison_page_name = 'shared_link_disabled'",
      '"dws_page_name":"shared_link_deleted"',
      "page_name=shared_link_deleted",
      '"pageName": "shared_link_disabled"',
      "edison_page_name%3Dshared_link_deleted%26locale%3Den",
      '\\"edison_page_name\\": \\"shared_link_deleted\\"',
      "\\u0022edison_page_name\\u0022:\\u0022shared_link_deleted\\u0022",
      "&quot;edison_page_name&quot;:&quot;shared_link_disabled&quot;",
    ].map((words) =>
      dropbox(
        `deleted, as told by ${words}`,
        titled("Dropbox", `<script>x = {${words}}</script>`),
        "dead service_deleted C2",
      ),
    ),
    ...[
      "{'shared_link_deleted': false}",
      '{"experiments":["shared_link_deleted_banner"],"edison_page_name":"scl_oboe_file"}',
      '{"previous_page_name":"home","messages":{"shared_link_deleted":"The link was deleted"}}',
    ].map((words) =>
      dropbox(
        `a file, whose page also says ${words}`,
        titled("Dropbox - report.pdf", `<script>x = ${words}</script>`),
        "active ok_service",
      ),
    ),
    dropbox(
      "for members",
      titled("Dropbox", '<script>"dws_page_name=files_shared_content_link_login_page"</script>'),
      "unknown login_required",
    ),
    dropbox(
      "taken down, as told in JSON",
      titled("Dropbox", '<script>x = {"edison_page_name": "shared_link_generic_error"}</script>'),
      "dead service_takedown C2",
    ),
    dropbox(
      "a folder, as told in JSON",
      titled("Dropbox", '<script>x = {"edison_page_name": "scl_oboe_folder"}</script>'),
      "active ok_service",
    ),
    dropbox(
      "deleted, by a page that is named like that of a folder",
      titled(
        "Dropbox",
        "<script>x = 'edison_page_name:scl_oboe_folder'</script><h2>This item was deleted</h2>",
      ),
      "unknown service_unrecognised",
    ),
    dropbox(
      "deleted, by a page that has its name",
      titled("Dropbox - Music", "<h2>This item was deleted</h2>"),
      "unknown service_unrecognised",
    ),
    dropbox(
      "a folder that tells of one that was deleted",
      titled(
        "Dropbox - Music",
        "<script>x = 'edison_page_name:scl_oboe_folder'</script><p>Why this item was deleted.txt</p>",
      ),
      "active ok_service",
    ),
    dropbox("taken down", edison("shared_link_generic_error"), "dead service_takedown C2"),
    dropbox(
      "restricted",
      titled("Restricted Content", "<p>This file is no longer available.</p>", 460),
      "dead service_takedown C2",
    ),
    dropbox(
      "gone by its title",
      titled("Dropbox - Shared link error"),
      "dead service_not_found C2",
    ),
    dropbox(
      "gone by its picture",
      titled("Oops", '<img src="/static/images/sharing/error_404.png">'),
      "dead service_not_found C2",
    ),
    dropbox(
      "gone by the picture of a folder",
      titled("Oops", '<img src="/sharing/error_shmodel.png">'),
      "dead service_not_found C2",
    ),
    dropbox(
      "disabled for a while",
      titled("Dropbox", "<h1>Link Temporarily Disabled</h1>", 404),
      "unknown service_rate_limited",
    ),
    dropbox("at a server in trouble", text("oops", 500), "unknown http_500"),
    dropbox("no link at all", titled("Error (400)", "", 400), "dead service_not_found C2"),
    dropbox(
      "not found, as is who was asked for too often",
      titled("Dropbox - 404", "<p>We can't find the page you're looking for.</p>", 404),
      "unknown unconfirmed (service_not_found in 24 hours)",
    ),
    dropbox(
      "asked for too often",
      titled(
        "Error",
        "<p>This account's links are generating too much traffic and have been temporarily disabled!</p>",
        404,
      ),
      "unknown service_rate_limited",
    ),
    dropbox("beyond its bandwidth", titled("Error (509)", "", 509), "unknown service_rate_limited"),
    dropbox(
      "private now",
      titled("Dropbox - a", '<img src="/images/precaution.png">'),
      "unknown service_private",
    ),
    dropbox("a page that no rule knows", titled("Welcome"), "unknown service_unrecognised"),
    dropbox("behind a wall", challenge(), "unknown bot_challenge"),
  ],
});

const ONEDRIVE_ITEM =
  "https://onedrive.live.com/redir?resid=1A2B3C4D5E6F7890%21107&authkey=%21AKxyz&ithint=file%2Cpdf";
const ONEDRIVE_API = "api.onedrive.com/v1.0/drives/1A2B3C4D5E6F7890/items/1A2B3C4D5E6F7890!107";
const SHORT = "https://1drv.ms/b/s!AhcdEfgh?e=x1Y2z3";
const SHORT_TOKEN = Buffer.from(SHORT).toString("base64url");
const SHORT_API = `api.onedrive.com/v1.0/shares/u!${SHORT_TOKEN}/driveItem`;

const item = json({ id: "1A2B3C4D5E6F7890!107", name: "a.pdf", size: 5 });
const noItem = json(
  { error: { code: "itemNotFound", message: "The resource could not be found." } },
  404,
);

tellOf("onedrive", {
  urls: [
    SHORT,
    ONEDRIVE_ITEM,
    "https://skydrive.live.com/?cid=1a2b3c4d",
    "https://ONEDRIVE.live.com/",
  ],
  rows: [
    {
      what: "a file",
      url: ONEDRIVE_ITEM,
      web: { [ONEDRIVE_API]: item },
      seen: "active ok_service",
      asked: [`GET https://${ONEDRIVE_API}?authkey=!AKxyz`],
    },
    {
      what: "a public folder",
      url: "https://onedrive.live.com/?cid=1A2B3C4D5E6F7890&id=1A2B3C4D5E6F7890%21107",
      web: { [ONEDRIVE_API]: item },
      seen: "active ok_service",
      asked: [`GET https://${ONEDRIVE_API}`],
    },
    {
      what: "a short link",
      url: SHORT,
      web: { [SHORT_API]: item },
      seen: "active ok_service",
      asked: [`GET https://${SHORT_API}`],
    },
    {
      what: "what a short link led to",
      url: `https://onedrive.live.com/?redeem=${SHORT_TOKEN}&v=photos`,
      web: { [SHORT_API]: item },
      seen: "active ok_service",
    },
    {
      what: "gone",
      url: ONEDRIVE_ITEM,
      web: { [ONEDRIVE_API]: noItem },
      seen: "dead service_not_found C2",
    },
    {
      what: "only there for some",
      url: SHORT,
      web: { [SHORT_API]: json({ error: { code: "unauthenticated" } }, 401) },
      seen: "unknown service_private",
    },
    {
      what: "denied",
      url: ONEDRIVE_ITEM,
      web: { [ONEDRIVE_API]: json({ error: { code: "accessDenied" } }, 403) },
      seen: "unknown service_private",
    },
    {
      what: "a file whose API is ill",
      url: ONEDRIVE_ITEM,
      web: { [ONEDRIVE_API]: 500, "onedrive.live.com/redir": titled("OneDrive") },
      seen: "unknown service_probe_failed",
    },
    {
      what: "a short link that is gone, while the API is ill",
      url: SHORT,
      web: {
        [SHORT_API]: titled("Not JSON"),
        "1drv.ms/b/s!AhcdEfgh": titled("Not found", "", 404),
      },
      seen: "dead http_404 C2",
    },
    {
      what: "asked for where no API is",
      url: ONEDRIVE_ITEM,
      web: {
        [ONEDRIVE_API]: titled("Not found", "", 404),
        "onedrive.live.com/redir": titled("OneDrive"),
      },
      seen: "unknown service_probe_failed",
    },
    {
      what: "a short link, asked for where no API is",
      url: SHORT,
      web: {
        [SHORT_API]: titled("Not found", "", 404),
        "1drv.ms/b/s!AhcdEfgh": titled("OneDrive"),
      },
      seen: "unknown service_probe_failed",
    },
    {
      what: "a file of which only the name is told",
      url: ONEDRIVE_ITEM,
      web: { [ONEDRIVE_API]: json({ name: "a.pdf" }) },
      seen: "active ok_service",
    },
    {
      what: "refused by a name",
      url: ONEDRIVE_ITEM,
      web: {
        [ONEDRIVE_API]: json({ name: "BadGateway" }, 502),
        "onedrive.live.com/redir": titled("OneDrive"),
      },
      seen: "unknown service_probe_failed",
    },
    {
      what: "an address that only the app knows",
      url: "https://onedrive.live.com/?id=%2Fpersonal%2Fab%2FDocuments%2Fa.pdf",
      web: { "onedrive.live.com/": titled("OneDrive") },
      seen: "unknown service_unrecognised",
    },
  ],
});

const SHAREPOINT =
  "https://lut-my.sharepoint.com/:v:/g/personal/a_b_lut_fi/EUrAmrktb4ZMhUcY9J2PqMEBD?e=ZpQOOw";
const SHAREPOINT_PAGE = "lut-my.sharepoint.com/:v:/g/personal/a_b_lut_fi/EUrAmrktb4ZMhUcY9J2PqMEBD";
const MICROSOFT = "login.microsoftonline.com/organizations/oauth2/authorize";

tellOf("sharepoint", {
  urls: [
    SHAREPOINT,
    "https://contoso.sharepoint.com/:f:/s/team/Eabc",
    "https://CONTOSO.sharepoint.com/sites/x",
  ],
  rows: [
    {
      what: "a file",
      url: SHAREPOINT,
      web: {
        [SHAREPOINT_PAGE]: titled(
          "CmvpJST.mp4",
          "<p>A talk about cameras, in which much is said of light.</p>",
        ),
      },
      seen: "active ok",
    },
    { what: "gone", url: SHAREPOINT, web: { [SHAREPOINT_PAGE]: 404 }, seen: "dead http_404 C2" },
    {
      what: "taken back",
      url: SHAREPOINT,
      web: { [SHAREPOINT_PAGE]: titled("Error", "<p>This link has been removed.</p>") },
      seen: "dead service_deleted C2",
    },
    {
      what: "in trouble",
      url: SHAREPOINT,
      web: { [SHAREPOINT_PAGE]: titled("Error", "<p>Sorry, something went wrong</p>") },
      seen: "unknown service_unavailable",
    },
    {
      what: "behind a sign-in",
      url: SHAREPOINT,
      web: {
        [SHAREPOINT_PAGE]: to(
          `https://${MICROSOFT}?redirect_uri=https%3A%2F%2Flut-my.sharepoint.com%2F`,
        ),
        [MICROSOFT]: titled("Sign in to your account"),
      },
      seen: "unknown login_required",
    },
    {
      what: "refused",
      url: SHAREPOINT,
      web: { [SHAREPOINT_PAGE]: titled("Forbidden", "", 403) },
      seen: "unknown http_403",
    },
  ],
});

const MEGA = "g.api.mega.co.nz/cs";
const MEGA_FILE = "https://mega.nz/file/QJUnSbJa#gtZQEfpb5lYHLj2BDyjRKCqrHq0ovVwdzjmrhBFDD5M";
const MEGA_FOLDER = "https://mega.nz/folder/e4diDZ7T#iJnegBO_m6OXBQp27lHCrg";

const megaFile = (what: string, answer: unknown, seen: string, status = 200) => ({
  what,
  url: MEGA_FILE,
  web: { [MEGA]: json(answer, status) },
  seen,
});
const megaFolder = (what: string, answer: unknown, seen: string) => ({
  what: `a folder ${what}`,
  url: MEGA_FOLDER,
  web: { [MEGA]: json(answer) },
  seen,
});

const CODES: [number, string][] = [
  [-2, "dead service_not_found C1"],
  [-3, "unknown service_unavailable"],
  [-4, "unknown service_rate_limited"],
  [-6, "unknown unconfirmed (service_account_gone in 1 hours)"],
  [-7, "dead service_not_found C1"],
  [-8, "dead service_expired C1"],
  [-9, "dead service_not_found C1"],
  [-11, "dead service_not_found C1"],
  [-16, "dead service_takedown C1"],
  [-17, "active ok_service_protected"],
  [-18, "unknown service_unavailable"],
  [-27, "unknown service_rate_limited"],
];

const found = { s: 1048576, at: "WHFJ8vd3QrQ" };
const FILE_QUESTION = '[{"a":"g","p":"QJUnSbJa"}]';
const FOLDER_QUESTION = '[{"a":"f","c":1,"r":1,"ca":1}]';
const NODE_QUESTION = '[{"a":"g","n":"fNode123"}]';

/** The address holds a number that is another one each time. */
const askedMega = (question: string, folder: string | null) => async (request: Request) => {
  const query = new URL(request.url).searchParams;
  const isNumbered = /^\d+$/.test(query.get("id") ?? "") && query.get("n") === folder;
  if (!isNumbered || (await request.text()) !== question)
    return new Response(null, { status: 599 });
  return json([question === FOLDER_QUESTION ? { f: [{ h: "e4diDZ7T", t: 1 }], sn: "x" } : found]);
};

const alive = (what: string, url: string, question: string, folder: string | null = null) => ({
  what,
  url,
  web: { [MEGA]: askedMega(question, folder) },
  seen: "active ok_service",
});

/** Refuses every other request as a whole. */
function refusedFirst(answer: unknown): Answers {
  let asked = 0;
  return () => json(asked++ % 2 === 0 ? -2 : answer);
}

tellOf("mega", {
  urls: [
    MEGA_FILE,
    "https://mega.co.nz/#!QJUnSbJa!gtZQ",
    "https://www.mega.io/",
    "https://MEGA.nz/embed/QJUnSbJa#key",
  ],
  rows: [
    alive("a file", MEGA_FILE, FILE_QUESTION),
    alive("a file, embedded", "https://mega.nz/embed/QJUnSbJa#gtZQEf", FILE_QUESTION),
    alive(
      "a file, embedded with its key in the path",
      "https://mega.nz/embed/!QJUnSbJa!gtZQEf",
      FILE_QUESTION,
    ),
    alive("a file in the old form", "https://mega.co.nz/#!QJUnSbJa!gtZQEf", FILE_QUESTION),
    alive(
      "a file in the old form, embedded",
      "https://mega.nz/embed#!QJUnSbJa!gtZQEf",
      FILE_QUESTION,
    ),
    alive("a file without its key", "https://mega.nz/file/QJUnSbJa", FILE_QUESTION),
    alive("a folder", MEGA_FOLDER, FOLDER_QUESTION, "e4diDZ7T"),
    alive("a folder in a folder", `${MEGA_FOLDER}/folder/fNode123`, FOLDER_QUESTION, "e4diDZ7T"),
    alive(
      "a folder in the old form",
      "https://mega.nz/#F!e4diDZ7T!iJnegBO",
      FOLDER_QUESTION,
      "e4diDZ7T",
    ),
    alive("a file in a folder", `${MEGA_FOLDER}/file/fNode123`, NODE_QUESTION, "e4diDZ7T"),
    alive(
      "a file in a folder in the old form",
      "https://mega.nz/#F!e4diDZ7T!iJnegBO?fNode123",
      NODE_QUESTION,
      "e4diDZ7T",
    ),
    ...[
      "#%21QJUnSbJa%21gtZQEf",
      "%23!QJUnSbJa!gtZQEf",
      "%23%21QJUnSbJa%21gtZQEf",
      "embed#%21QJUnSbJa%21gtZQEf",
      "embed/%21QJUnSbJa%21gtZQEf",
      "file/QJUnSbJa%23gtZQEf",
      "file/QJUnSbJa/#gtZQEf",
      "file/QJUnSbJa%21gtZQEf",
    ].map((pasted) => alive(`a file as ${pasted}`, `https://mega.nz/${pasted}`, FILE_QUESTION)),
    ...[
      "#F%21e4diDZ7T%21iJnegBO",
      "%23F!e4diDZ7T!iJnegBO",
      "folder/e4diDZ7T%23iJnegBO",
      "folder/e4diDZ7T/#iJnegBO",
    ].map((pasted) =>
      alive(`a folder as ${pasted}`, `https://mega.nz/${pasted}`, FOLDER_QUESTION, "e4diDZ7T"),
    ),
    ...[
      "#F%21e4diDZ7T%21iJnegBO?fNode123",
      "%23F!e4diDZ7T!iJnegBO?fNode123",
      "folder/e4diDZ7T%23iJnegBO/file/fNode123",
      "folder/e4diDZ7T/#iJnegBO/file/fNode123",
      "%23F!e4diDZ7T!iJnegBO%3FfNode123",
      "#N!fNode123!iJnegBO###n=e4diDZ7T",
      "%23N%21fNode123%21iJnegBO%23%23%23n=e4diDZ7T",
    ].map((pasted) =>
      alive(
        `a file in a folder as ${pasted}`,
        `https://mega.nz/${pasted}`,
        NODE_QUESTION,
        "e4diDZ7T",
      ),
    ),
    ...[
      "#N!fNode123!iJnegBO",
      "#P!AgFx",
      "file/QJUn",
      "file/QJUnSbJaX#gtZQEf",
      "%23!QJUn!gtZQEf",
      "folder/e4diDZ7T#iJnegBO/file/fNode",
      "folder/e4diDZ7T%23iJnegBO/file/fNode",
      "chat/QJUnSbJa#gtZQEf",
    ].map((rest) => {
      const url = `https://mega.nz/${rest}`;
      const { host, pathname } = new URL(url);
      return {
        what: `an address that nothing can be asked about: ${rest}`,
        url,
        web: { [host + pathname]: titled("MEGA") },
        seen: "unknown service_unrecognised",
      };
    }),
    {
      what: "a folder whose listing is too long to be read to its end",
      url: MEGA_FOLDER,
      web: {
        [MEGA]: new Response(
          `[{"f":[{"h":"e4diDZ7T","t":1}${',{"h":"abcdefgh","t":0}'.repeat(60_000)}],"sn":"x"}]`,
          { headers: { "Content-Type": "application/json" } },
        ),
      },
      seen: "active ok_service",
    },
    {
      what: "a file about which the answer is nested without end",
      url: MEGA_FILE,
      web: {
        [MEGA]: new Response("[".repeat(500_000) + "]".repeat(500_000), {
          headers: { "Content-Type": "application/json" },
        }),
      },
      seen: "unknown service_probe_failed",
    },
    ...CODES.map(([code, seen]) => megaFile(`told by ${code}`, [code], seen)),
    ...CODES.map(([code, seen]) => megaFile(`told by ${code} in an object`, [{ err: code }], seen)),
    ...CODES.map(([code, seen]) => megaFolder(`told by ${code}`, code, seen)),
    megaFile(
      "gone, though something is told of it",
      [{ e: -9, s: 1, at: "x" }],
      "dead service_not_found C1",
    ),
    megaFile("of a suspended account", [{ err: -16, u: 7, l: 2 }], "dead service_account_gone C1"),
    megaFile("asked for in a busy moment", -3, "unknown service_unavailable"),
    megaFile("asked for too often", -4, "unknown service_rate_limited"),
    ...CODES.map(([code, seen]) =>
      megaFile(`refused with all others by ${code}, and alone`, code, seen),
    ),
    {
      what: "there, though it was refused with all others",
      url: MEGA_FILE,
      web: { [MEGA]: refusedFirst([{ s: 1, at: "x" }]) },
      seen: "active ok_service",
    },
    {
      what: "gone, though another was the reason to refuse all",
      url: MEGA_FILE,
      web: { [MEGA]: refusedFirst([-9]) },
      seen: "dead service_not_found C1",
    },
    megaFile("told by a number that no rule knows", [-15], "unknown service_probe_failed"),
    megaFile("told by a longer number", [-90], "unknown service_probe_failed"),
    megaFile("of no size", [{ at: "x" }], "unknown service_probe_failed"),
    megaFile("of no name", [{ s: 1 }], "unknown service_probe_failed"),
    {
      what: "to be asked for with a proof of work",
      url: MEGA_FILE,
      web: {
        [MEGA]: new Response("", {
          status: 402,
          headers: { "X-Hashcash": "1:192:1700000000:abc" },
        }),
      },
      seen: "unknown service_rate_limited",
    },
    {
      what: "beyond the bandwidth",
      url: MEGA_FILE,
      web: { [MEGA]: 509 },
      seen: "unknown service_rate_limited",
    },
    {
      what: "at a server in trouble",
      url: MEGA_FILE,
      web: { [MEGA]: 500 },
      seen: "unknown service_unavailable",
    },
    {
      what: "behind a wall",
      url: MEGA_FILE,
      web: { [MEGA]: challenge() },
      seen: "unknown service_probe_failed",
    },
    {
      what: "answered with a page",
      url: MEGA_FILE,
      web: { [MEGA]: titled("MEGA") },
      seen: "unknown service_probe_failed",
    },
    megaFolder("that is gone, in a list", [-9], "dead service_not_found C1"),
    megaFolder(
      "of a suspended account",
      [{ err: -16, u: 7, l: 2 }],
      "dead service_account_gone C1",
    ),
    megaFolder("that is not shared any more", [{ f: [] }], "unknown service_probe_failed"),
    megaFolder(
      "by one whose number ends alike",
      [{ f: [{ h: "e4diDZ7T", u: 7, t: 1 }] }],
      "active ok_service",
    ),
    ...[[-9], [{ s: 1 }], [{ at: "x" }]].map((answer, i) => ({
      ...megaFolder(
        "",
        answer,
        i === 0 ? "dead service_not_found C1" : "unknown service_probe_failed",
      ),
      what: `a file in a folder, answered with ${JSON.stringify(answer)}`,
      url: `${MEGA_FOLDER}/file/fNode123`,
    })),
  ],
});

const MEDIAFIRE_FILE = "https://www.mediafire.com/file/n9ppjpip0r3f01v/Set13_tier_2.zip/file";
const MEDIAFIRE_PAGE = "www.mediafire.com/file/n9ppjpip0r3f01v/Set13_tier_2.zip/file";
const MEDIAFIRE_API = "www.mediafire.com/api/1.5/file/get_info.php";
const MEDIAFIRE_FOLDERS = "www.mediafire.com/api/1.5/folder/get_info.php";
const MEDIAFIRE_ERROR = "www.mediafire.com/error.php";

const mediafire = (what: string, response: object, seen: string) => ({
  what,
  url: MEDIAFIRE_FILE,
  web: { [MEDIAFIRE_API]: json({ response: { action: "file/get_info", ...response } }) },
  seen,
});
/** Where its API is ill, the page tells. */
const mediafirePage = (what: string, answer: Response, seen: string) => ({
  what,
  url: MEDIAFIRE_FILE,
  web: { [MEDIAFIRE_API]: 500, [MEDIAFIRE_PAGE]: answer },
  seen,
});
const mediafireError = (errno: number, seen: string) => ({
  what: `led to error ${errno}`,
  url: MEDIAFIRE_FILE,
  web: {
    [MEDIAFIRE_API]: 500,
    [MEDIAFIRE_PAGE]: to(`/error.php?errno=${errno}&origin=download`),
    [MEDIAFIRE_ERROR]: titled(
      "File sharing and storage made simple",
      "<p>Invalid or Deleted File.</p>",
    ),
  },
  seen,
});

const foundFile = {
  result: "Success",
  file_info: { quickkey: "n9ppjpip0r3f01v", password_protected: "no" },
};

tellOf("mediafire", {
  urls: [
    MEDIAFIRE_FILE,
    "https://app.mediafire.com/folder/xqub019s2e2l1",
    "https://MEDIAFIRE.com/?n9ppjpip0r3f01v",
  ],
  rows: [
    {
      ...mediafire("a file", foundFile, "active ok_service"),
      asked: [`GET https://${MEDIAFIRE_API}?quick_key=n9ppjpip0r3f01v&response_format=json`],
    },
    {
      ...mediafire("a file by its key", foundFile, "active ok_service"),
      url: "https://www.mediafire.com/?n9ppjpip0r3f01v",
    },
    {
      ...mediafire("a file by its old address", foundFile, "active ok_service"),
      url: "https://www.mediafire.com/download.php?n9ppjpip0r3f01v",
    },
    ...[
      "www.mediafire.com/listen/n9ppjpip0r3f01v/a.mp3",
      "www.mediafire.com/watch/n9ppjpip0r3f01v",
      "www.mediafire.com/i?n9ppjpip0r3f01v",
      "www.mediafire.com/i/?n9ppjpip0r3f01v",
      "www.mediafire.com/?quickkey=n9ppjpip0r3f01v",
      "download123.mediafire.com/x1y2z3/n9ppjpip0r3f01v/Set13_tier_2.zip",
      "mfi.re/?n9ppjpip0r3f01v",
    ].map((place) => ({
      ...mediafire(`a file as ${place}`, foundFile, "active ok_service"),
      url: `https://${place}`,
      asked: [`GET https://${MEDIAFIRE_API}?quick_key=n9ppjpip0r3f01v&response_format=json`],
    })),
    {
      what: "a short link",
      url: "https://mfi.re/abc",
      web: {
        "mfi.re/abc": to(MEDIAFIRE_FILE),
        [MEDIAFIRE_PAGE]: titled("MediaFire"),
        [MEDIAFIRE_API]: json({ response: foundFile }),
      },
      seen: "active ok_service",
    },
    ...["mfi.re/abc", "www.mediafire.com/some/thing", "www.mediafire.com/?sharekey=abc"].map(
      (place) => ({
        what: `led from ${place} to error 320`,
        url: `https://${place}`,
        web: {
          [place]: to("https://www.mediafire.com/error.php?errno=320&origin=download"),
          [MEDIAFIRE_ERROR]: titled(
            "File sharing and storage made simple",
            "<p>Invalid or Deleted File.</p>",
          ),
        },
        seen: "dead service_deleted C1",
      }),
    ),
    {
      what: "gone by the page of an address that no rule knows",
      url: "https://www.mediafire.com/some/thing",
      web: {
        "www.mediafire.com/some/thing": titled(
          "MediaFire",
          '<p class="error_msg_title">Invalid or Deleted File.</p>',
        ),
      },
      seen: "dead service_not_found C2",
    },
    mediafire(
      "gone by a number in quotes",
      { message: "Unknown or Invalid QuickKey", error: "110", result: "Error" },
      "dead service_not_found C1",
    ),
    mediafire(
      "private by a number in quotes",
      { error: "114", result: "Error" },
      "unknown service_private",
    ),
    ...[110, "110", "112"].map((error) => ({
      what: `a folder told by ${JSON.stringify(error)}`,
      url: "https://www.mediafire.com/folder/xqub019s2e2l1",
      web: { [MEDIAFIRE_FOLDERS]: json({ response: { error, result: "Error" } }) },
      seen: "dead service_not_found C1",
    })),
    mediafire(
      "behind a password",
      { result: "Success", file_info: { password_protected: "yes" } },
      "active ok_service_protected",
    ),
    mediafire(
      "gone",
      { message: "Unknown or Invalid QuickKey", error: 110, result: "Error" },
      "dead service_not_found C1",
    ),
    mediafire(
      "private",
      { message: "Access denied", error: 114, result: "Error" },
      "unknown service_private",
    ),
    mediafire("of no session", { error: 104, result: "Error" }, "unknown service_private"),
    mediafire("of no key", { error: 111, result: "Error" }, "unknown service_private"),
    {
      what: "a folder",
      url: "https://www.mediafire.com/folder/xqub019s2e2l1/KCD",
      web: { [MEDIAFIRE_FOLDERS]: json({ response: { result: "Success", folder_info: {} } }) },
      seen: "active ok_service",
      asked: [`GET https://${MEDIAFIRE_FOLDERS}?folder_key=xqub019s2e2l1&response_format=json`],
    },
    {
      what: "a folder by its key that is gone",
      url: "https://www.mediafire.com/?xqub019s2e2l1",
      web: {
        [MEDIAFIRE_FOLDERS]: json(
          { response: { message: "Unknown or invalid FolderKey", error: 112, result: "Error" } },
          404,
        ),
      },
      seen: "dead service_not_found C1",
    },
    {
      what: "a folder that was taken down",
      url: "https://www.mediafire.com/folder/xqub019s2e2l1",
      web: {
        [MEDIAFIRE_FOLDERS]: json(
          {
            response: { message: "Folder blocked for DMCA violation", error: 293, result: "Error" },
          },
          403,
        ),
      },
      seen: "dead service_takedown C1",
    },
    mediafirePage(
      "there by its page",
      titled("Set13", '<div class="filename">Set13_tier_2.zip</div>'),
      "active ok_service",
    ),
    mediafirePage(
      "behind a password by its page",
      titled("Set13", '<div class="passwordPrompt">Password</div><div class="filename">a</div>'),
      "active ok_service_protected",
    ),
    mediafirePage(
      "behind a password by a form",
      titled("Set13", '<form name="form_password"></form><div class="filename">a</div>'),
      "active ok_service_protected",
    ),
    ...[
      "<div class='passwordPrompt'>",
      '<div id="p" class="box passwordPrompt">',
      "<form name='form_password'>",
      '<div aria-labelledby="passwordmsg">',
    ].map((mark) =>
      mediafirePage(
        `behind a password by ${mark}`,
        titled("Set13", `${mark}</div><div class="filename">a</div>`),
        "active ok_service_protected",
      ),
    ),
    mediafirePage(
      "gone by its page",
      titled("MediaFire", '<p class="error_msg_title">Invalid or Deleted File.</p>'),
      "dead service_not_found C2",
    ),
    mediafirePage(
      "not there for now",
      titled(
        "MediaFire",
        '<p class="error-title"> Temporarily Unavailable </p><div class="filename">a</div>',
      ),
      "unknown service_unavailable",
    ),
    mediafirePage(
      "on a page that no rule knows",
      titled("MediaFire"),
      "unknown service_probe_failed",
    ),
    mediafirePage("behind a wall", challenge(), "unknown bot_challenge"),
    mediafireError(320, "dead service_deleted C1"),
    ...[323, 326, 378, 380, 386, 388].map((errno) =>
      mediafireError(errno, "dead service_takedown C1"),
    ),
    mediafireError(382, "dead service_account_gone C1"),
    mediafireError(394, "unknown service_rate_limited"),
    mediafireError(999, "unknown service_private"),
  ],
});

const BOX = "https://utexas.app.box.com/s/2x6vanv85fdl8j2eqlcxmv0gp1wvps6e";
const BOX_PAGE = "utexas.app.box.com/s/2x6vanv85fdl8j2eqlcxmv0gp1wvps6e";

tellOf("box", {
  urls: [
    BOX,
    "https://app.box.com/s/abc",
    "https://thejacksonlaboratory.ent.BOX.com/s/abc/file/1",
    "https://www.box.net/s/abc",
  ],
  rows: [
    {
      what: "a file",
      url: BOX,
      web: {
        [BOX_PAGE]: titled(
          "Webinar recording.mp4 | Powered by Box",
          "<p>A recording of a webinar about taking the leap, given in spring.</p>",
        ),
      },
      seen: "active ok",
    },
    { what: "gone", url: BOX, web: { [BOX_PAGE]: 404 }, seen: "dead http_404 C2" },
    {
      what: "gone by its title",
      url: BOX,
      web: { [BOX_PAGE]: titled("Box | 404 Page Not Found") },
      seen: "dead service_not_found C2",
    },
    {
      what: "gone by a name in its page",
      url: BOX,
      web: { [BOX_PAGE]: titled("Box", '<div class="error_message_not_found"></div>') },
      seen: "dead service_not_found C2",
    },
    {
      what: "led to an offer instead",
      url: BOX,
      web: {
        [BOX_PAGE]: to("/freeshare"),
        "utexas.app.box.com/freeshare": titled("Share files for free"),
      },
      seen: "dead service_not_found C2",
    },
    {
      what: "behind a sign-in",
      url: BOX,
      web: {
        [BOX_PAGE]: to("https://account.box.com/login?redirect_url=%2Fs%2F2x6vanv85"),
        "account.box.com/login": titled("Box | Login"),
      },
      seen: "unknown login_required",
    },
    {
      what: "behind a wall",
      url: BOX,
      web: { [BOX_PAGE]: challenge() },
      seen: "unknown bot_challenge",
    },
  ],
});

const PCLOUD_US = "https://u.pcloud.link/publink/show?code=XZ2ABCkZdef";
const PCLOUD_EU = "https://e.pcloud.link/publink/show?code=kZ2ABCkZdef";
const US_API = "api.pcloud.com/showpublink";
const EU_API = "eapi.pcloud.com/showpublink";

const pcloud = (what: string, result: number, seen: string) => ({
  what,
  url: PCLOUD_US,
  web: { [US_API]: json({ result, error: "A word." }) },
  seen,
});

tellOf("pcloud", {
  urls: [
    PCLOUD_US,
    PCLOUD_EU,
    "https://my.pcloud.com/#page=publink&code=XZ2ABC",
    "https://e.PC.cd/Ab3de",
  ],
  rows: [
    {
      what: "a file in the United States",
      url: PCLOUD_US,
      web: { [US_API]: json({ result: 0, metadata: { name: "a.zip" } }) },
      seen: "active ok_service",
      asked: [`GET https://${US_API}?code=XZ2ABCkZdef`],
    },
    {
      what: "a file in Europe",
      url: PCLOUD_EU,
      web: { [EU_API]: json({ result: 0, metadata: {} }) },
      seen: "active ok_service",
      asked: [`GET https://${EU_API}?code=kZ2ABCkZdef`],
    },
    {
      what: "a short link in the United States",
      url: "https://pc.cd/Ab3de",
      web: { [US_API]: json({ result: 0 }) },
      seen: "active ok_service",
      asked: [`GET https://${US_API}?code=Ab3de`],
    },
    {
      what: "a short link in Europe",
      url: "https://e.pc.cd/Ab3de",
      web: { [EU_API]: json({ result: 0 }) },
      seen: "active ok_service",
      asked: [`GET https://${EU_API}?code=Ab3de`],
    },
    {
      what: "an old link of either region",
      url: "https://my.pcloud.com/#page=publink&code=kZ2ABCkZdef",
      web: { [US_API]: json({ result: 7001 }), [EU_API]: json({ result: 0 }) },
      seen: "active ok_service",
      asked: [`GET https://${US_API}?code=kZ2ABCkZdef`, `GET https://${EU_API}?code=kZ2ABCkZdef`],
    },
    ...["u", "e1"].map((region) => ({
      what: `an old link at ${region}.pcloud.com`,
      url: `https://${region}.pcloud.com/#page=publink&code=XZ2ABCkZdef`,
      web: { [region === "u" ? US_API : EU_API]: json({ result: 7001 }) },
      seen: "dead service_not_found C1",
    })),
    {
      what: "a link of either region to a file that is in the other",
      url: "https://my.pcloud.com/publink/show?code=kZ2ABCkZdef",
      web: { [US_API]: json({ result: 2009 }), [EU_API]: json({ result: 0 }) },
      seen: "active ok_service",
    },
    {
      what: "a link of either region that neither knows",
      url: "https://my.pcloud.com/publink/show?code=kZ2ABCkZdef",
      web: { [US_API]: json({ result: 2321 }), [EU_API]: json({ result: 7001 }) },
      seen: "dead service_not_found C1",
    },
    pcloud("deleted by its owner", 7002, "dead service_deleted C1"),
    pcloud("taken down", 7003, "dead service_takedown C1"),
    pcloud("expired", 7004, "dead service_expired C1"),
    pcloud("of an unknown code", 7001, "dead service_not_found C1"),
    pcloud("of a file that is gone", 2009, "dead service_not_found C1"),
    {
      what: "gone",
      url: PCLOUD_US,
      web: { [US_API]: json({ error: "Not found." }, 404) },
      seen: "dead service_not_found C1",
    },
    {
      what: "asked for where no API is",
      url: PCLOUD_US,
      web: {
        [US_API]: titled("Not found", "", 404),
        "u.pcloud.link/publink/show": titled("pCloud"),
      },
      seen: "unknown service_probe_failed",
    },
    pcloud("behind a password", 2258, "active ok_service_protected"),
    pcloud("downloaded as often as its owner pays for", 7005, "active ok_service_protected"),
    pcloud("downloaded as often as it may be", 7006, "active ok_service_protected"),
    pcloud("only there for its owner", 2003, "unknown service_private"),
    pcloud("without a server", 5002, "unknown service_unavailable"),
    {
      what: "a link whose API is ill",
      url: PCLOUD_US,
      web: { [US_API]: challenge(), "u.pcloud.link/publink/show": titled("pCloud") },
      seen: "unknown service_probe_failed",
    },
  ],
});

const YANDEX = "https://disk.yandex.ru/d/h3WAXvDS3Li3Ce?uid=1";
const YANDEX_API = "cloud-api.yandex.net/v1/disk/public/resources";
const resource = json({ public_key: "uC+oTPzFI=", name: "a", type: "dir" });
const yandexGone = json(
  { message: "Не удалось найти запрошенный ресурс.", error: "DiskNotFoundError" },
  404,
);

tellOf("yandex-disk", {
  urls: [
    YANDEX,
    "https://yadi.sk/i/VdOeDou8eZs6Y",
    "https://disk.360.yandex.ru/i/TM2xsIVsgjY4uw",
    "https://DISK.yandex.com.tr/d/abc",
  ],
  rows: [
    {
      what: "a folder",
      url: YANDEX,
      web: { [YANDEX_API]: resource },
      seen: "active ok_service",
      asked: [
        `GET https://${YANDEX_API}?public_key=https%3A%2F%2Fdisk.yandex.ru%2Fd%2Fh3WAXvDS3Li3Ce&limit=1`,
      ],
    },
    {
      what: "a file in a folder",
      url: "https://yadi.sk/d/h3WAXvDS3Li3Ce/Music/a%20b.mp3",
      web: { [YANDEX_API]: resource },
      seen: "active ok_service",
      asked: [
        `GET https://${YANDEX_API}?public_key=https%3A%2F%2Fyadi.sk%2Fd%2Fh3WAXvDS3Li3Ce&path=%2FMusic%2Fa%20b.mp3&limit=1`,
      ],
    },
    {
      what: "a link in the old form",
      url: "https://yadi.sk/public?hash=5DZ296JK%2B%2FuhNqk38%3D",
      web: { [YANDEX_API]: resource },
      seen: "active ok_service",
      asked: [`GET https://${YANDEX_API}?public_key=5DZ296JK%2B%2FuhNqk38%3D&limit=1`],
    },
    {
      what: "a link from a mail",
      url: "https://yadi.sk/mail/?hash=5DZ296JK%2B%2FuhNqk38%3D",
      web: { [YANDEX_API]: resource },
      seen: "active ok_service",
      asked: [`GET https://${YANDEX_API}?public_key=5DZ296JK%2B%2FuhNqk38%3D&limit=1`],
    },
    {
      what: "a link from a mail, without a slash",
      url: "https://yadi.sk/mail?hash=5DZ296JK%2B%2FuhNqk38%3D",
      web: { [YANDEX_API]: resource },
      seen: "active ok_service",
      asked: [`GET https://${YANDEX_API}?public_key=5DZ296JK%2B%2FuhNqk38%3D&limit=1`],
    },
    {
      what: "a file of which only the name is told",
      url: YANDEX,
      web: { [YANDEX_API]: json({ name: "a.zip", type: "file" }) },
      seen: "active ok_service",
    },
    {
      what: "refused by a name",
      url: YANDEX,
      web: {
        [YANDEX_API]: json({ name: "Bad gateway" }, 502),
        "disk.yandex.ru/d/h3WAXvDS3Li3Ce": titled("Yandex Disk"),
      },
      seen: "unknown service_probe_failed",
    },
    {
      what: "gone",
      url: YANDEX,
      web: { [YANDEX_API]: yandexGone },
      seen: "dead service_not_found C1",
    },
    {
      what: "not found by who knows nothing of disks",
      url: YANDEX,
      web: {
        [YANDEX_API]: json({ error: "NotFoundError" }, 404),
        "disk.yandex.ru/d/h3WAXvDS3Li3Ce": titled("a — Yandex Disk"),
      },
      seen: "unknown service_probe_failed",
    },
    {
      what: "asked for too often",
      url: YANDEX,
      web: { [YANDEX_API]: json({ error: "TooManyRequestsError" }, 429) },
      seen: "unknown service_rate_limited",
    },
    {
      what: "not found by its page alone",
      url: YANDEX,
      web: {
        [YANDEX_API]: 500,
        "disk.yandex.ru/d/h3WAXvDS3Li3Ce": titled("Yandex Disk", "<p>Nothing found</p>", 404),
      },
      seen: "unknown service_unrecognised",
    },
  ],
});

const CLOUD_MAIL = "https://cloud.mail.ru/public/JWXJ/xsyPB2eZU/photos/a%20b.jpg";
const CLOUD_MAIL_PAGE = "cloud.mail.ru/public/JWXJ/xsyPB2eZU/photos/a%20b.jpg";
const CLOUD_MAIL_API = "cloud.mail.ru/api/v2/folder";

const cloudMail = (
  what: string,
  answer: Response | number,
  seen: string,
  onPage: Response = titled("Cloud"),
) => ({
  what,
  url: CLOUD_MAIL,
  web: { [CLOUD_MAIL_API]: answer, [CLOUD_MAIL_PAGE]: onPage },
  seen,
});

tellOf("cloud-mail-ru", {
  urls: [
    CLOUD_MAIL,
    "https://www.cloud.mail.ru/public/JWXJ/xsyPB2eZU",
    "https://CLOUD.mail.ru/home/",
  ],
  rows: [
    {
      ...cloudMail(
        "a file",
        json({ email: "anonym", body: { name: "a b.jpg" }, status: 200 }),
        "active ok_service",
      ),
      asked: [
        `GET https://${CLOUD_MAIL_API}?weblink=JWXJ%2FxsyPB2eZU%2Fphotos%2Fa%20b.jpg&offset=0&limit=1&api=2`,
      ],
    },
    cloudMail(
      "gone",
      json({ body: { weblink: { error: "not_exists" } }, status: 400 }, 400),
      "dead service_not_found C2",
    ),
    cloudMail(
      "gone, without more words",
      json({ body: "not found", status: 404 }, 404),
      "dead service_not_found C2",
    ),
    cloudMail(
      "in doubt",
      json({ body: { limit: { error: "invalid" } }, status: 400 }, 400),
      "unknown service_unrecognised",
    ),
    cloudMail(
      "in doubt, and gone by its page",
      json({ body: {}, status: 400 }, 400),
      "dead service_not_found C2",
      titled("Cloud", '<script>var x = {"error": "not_exists"}</script>'),
    ),
    ...[
      '"weblink":"JWXJ/xsyPB2eZU/photos/a b.jpg"',
      '"weblink": "JWXJ/xsyPB2eZU/photos/a b.jpg"',
    ].map((mark) =>
      cloudMail(
        `there by its page, with ${mark}`,
        text("oops", 500),
        "active ok_service",
        titled("Cloud", `<script>var x = {${mark},"kind":"file"}</script>`),
      ),
    ),
    cloudMail(
      "on the page of another whose name begins alike",
      text("oops", 500),
      "unknown service_probe_failed",
      titled("Cloud", '<script>var x = {"weblink":"JWXJ/xsyPB2eZU/photos/a b.jpg.zip"}</script>'),
    ),
    cloudMail(
      "gone by a page that names it",
      text("oops", 500),
      "dead service_not_found C2",
      titled(
        "Cloud",
        '<script>var x = {"weblink":"JWXJ/xsyPB2eZU/photos/a b.jpg","error":"not_exists"}</script>',
      ),
    ),
    cloudMail("denied", json({ body: "user", status: 403 }, 403), "unknown service_probe_failed"),
    cloudMail("behind a wall", challenge(), "unknown service_probe_failed"),
    cloudMail(
      "answered with nothing",
      json({ body: {}, status: 200 }),
      "unknown service_probe_failed",
    ),
  ],
});

const BAIDU = "https://pan.baidu.com/s/1abcDEF-gh_IJK";
const BAIDU_PAGE = "pan.baidu.com/s/1abcDEF-gh_IJK";
const baidu = (what: string, answer: Response, seen: string) => ({
  what,
  url: BAIDU,
  web: { [BAIDU_PAGE]: answer },
  seen,
});

tellOf("baidu-pan", {
  urls: [
    BAIDU,
    "https://yun.baidu.com/share/link?shareid=1&uk=2",
    "https://PAN.baidu.com/wap/link?surl=abc",
  ],
  rows: [
    baidu("a file", titled("a.zip_免费高速下载|百度网盘-分享无限制"), "active ok_service"),
    {
      what: "behind a code",
      url: BAIDU,
      web: {
        [BAIDU_PAGE]: to("/share/init?surl=abcDEF-gh_IJK"),
        "pan.baidu.com/share/init": titled("百度网盘"),
      },
      seen: "active ok_service_protected",
    },
    baidu(
      "behind a code in words",
      titled("百度网盘", "<p>请输入提取码：</p>"),
      "active ok_service_protected",
    ),
    baidu(
      "gone",
      titled("百度网盘", '<div id="share_nofound_des">啊哦</div>'),
      "dead service_not_found C2",
    ),
    baidu("gone by its title", titled("百度网盘-链接不存在"), "dead service_not_found C2"),
    baidu(
      "gone by its heading",
      page("<title>百度网盘</title><h1>啊哦，链接不存在</h1>"),
      "dead service_not_found C2",
    ),
    baidu(
      "gone by a word",
      page("<title>百度网盘</title><p> 链接不存在。</p>"),
      "dead service_not_found C2",
    ),
    ...["链接不存在", "链接不存在.zip", "分享的文件已经被取消.zip"].map((name) =>
      baidu(
        `a file called ${name}`,
        titled(`${name}_免费高速下载|百度网盘-分享无限制`, `<h2>${name}</h2>`),
        "active ok_service",
      ),
    ),
    baidu(
      "on a page that only tells of links",
      page("<title>百度网盘</title><p>链接不存在怎么办</p>"),
      "unknown service_unrecognised",
    ),
    baidu(
      "taken back",
      titled(
        "百度网盘-链接不存在",
        '<div id="share_nofound_des">啊哦，你来晚了，分享的文件已经被取消了，下次要早点哟。</div>',
      ),
      "dead service_deleted C2",
    ),
    baidu(
      "not found, which is also said of what is there",
      titled("404", "", 404),
      "unknown service_unrecognised",
    ),
    baidu("on a page that no rule knows", titled("百度网盘"), "unknown service_unrecognised"),
    baidu("behind a wall", challenge(), "unknown bot_challenge"),
  ],
});

const TERABOX = "https://1024terabox.com/s/1KRUdtWkTI-jYMKHGOk17-g";
const TERABOX_PAGE = "1024terabox.com/s/1KRUdtWkTI-jYMKHGOk17-g";
const TERABOX_API = "www.terabox.com/api/shorturlinfo";
const TERABOX_ASKED =
  "GET https://www.terabox.com/api/shorturlinfo?app_id=250528&web=1&channel=dubox&clienttype=0&jsToken=&shorturl=1KRUdtWkTI-jYMKHGOk17-g&root=1";

const terabox = (what: string, answer: Response | number, seen: string) => ({
  what,
  url: TERABOX,
  web: { [TERABOX_API]: answer, [TERABOX_PAGE]: titled("TeraBox") },
  seen,
});

tellOf("terabox", {
  urls: [
    TERABOX,
    "https://www.terabox.com/sharing/link?surl=KRUdtWkTI",
    "https://TERABOXAPP.com/s/1abcdef",
    "https://dubox.com/s/1abcdef",
  ],
  rows: [
    {
      ...terabox("a file", json({ errno: 0, list: [{}] }), "active ok_service"),
      asked: [TERABOX_ASKED],
    },
    {
      ...terabox("a file by another address", json({ errno: 0 }), "active ok_service"),
      url: "https://www.terabox.com/english/sharing/link?surl=KRUdtWkTI-jYMKHGOk17-g",
      asked: [TERABOX_ASKED],
    },
    terabox("behind a password", json({ errno: -9 }), "active ok_service_protected"),
    terabox("gone", json({ errno: 105, errmsg: "share not found" }), "dead service_not_found C2"),
    ...[9019, 400141].map((errno) =>
      terabox(`not told to programs, by ${errno}`, json({ errno }), "unknown bot_challenge"),
    ),
    terabox(
      "not told to programs",
      json({ errno: 400210, errmsg: "need verify_v2" }),
      "unknown bot_challenge",
    ),
    terabox(
      "answered with a number that no rule knows",
      json({ errno: 2, errmsg: "param error" }),
      "unknown service_probe_failed",
    ),
    terabox("behind a wall", challenge(), "unknown service_probe_failed"),
  ],
});

const ICEDRIVE = "https://icedrive.net/s/abCDefGH12";
const icedrive = (what: string, answer: Response | number, seen: string) => ({
  what,
  url: ICEDRIVE,
  web: { "icedrive.net/s/abCDefGH12": answer },
  seen,
});

tellOf("icedrive", {
  urls: [ICEDRIVE, "https://www.icedrive.net/0/abCDef", "https://ICEDRIVE.net/file/123"],
  rows: [
    icedrive(
      "a file",
      titled("Icedrive", "<button onclick=\"previewItem('12345')\">Preview</button>"),
      "active ok_service",
    ),
    icedrive(
      "a folder",
      titled("Icedrive", '<button onclick="downloadFolderZip(77)">All</button>'),
      "active ok_service",
    ),
    icedrive(
      "a file that has a name",
      titled("Icedrive", '<p>Filename</p> <p class="value"> a.zip </p>'),
      "active ok_service",
    ),
    icedrive("gone", 404, "dead http_404 C2"),
    icedrive("a page that no rule knows", titled("Icedrive"), "unknown service_unrecognised"),
    icedrive("behind a wall", challenge(), "unknown bot_challenge"),
  ],
});

const FILES_FM = "https://files.fm/u/abcd3fgh";
const FILES_FM_PAGE = "files.fm/u/abcd3fgh";
const filesFm = (what: string, answer: Response | number, seen: string) => ({
  what,
  url: FILES_FM,
  web: { [FILES_FM_PAGE]: answer },
  seen,
});

tellOf("files-fm", {
  urls: [FILES_FM, "https://lv.files.fm/f/abcd3fgh", "https://FILES.fm/down.php?i=abcd3fgh"],
  rows: [
    filesFm(
      "a folder",
      titled(
        "Photos | Files.fm",
        "<p>Twelve photographs of a wedding in the country, for everybody who was there.</p>",
      ),
      "active ok",
    ),
    filesFm("gone", 404, "dead http_404 C2"),
    filesFm(
      "deleted",
      titled("Files.fm", "<p>These files are deleted by the owner</p>"),
      "dead service_deleted C2",
    ),
    filesFm(
      "expired",
      titled(
        "Files.fm",
        '<div class="deleted_wrapper"><p>The expiry date of these files is over</p></div>',
      ),
      "dead service_expired C2",
    ),
    filesFm(
      "deleted by its page",
      titled("Files.fm", '<div class="deleted_wrapper"></div>'),
      "dead service_deleted C2",
    ),
    filesFm(
      "without any files",
      titled("Files.fm", "<p>This link does not contain any files</p>"),
      "dead service_not_found C2",
    ),
    filesFm(
      "behind a password",
      titled("Files.fm", '<input type="password" name="upl_passw">'),
      "active ok_service_protected",
    ),
    filesFm(
      "private",
      titled("Files.fm", '<p id="list_private_upload_msg">Private</p>'),
      "unknown service_private",
    ),
    {
      what: "led to what is private",
      url: FILES_FM,
      web: { [FILES_FM_PAGE]: to("/private?i=1"), "files.fm/private": titled("Files.fm") },
      seen: "unknown service_private",
    },
    filesFm("behind a wall", challenge(), "unknown bot_challenge"),
  ],
});

const ULOZTO = "https://uloz.to/file/aBcD3fGhIjKl/film-avi";
const ulozto = (what: string, answer: Response | number, seen: string) => ({
  what,
  url: ULOZTO,
  web: { "ulozto.net/file/aBcD3fGhIjKl": answer },
  seen,
});

tellOf("ulozto", {
  urls: [
    ULOZTO,
    "https://www.ulozto.cz/soubory/aBcD3f",
    "https://PORNFILE.cz/file/aBcD3f",
    "https://zachowajto.pl/file/aBcD3f",
  ],
  rows: [
    {
      ...ulozto(
        "a file",
        titled("film.avi | Uloz.to", '<span class="jsFileTitle">film.avi</span>'),
        "active ok_service",
      ),
      asked: ["GET https://ulozto.net/file/aBcD3fGhIjKl"],
    },
    {
      ...ulozto("a file by its old address", 599, "active ok_service"),
      url: "https://uloz.to/xYz12Ab/film-avi",
      web: { "ulozto.net/xYz12Ab/film-avi": titled("film.avi", '<b class="jsFileTitle"></b>') },
      asked: ["GET https://ulozto.net/xYz12Ab/film-avi"],
    },
    {
      ...ulozto("a file by its oldest address", 599, "dead service_not_found C1"),
      url: "https://www.ulozto.cz/!abcd/film-avi",
      web: { "ulozto.net/!abcd/film-avi": titled("404 - Page not found", "", 404) },
    },
    {
      ...ulozto("no file at all", 599, "active ok"),
      url: "https://uloz.to/podminky/pravidla",
      web: {
        "uloz.to/podminky/pravidla": titled(
          "Pravidla",
          "<p>Pravidla pro vsechny, kdo tu neco maji nebo neco hledaji, a pro ty ostatni.</p>",
        ),
      },
    },
    ulozto(
      "behind a password",
      titled("film.avi", '<div class="passwordProtectedFile">Password</div>'),
      "active ok_service_protected",
    ),
    ulozto("deleted", page('<h1 class="h1">File has been deleted</h1>'), "dead service_deleted C1"),
    ulozto("banned", page('<h1 class="h1">File was banned</h1>'), "dead service_takedown C1"),
    ulozto(
      "gone by its title",
      titled("404 - Page not found", "", 404),
      "dead service_not_found C1",
    ),
    ulozto(
      "gone in Slovak",
      titled("Uloz.to", "<p>Súbor neexistuje</p>"),
      "dead service_not_found C1",
    ),
    ulozto(
      "gone in Czech",
      titled("Ulož.to", "<p>Stránka nenalezena</p>"),
      "dead service_not_found C1",
    ),
    ulozto(
      "private",
      titled("Uloz.to", "<p>The file has been marked as private</p>"),
      "unknown service_private",
    ),
    ulozto(
      "at a server in trouble",
      titled("500 - Internal Server Error", '<i class="jsFileTitle"></i>'),
      "unknown service_unavailable",
    ),
    ulozto(
      "at a server with too much to do",
      titled("Uloz.to", '<i class="jsFileTitle">dla_backend/uloz.to.overloaded.html</i>'),
      "unknown service_unavailable",
    ),
    ulozto(
      "not there for now",
      titled(
        "Uloz.to",
        '<i class="jsFileTitle">The file is not available at this moment, please, try it later</i>',
      ),
      "unknown service_unavailable",
    ),
    ulozto(
      "gone in Czech, with a number",
      titled("Ulož.to", "Chybka 404 - požadovaná stránka nebyla nalezena<br>"),
      "dead service_not_found C1",
    ),
    ulozto("a page that no rule knows", titled("Uloz.to"), "unknown service_unrecognised"),
    ulozto("behind a wall", challenge(), "unknown bot_challenge"),
  ],
});

const WEBSHARE = "https://webshare.cz/#/file/aBcD3fGhIj/film-avi";
const WEBSHARE_API = "webshare.cz/api/file_info/";
const xml = (body: string) =>
  new Response(`<?xml version="1.0"?><response>${body}</response>`, {
    headers: { "Content-Type": "text/xml; charset=utf-8" },
  });
const foundXml = "<status>OK</status><name>film.avi</name><size>5</size><password>0</password>";

const webshare = (what: string, body: string, seen: string, url = WEBSHARE) => ({
  what,
  url,
  web: { [WEBSHARE_API]: xml(body) },
  seen,
});
const WEBSHARE_ASKED = [`POST https://${WEBSHARE_API} ident=aBcD3fGhIj`];

tellOf("webshare", {
  urls: [WEBSHARE, "https://en.webshare.cz/file/aBcD3fGhIj", "https://WEBSHARE.cz/aBcD3fGhIj"],
  rows: [
    {
      ...webshare("a file", foundXml, "active ok_service"),
      asked: WEBSHARE_ASKED,
      headers: { Accept: "text/xml; charset=UTF-8" },
    },
    {
      ...webshare(
        "a file by a plain address",
        foundXml,
        "active ok_service",
        "https://webshare.cz/file/aBcD3fGhIj/a",
      ),
      asked: WEBSHARE_ASKED,
    },
    {
      ...webshare(
        "a file by a short address",
        foundXml,
        "active ok_service",
        "https://webshare.cz/aBcD3fGhIj",
      ),
      asked: WEBSHARE_ASKED,
    },
    {
      ...webshare(
        "a file by an old address",
        foundXml,
        "active ok_service",
        "https://webshare.cz/?fhash=aBcD3fGhIj",
      ),
      asked: WEBSHARE_ASKED,
    },
    webshare(
      "gone",
      "<status>FATAL</status><code>FILE_INFO_FATAL_1</code><message>File not found.</message>",
      "dead service_not_found C1",
    ),
    webshare("gone without a code", "<status>FATAL</status>", "dead service_not_found C1"),
    webshare(
      "behind a password",
      "<status>FATAL</status><code>FILE_INFO_FATAL_2</code><message>Incorrect password.</message>",
      "active ok_service_protected",
    ),
    webshare(
      "there, with a password",
      "<status>OK</status><name>a</name><password>1</password>",
      "active ok_service_protected",
    ),
    webshare(
      "refused for another reason",
      "<status>FATAL</status><code>FILE_INFO_FATAL_9</code>",
      "unknown service_probe_failed",
    ),
    {
      what: "behind a wall",
      url: WEBSHARE,
      web: { [WEBSHARE_API]: challenge() },
      seen: "unknown service_probe_failed",
    },
    {
      what: "at a server in trouble",
      url: WEBSHARE,
      web: { [WEBSHARE_API]: text("oops", 500) },
      seen: "unknown service_probe_failed",
    },
  ],
});

const FSHARE = "https://www.fshare.vn/file/ABC123DEF456";
const FSHARE_PAGE = "www.fshare.vn/file/ABC123DEF456";
const FSHARE_API = "www.fshare.vn/api/v3/files/folder";
const fsharePage = (what: string, answer: Response | number, seen: string) => ({
  what,
  url: FSHARE,
  web: { [FSHARE_API]: 500, [FSHARE_PAGE]: answer },
  seen,
});

tellOf("fshare", {
  urls: [FSHARE, "https://fshare.vn/folder/ABC123", "https://WWW.Fshare.vn/file/ABC123?token=1"],
  rows: [
    {
      what: "a file",
      url: FSHARE,
      web: { [FSHARE_API]: json({ current: { name: "a.mkv", size: 5 }, items: [] }) },
      seen: "active ok_service",
      asked: [`GET https://${FSHARE_API}?linkcode=ABC123DEF456`],
      headers: { Accept: "application/json, text/plain, */*" },
    },
    {
      what: "gone",
      url: FSHARE,
      web: { [FSHARE_API]: json({ name: "Not Found", status: 404 }, 404) },
      seen: "dead service_not_found C1",
    },
    {
      what: "asked for where no API is",
      url: FSHARE,
      web: {
        [FSHARE_API]: json(
          {
            name: "Not Found",
            message: "Page not found.",
            code: 0,
            status: 404,
            type: "yii\\web\\NotFoundHttpException",
          },
          404,
        ),
        [FSHARE_PAGE]: titled("Fshare"),
      },
      seen: "unknown service_probe_failed",
    },
    fsharePage("gone by its title", titled("Not Found - Fshare"), "dead service_not_found C1"),
    fsharePage(
      "deleted by its page",
      titled("Fshare", "<li>Liên kết bị xóa bởi người sở hữu.</li>"),
      "dead service_deleted C1",
    ),
    fsharePage(
      "gone by its page",
      titled("Fshare", "<b>Liên kết bạn chọn không tồn tại trên hệ thống Fshare</b>"),
      "dead service_not_found C1",
    ),
    fsharePage(
      "deleted by its page in English",
      titled("Fshare", "<p>The file has been deleted by the user.</p>"),
      "dead service_deleted C1",
    ),
    fsharePage(
      "gone by other words",
      titled("Fshare", "<b>Tập tin của bạn yêu cầu không tồn tại</b>"),
      "dead service_not_found C1",
    ),
    fsharePage(
      "gone in English",
      titled("Fshare", "<p>Your requested file does not existed.</p>"),
      "dead service_not_found C1",
    ),
    fsharePage("on a page that no rule knows", titled("Fshare"), "unknown service_probe_failed"),
    fsharePage("behind a wall", challenge(), "unknown bot_challenge"),
  ],
});
