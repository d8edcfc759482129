import { type Answers, challenge, json, page, text, to, type Web } from "./played-web.ts";
import { type Row, tellOf } from "./told.ts";

/** A page as such sites have it, with what counts somewhere in it. */
const shows = (title: string, body: string, status = 200) =>
  page(
    `<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>${title}</title></head>
<body><nav><a href="/">Home</a></nav><main>${body}</main><footer>&copy;</footer></body></html>`,
    status,
  );

/** The same for every address, for scripts to fill it. */
const APP = shows("Send large files", '<div id="root"></div><h1>Share your files with anyone</h1>');

type More = Pick<Row, "asked" | "headers"> & { web?: Web };

/** Rows about one address, of which is asked in one place. */
const rowsAt =
  (url: string, at: string) =>
  (what: string, answer: Answers, seen: string, { web, ...more }: More = {}): Row => ({
    ...{ what, url, web: { [at]: answer, ...web }, seen },
    ...more,
  });

const ID = "0123456789abcdef0123456789abcdef0123456789abcd";
const WETRANSFER_API = `wetransfer.com/api/v4/transfers/${ID}/prepare-download`;
const WETRANSFER_PAGE = `wetransfer.com/downloads/${ID}/a1b2c3`;
const wetransfer = rowsAt(`https://${WETRANSFER_PAGE}`, WETRANSFER_API);

tellOf("wetransfer", {
  urls: [
    `https://wetransfer.com/downloads/${ID}/a1b2c3`,
    "https://we.tl/t-aBcDeF12345",
    `https://acme.WeTransfer.com/downloads/${ID}/a1b2c3`,
  ],
  rows: [
    wetransfer(
      "a transfer",
      json({ id: ID, state: "downloadable", recommended_filename: "a.zip", size: 1234 }),
      "active ok_service",
      {
        asked: [`POST https://${WETRANSFER_API} {"security_hash":"a1b2c3"}`],
        headers: { "x-requested-with": "XMLHttpRequest", "content-type": "application/json" },
      },
    ),
    {
      what: "a transfer for one reader",
      url: `https://wetransfer.com/downloads/${ID}/${ID}/a1b2c3`,
      web: { [WETRANSFER_API]: json({ id: ID, state: "downloadable" }) },
      seen: "active ok_service",
      asked: [`POST https://${WETRANSFER_API} {"security_hash":"a1b2c3","recipient_id":"${ID}"}`],
      headers: { "x-requested-with": "XMLHttpRequest" },
    },
    {
      what: "a page of a transfer for one reader",
      url: `https://wetransfer.com/downloads/${ID}/${ID}/a1b2c3`,
      web: {
        [WETRANSFER_API]: json({ message: "Forbidden" }, 403),
        [`wetransfer.com/downloads/${ID}/${ID}/a1b2c3`]: 410,
      },
      seen: "dead service_expired C1",
    },
    {
      what: "a transfer under a short name",
      url: "https://we.tl/t-aBcDeF12345",
      web: {
        "we.tl/t-aBcDeF12345": to(`https://${WETRANSFER_PAGE}?src=dnl`),
        [WETRANSFER_PAGE]: APP,
        [WETRANSFER_API]: json({ id: ID, state: "downloadable" }),
      },
      seen: "active ok_service",
    },
    wetransfer("gone", json({ message: "Transfer not found" }, 403), "dead service_expired C1"),
    wetransfer("no transfer", json({ error: "invalid_transfer" }, 400), "dead service_expired C1"),
    wetransfer("gone in other words", json({ code: "gone" }, 404), "dead service_expired C1"),
    wetransfer("over", json({ id: ID, state: "expired" }), "dead service_expired C1"),
    wetransfer(
      "over, and was for who knows the password",
      json({ id: ID, state: "expired", password_protected: true }),
      "dead service_expired C1",
    ),
    wetransfer(
      "for who knows the password",
      json({ id: ID, password_protected: true }),
      "active ok_service_protected",
    ),
    wetransfer("on its way", json({ id: ID, state: "uploading" }), "unknown service_processing"),
    wetransfer("refused", json({ message: "Forbidden" }, 403), "unknown service_probe_failed", {
      web: { [WETRANSFER_PAGE]: APP },
    }),
    wetransfer("gone by its page", challenge(), "dead service_expired C1", {
      web: { [WETRANSFER_PAGE]: shows("WeTransfer", "<h1>Transfer expired</h1>", 410) },
    }),
    wetransfer(
      "asked where nobody is, in plain words",
      text("404 page not found", 404),
      "unknown service_probe_failed",
      { web: { [WETRANSFER_PAGE]: APP } },
    ),
    wetransfer("asked where nobody is", shows("Oops", "", 404), "unknown service_probe_failed", {
      web: { [WETRANSFER_PAGE]: APP },
    }),
  ],
});

const TRANSFERNOW_API = "www.transfernow.net/api/transfer/downloads/metadata";
const transfernow = rowsAt(
  "https://www.transfernow.net/dl/20260101aBcDeFgH",
  `${TRANSFERNOW_API}?transferId=20260101aBcDeFgH&userSecret=&preview=false`,
);
const NOW = { transferName: "Photos", files: [{ id: "1", name: "a.zip", size: 1 }] };
const NOW_SECRET = `${TRANSFERNOW_API}?transferId=20260101aBcDeFgH&userSecret=zY9x&preview=false`;

tellOf("transfernow", {
  urls: [
    "https://www.transfernow.net/dl/20260101aBcDeFgH",
    "https://transfernow.net/en/dltransfer?utm_source=20260101aBcDeFgH&utm_medium=zY9x",
    "https://acme.TransferNow.net/",
  ],
  rows: [
    transfernow(
      "a transfer",
      json({ ...NOW, status: "ENABLED", needPassword: false }),
      "active ok_service",
      {
        asked: [
          `GET https://${TRANSFERNOW_API}?transferId=20260101aBcDeFgH&userSecret=&preview=false`,
        ],
      },
    ),
    {
      what: "a transfer for one reader",
      url: "https://www.transfernow.net/fr/dl/20260101aBcDeFgH/zY9x",
      web: { [NOW_SECRET]: json({ ...NOW, status: "ENABLED", needPassword: false }) },
      seen: "active ok_service",
    },
    {
      what: "a transfer as it is mailed",
      url: "https://www.transfernow.net/en/dltransfer?utm_source=20260101aBcDeFgH&utm_medium=zY9x",
      web: { [NOW_SECRET]: json({ ...NOW, status: "ENABLED", needPassword: false }) },
      seen: "active ok_service",
    },
    ...["en/bld", "bld", "dltransfer"].map((path) => ({
      what: `a transfer as /${path}`,
      url: `https://www.transfernow.net/${path}?utm_source=20260101aBcDeFgH&utm_medium=zY9x`,
      web: { [NOW_SECRET]: json({ ...NOW, status: "ENABLED", needPassword: false }) },
      seen: "active ok_service",
    })),
    transfernow("gone", json({ message: "NOT_FOUND" }, 404), "dead service_expired C1"),
    transfernow(
      "over",
      json({ ...NOW, status: "DISABLED", needPassword: true }),
      "dead service_expired C1",
    ),
    transfernow(
      "for who knows the password",
      json({ ...NOW, status: "ENABLED", needPassword: true }),
      "active ok_service_protected",
    ),
    transfernow("silent", shows("Error", "", 500), "unknown service_probe_failed", {
      web: { "www.transfernow.net/dl/20260101aBcDeFgH": APP },
    }),
    transfernow("walled", challenge(), "dead http_404 C2", {
      web: { "www.transfernow.net/dl/20260101aBcDeFgH": 404 },
    }),
  ],
});

const SWISS = "01234567-89ab-cdef-0123-456789abcdef";
const SWISS_API = `www.swisstransfer.com/api/links/${SWISS}`;
const SWISS_PAGE = `www.swisstransfer.com/d/${SWISS}`;
const swisstransfer = rowsAt(`https://${SWISS_PAGE}`, SWISS_API);
const swissData = (data: object) => json({ result: "success", data });
const SWISS_DATA = {
  linkUUID: SWISS,
  containerUUID: SWISS,
  downloadCounterCredit: 250,
  deletedDate: null,
  container: { files: [{ fileName: "a.zip" }], deletedDate: null },
};

tellOf("swisstransfer", {
  urls: [
    `https://www.swisstransfer.com/d/${SWISS}`,
    `https://swisstransfer.com/fr/d/${SWISS}`,
    "https://SwissTransfer.com/",
  ],
  rows: [
    swisstransfer("a transfer", swissData(SWISS_DATA), "active ok_service", {
      asked: [`GET https://${SWISS_API}`],
    }),
    swisstransfer("gone", json({ result: "error" }, 404), "dead service_expired C1"),
    swisstransfer("over", swissData({ type: "expired" }), "dead service_expired C1"),
    swisstransfer(
      "deleted",
      swissData({ ...SWISS_DATA, deletedDate: "2026-01-31 00:00:00" }),
      "dead service_expired C1",
    ),
    swisstransfer(
      "deleted with all that it held",
      swissData({ ...SWISS_DATA, container: { files: [], deletedDate: "2026-01-31" } }),
      "dead service_expired C1",
    ),
    swisstransfer(
      "fetched as often as it may be",
      swissData({ ...SWISS_DATA, downloadCounterCredit: 0 }),
      "dead service_expired C1",
    ),
    swisstransfer(
      "fetched more often than it may be",
      swissData({ ...SWISS_DATA, downloadCounterCredit: -2 }),
      "dead service_expired C1",
    ),
    swisstransfer(
      "fetched too often",
      json({ message: "Download Number Exceeded", errorCode: "500" }, 500),
      "dead service_expired C1",
    ),
    swisstransfer(
      "fetched too often, as told elsewhere",
      json({ error: { description: "Download Number Exceeded" } }, 500),
      "dead service_expired C1",
    ),
    swisstransfer(
      "fetched too often, as told in plain words",
      text("Download Number Exceeded", 500),
      "dead service_expired C1",
    ),
    swisstransfer(
      "a transfer that tells of another",
      swissData({
        ...SWISS_DATA,
        container: { ...SWISS_DATA.container, message: "Download Number Exceeded last time" },
      }),
      "active ok_service",
    ),
    swisstransfer(
      "a transfer that only says what it holds",
      swissData({ container: SWISS_DATA.container }),
      "active ok_service",
    ),
    swisstransfer(
      "a transfer that only says what it is called",
      swissData({ linkUUID: SWISS }),
      "active ok_service",
    ),
    swisstransfer(
      "for who knows the password",
      swissData({ type: "need_password" }),
      "active ok_service_protected",
    ),
    swisstransfer("silent", shows("Error", "", 502), "unknown service_probe_failed", {
      web: { [SWISS_PAGE]: APP },
    }),
  ],
});

const FILEMAIL_API = "www.filemail.com/api/transfer/get?filesLimit=100&skipreg=false";
const filemail = rowsAt(
  "https://www.filemail.com/d/abcdefghijklmno",
  `${FILEMAIL_API}&transferid=abcdefghijklmno`,
);
const FILES = [{ filename: "a.zip", filesize: 1234 }];
const filemailed = (transfer: object) => json({ responsestatus: "OK", transfer });

tellOf("filemail", {
  urls: [
    "https://www.filemail.com/d/abcdefghijklmno",
    "https://filemail.com/t/aBcDeF12",
    "https://FIL.email/aBcDeF12",
  ],
  rows: [
    filemail(
      "a transfer",
      filemailed({ isexpired: false, passwordprotected: false, files: FILES }),
      "active ok_service",
      { asked: [`GET https://${FILEMAIL_API}&transferid=abcdefghijklmno`] },
    ),
    {
      what: "a transfer for one reader",
      url: "https://www.filemail.com/t/aBcDeF12",
      web: { [`${FILEMAIL_API}&trackid=aBcDeF12`]: filemailed({ files: FILES }) },
      seen: "active ok_service",
    },
    {
      what: "a transfer under a short name",
      url: "https://fil.email/aBcDeF12",
      web: {
        "fil.email/aBcDeF12": to("https://www.filemail.com/t/aBcDeF12"),
        "www.filemail.com/t/aBcDeF12": APP,
        [`${FILEMAIL_API}&trackid=aBcDeF12`]: filemailed({ isexpired: true, files: FILES }),
      },
      seen: "dead service_expired C2",
    },
    filemail("gone", json({ responsestatus: "NotFound" }, 404), "dead service_expired C2"),
    filemail(
      "gone or in trouble",
      json({ responsestatus: "Error" }, 500),
      "unknown unconfirmed (service_expired in 24 hours)",
    ),
    filemail("over", filemailed({ isexpired: true, files: FILES }), "dead service_expired C2"),
    filemail(
      "over in other letters",
      filemailed({ isExpired: true, files: FILES }),
      "dead service_expired C2",
    ),
    ...["isExpired", "isexpired"].map((name) =>
      filemail(
        `over by ${name} outside`,
        json({ [name]: true, transfer: { files: FILES } }),
        "dead service_expired C2",
      ),
    ),
    filemail(
      "for who knows the password",
      filemailed({ isexpired: false, passwordprotected: true }),
      "active ok_service_protected",
    ),
    filemail(
      "for who knows the password, in other letters",
      filemailed({ isExpired: false, passwordProtected: true, files: FILES }),
      "active ok_service_protected",
    ),
    filemail("asked where nobody is", shows("Oops", "", 404), "unknown service_probe_failed", {
      web: { "www.filemail.com/d/abcdefghijklmno": APP },
    }),
    filemail("silent", shows("Error", "", 502), "unknown service_probe_failed", {
      web: { "www.filemail.com/d/abcdefghijklmno": APP },
    }),
  ],
});

const SENDGB_PAGE = "www.sendgb.com/4fBdrxAUMkz";
const sendgb = rowsAt(`https://${SENDGB_PAGE}`, SENDGB_PAGE);
const sendgbMailed = rowsAt(
  "https://www.sendgb.com/upload/?utm_source=4fBdrxAUMkz",
  "www.sendgb.com/upload/?utm_source=4fBdrxAUMkz",
);

tellOf("sendgb", {
  urls: [
    "https://www.sendgb.com/4fBdrxAUMkz",
    "https://sendgb.com/upload/?utm_source=4fBdrxAUMkz",
    "https://SENDGB.com/",
  ],
  rows: [
    sendgb(
      "a transfer",
      shows("SendGB", "<div>Total files / Total size</div> 2 / 12.3 MB"),
      "active ok_service",
    ),
    sendgb(
      "a transfer of one file",
      shows("SendGB", '<button id="submitdownload" data-id="1" data-file="a.zip">Get</button>'),
      "active ok_service",
    ),
    sendgb(
      "a transfer of a site in trouble",
      shows("SendGB", "<div>Total files / Total size</div>", 500),
      "unknown http_500",
    ),
    sendgb("leading to a page in trouble", to("/"), "unknown http_500", {
      web: { "www.sendgb.com/": 500 },
    }),
    sendgb("gone", 404, "dead service_expired C2"),
    sendgb(
      "over",
      shows("SendGB", '<div class="boo-wrapper"><h1>Boo!</h1></div>'),
      "dead service_expired C2",
    ),
    sendgb("gone, and leads home", to("/"), "dead service_expired C2", {
      web: { "www.sendgb.com/": APP },
    }),
    sendgb("on a page that is new", APP, "unknown service_unrecognised"),
    sendgb("walled", challenge(), "unknown bot_challenge"),
    sendgbMailed(
      "a transfer as it is mailed",
      shows("SendGB", '<b id="submitdownload"></b>'),
      "active ok_service",
    ),
    sendgbMailed("a mailed one that is gone, and leads home", to("/"), "dead service_expired C2", {
      web: { "www.sendgb.com/": APP },
    }),
  ],
});

const IAM = "iam.eu-central-1.fromsmash.co/account";
const TARGET = "link.fromsmash.co/target/fromsmash.com%2FATuA9urSUG-ct";
const PREVIEW = "transfer.eu-west-3.fromsmash.co/transfer/ATuA9urSUG/preview";
const TOKEN = json({ account: { token: { token: "guest.token" } } }, 201);
const FOUND = json({ target: { target: "ATuA9urSUG", region: "eu-west-3" } });
const smash = rowsAt("https://fromsmash.com/ATuA9urSUG-ct", PREVIEW);
const LED = { web: { [IAM]: TOKEN, [TARGET]: FOUND } };

/** Says it to whoever has the token. */
const toGuests = (answer: Response) => (request: Request) =>
  request.headers.get("authorization") === "Bearer guest.token"
    ? answer.clone()
    : json({ error: "Unauthorized" }, 401);

tellOf("smash", {
  urls: [
    "https://fromsmash.com/ATuA9urSUG-ct",
    "https://acme.fromsmash.com/ATuA9urSUG-ct",
    "https://www.FromSmash.com/",
  ],
  rows: [
    smash("a transfer", toGuests(json({ transfer: { status: "Uploaded" } })), "active ok_service", {
      web: { [IAM]: TOKEN, [TARGET]: toGuests(FOUND) },
      asked: [
        `POST https://${IAM} {}`,
        `GET https://${TARGET}?version=10-2019`,
        `GET https://${PREVIEW}?version=07-2020`,
      ],
    }),
    smash("over", json({ transfer: { status: "Expired" } }), "dead service_expired C1", LED),
    smash(
      "gone",
      json({ code: 404, error: "Transfer ATuA9urSUG not found" }, 404),
      "dead service_expired C1",
      LED,
    ),
    smash(
      "for who knows the password",
      json({ code: 403, error: "Password does not match for ATuA9urSUG" }, 403),
      "active ok_service_protected",
      LED,
    ),
    smash("not known at all", 599, "dead service_expired C2", {
      web: { [IAM]: TOKEN, [TARGET]: json({ code: 404 }, 404) },
    }),
    smash("asked where nobody is", 599, "unknown service_probe_failed", {
      web: { [IAM]: TOKEN, [TARGET]: shows("Oops", "", 404) },
    }),
    smash("somewhere else", 599, "unknown service_probe_failed", {
      web: { [IAM]: TOKEN, [TARGET]: json({ target: { target: "A", region: "evil.com/" } }) },
    }),
    smash("silent", text("Not now", 502), "unknown service_probe_failed", LED),
    smash("walled", 599, "unknown service_probe_failed", { web: { [IAM]: challenge() } }),
  ],
});

const dropmefiles = rowsAt("https://dropmefiles.com/AbCdE", "dropmefiles.com/AbCdE");

tellOf("dropmefiles", {
  urls: [
    "https://dropmefiles.com/AbCdE",
    "http://www.dropmefiles.com/AbCdE",
    "https://DropMeFiles.com/",
  ],
  rows: [
    dropmefiles(
      "a transfer",
      shows("DropMeFiles", '<div class="fileCount">2</div><div class="fileSize">12.3 MB</div>'),
      "active ok_service",
      { headers: { cookie: "language=en" } },
    ),
    dropmefiles(
      "a transfer of a site in trouble",
      shows("DropMeFiles", '<div class="fileSize">12.3 MB</div>', 500),
      "unknown http_500",
    ),
    dropmefiles("gone", 404, "dead service_expired C2"),
    dropmefiles(
      "over",
      shows("DropMeFiles", "<p>Files were deleted due to ending of the share period</p>"),
      "dead service_expired C1",
    ),
    dropmefiles(
      "deleted",
      shows("DropMeFiles", "<h1>Files were<br />deleted</h1>"),
      "dead service_deleted C1",
    ),
    dropmefiles(
      "empty",
      shows("DropMeFiles", '<div class="fileCount">0</div><div class="fileSize">0 B</div>'),
      "dead service_expired C2",
    ),
    dropmefiles(
      "for who knows the password",
      shows("DropMeFiles", '<form><input type="password" name="password"></form>'),
      "active ok_service_protected",
    ),
    dropmefiles(
      "a page for signing in",
      shows("DropMeFiles", '<form><input name="username"><input name="password"></form>'),
      "unknown service_unrecognised",
    ),
    dropmefiles(
      "on its way",
      shows("DropMeFiles", "<p>You can download when uploaded</p>"),
      "unknown service_processing",
    ),
    dropmefiles("walled", challenge(), "unknown bot_challenge"),
  ],
});
