import { dead, type Kind, means, type Page, type Rule, type Service } from "../record.ts";

const NO_DRIVE_DOCUMENT: Rule = dead("service_not_found", "C2", {
  text: "Sorry, we are unable to retrieve this document",
});

const DRIVE_SHOWS_IT: Rule = means("ok_service", {
  status: 200,
  url: String.raw`^https://(?:drive|docs)\.google\.com/`,
  text: "{id}",
});

/** The request of Drive's own viewer. The response is JSON behind a few characters, or the file. */
const DRIVE_DOWNLOAD: Rule[] = [
  means("ok_service_protected", {
    text: [
      "Virus scan warning",
      "Quota exceeded",
      "Too many users have viewed or downloaded this file recently",
      "Sorry, this file is infected with a virus",
    ],
  }),
  means("next", { status: 404 }),
  means("service_private", { status: 403 }),
  means("ok_service_protected", {
    matches: `"disposition" ?: ?"(?:QUOTA_EXCEEDED|DOWNLOAD_RESTRICTED|FILE_INFECTED_NOT_OWNER)"`,
  }),
  means("ok_service", { matches: `"disposition" ?: ?"SCAN_CLEAN"|"fileName" ?: ?"[^"]` }),
  means("ok_service", { header: { "content-disposition": "filename" } }),
];

/** Two not-found responses mean gone. The download alone also returns 404 for some files that require an account. */
const DRIVE_VIEW: Rule[] = [
  dead("service_not_found", "C2", { status: 404 }),
  NO_DRIVE_DOCUMENT,
  dead("service_not_found", "C2", { status: 403, unless: { text: "{id}" } }),
  means("service_private", { status: 403 }),
  DRIVE_SHOWS_IT,
];

const DRIVE_PAGE: Rule[] = [
  NO_DRIVE_DOCUMENT,
  // One of the two not-found responses that are required.
  means("service_unrecognised", { status: 404 }),
  DRIVE_SHOWS_IT,
];

/** @param key resource key that old files require, which are not found without it */
function driveFile(key: "" | "&resourcekey={key}"): Pick<Kind, "ask" | "page"> {
  const view = `https://drive.google.com/file/d/{id}/view${key.replace("&", "?")}`;
  return {
    ask: [
      {
        url: `https://drive.google.com/uc?id={id}${key}&export=download`,
        headers: { "X-Drive-First-Party": "DriveViewer" },
        form: {},
        rules: DRIVE_DOWNLOAD,
      },
      { url: view, rules: DRIVE_VIEW },
    ],
    page: { url: view, rules: DRIVE_PAGE },
  };
}

const DRIVE_FILE = driveFile("");

const DRIVE_FILE_WITH_KEY = driveFile("&resourcekey={key}");

const DRIVE_PATH = String.raw`^/(?:a/[^/]+/)?file/(?:u/\d+/)?d/(?<id>[\w-]{10,})`;

const DRIVE_DOWNLOAD_PATH = String.raw`^/(?:a/[^/]+/)?(?:u/\d+/)?(?:uc|download)$`;

const RESOURCE_KEY = String.raw`(?:^|&)resourcekey=(?<key>[\w-]+)`;

const DRIVE_ID = String.raw`(?:^|&)id=(?<id>[\w-]{10,})`;

const DRIVE_FOLDER: Page = { rules: [means("service_private", { status: 403 }), DRIVE_SHOWS_IT] };

export const GOOGLE_DRIVE: Service[] = [
  {
    id: "google-drive",
    name: "Google Drive",
    hosts: [
      "drive.google.com",
      "drive.usercontent.google.com",
      "docs.google.com/uc",
      "docs.google.com/file",
      "docs.google.com/open",
      "docs.google.com/leaf",
      "docs.google.com/drive",
    ],
    confidence: "M",
    kinds: [
      { kind: "file-with-key", path: DRIVE_PATH, query: RESOURCE_KEY, ...DRIVE_FILE_WITH_KEY },
      { kind: "file", path: DRIVE_PATH, ...DRIVE_FILE },
      {
        kind: "download-with-key",
        path: DRIVE_DOWNLOAD_PATH,
        query: `^(?=.*${RESOURCE_KEY}).*${DRIVE_ID}`,
        ...DRIVE_FILE_WITH_KEY,
      },
      { kind: "download", path: DRIVE_DOWNLOAD_PATH, query: DRIVE_ID, ...DRIVE_FILE },
      // `open` and `leaf` may open either: where they redirect shows which.
      { kind: "folder", path: String.raw`^/(?:.+/)?folders/(?<id>[\w-]{10,})`, page: DRIVE_FOLDER },
      {
        kind: "folder-view",
        path: "^/(?:embedded)?folderview$",
        query: DRIVE_ID,
        page: DRIVE_FOLDER,
      },
    ],
    canary: [
      "https://drive.google.com/file/d/0ByeS4oOUV-49Zzh4R1J6R09zazQ/edit?pli=1",
      "https://drive.google.com/uc?id=1IP0o8dHcQrIHGgVyp0Ofvx2cGfLzyO1x",
      "https://drive.google.com/drive/folders/1dQ4sx0-__Nvg65rxTSgQrl7VyW_FZ9QI",
    ],
  },
];
