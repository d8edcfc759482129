import { type Ask, dead, type Kind, means, type Page, type Rule, type Service } from "../record.ts";

const QUOTE = String.raw`(?:\\{0,3}["']|&quot;|&#34;|%22|\\{1,2}u0022)?`;

/** The name of its page under one of its keys, as scripts, settings, JSON and addresses contain it. */
const dropboxPage = (names: string) => ({
  matches: String.raw`(?<![a-z_])(?:edison_|dws_)?page_?name${QUOTE} ?(?:[=:]|%3D|%3A) ?${QUOTE}(?:${names})(?!\w)`,
});

/** A title with these words, unless it continues like a file name. */
const dropboxTitle = (words: string) => ({
  title: `^Dropbox - (?:${words})(?: [-–|] [^.]{0,100})?$`,
});

const DROPBOX: Page = {
  needsMarker: true,
  rules: [
    means("service_rate_limited", { status: 509 }),
    means("service_rate_limited", {
      text: ["generating too much traffic", "Link Temporarily Disabled"],
    }),
    means("service_private", { text: "/images/precaution" }),
    means("ok_service_protected", { url: "/sm/password" }),
    dead("service_takedown", "C2", { status: 460 }),
    dead("service_takedown", "C2", dropboxPage("shared_link_generic_error")),
    dead("service_deleted", "C2", dropboxPage("shared_link_(?:deleted|disabled)")),
    // After too many requests, links return 404 for a day as well.
    { status: 404, means: "service_not_found", hours: 24 },
    dead("service_deleted", "C2", dropboxTitle("File Deleted")),
    dead("service_not_found", "C2", { status: 400 }),
    dead("service_not_found", "C2", dropboxTitle("404|Shared link error")),
    dead("service_not_found", "C2", { text: ["images/sharing/error_", "sharing/error_shmodel"] }),
    means("login_required", dropboxPage("files_shared_content_link_login_page")),
    means("ok_service", {
      ...dropboxPage(String.raw`scl_oboe_\w{1,40}`),
      unless: { text: "item was deleted" },
    }),
    means("ok_service", {
      url: "^https://[^/]+/(?:e/)?(?:sh?|sc|scl/f[io])/",
      title: "^Dropbox - .",
      unless: { matches: "> ?(?:This )?item was deleted" },
    }),
    // With `dl=1` the link is the file itself.
    means("ok_service", { status: 200, type: "^(?!text/html)" }),
  ],
};

const ONEDRIVE_HOST = String.raw`(?:^|\.)(?:onedrive|skydrive)\.live\.com$`;

const ONEDRIVE_ITEM = String.raw`(?:^|&)(?:resid|id)=(?<item>(?<drive>[0-9A-Fa-f]{8,16})(?:!|%21)\w+)`;

const ONEDRIVE: Rule[] = [
  means("ok_service", { json: { id: { empty: false } } }),
  means("ok_service", { status: 200, json: { name: { empty: false } } }),
  dead("service_not_found", "C2", { status: 404, type: "json" }),
  means("service_private", { status: [401, 403] }),
];

const onedriveAsk = (path: string): Pick<Kind, "ask"> => ({
  ask: { url: `https://api.onedrive.com/v1.0/${path}`, rules: ONEDRIVE },
});

/** The error pages to which MediaFire redirects. */
const mediafireError = (numbers: string) => ({
  url: String.raw`/error\.php\?(?:[^#]{0,500}&)?errno=(?:${numbers})(?:&|$)`,
});

const MEDIAFIRE_PAGE: Page = {
  rules: [
    dead("service_deleted", "C1", mediafireError("320")),
    dead("service_takedown", "C1", mediafireError("323|326|378|380|386|388")),
    dead("service_account_gone", "C1", mediafireError("382")),
    means("service_rate_limited", mediafireError("394")),
    means("service_private", mediafireError("999")),
    means("service_unavailable", {
      matches: String.raw`class="error-title"[^>]{0,200}>\s?(?:Temporarily Unavailable|This download is currently unavailable)`,
    }),
    dead("service_not_found", "C2", { text: 'class="error_msg_title"' }),
    means("ok_service_protected", {
      matches: String.raw`class ?= ?["']?(?:[^"'<>]{0,100} )?passwordPrompt\b|name ?= ?["']?form_password\b|aria-labelledby ?= ?["']?passwordmsg\b`,
    }),
    means("ok_service", { text: '<div class="filename">' }),
  ],
};

const mediafireCode = (...numbers: number[]) => ({
  json: { "response.error": [...numbers, ...numbers.map(String)] },
});

const MEDIAFIRE: Rule[] = [
  means("service_private", mediafireCode(104, 111, 114)),
  means("ok_service", { json: { "response.result": "Success" } }),
];

const mediafireAsk = (path: string, rules: Rule[]): Ask => ({
  url: `https://www.mediafire.com/api/1.5/${path}={id}&response_format=json`,
  rules: [...rules, ...MEDIAFIRE],
});

const MEDIAFIRE_FILE: Pick<Kind, "ask" | "page"> = {
  ask: mediafireAsk("file/get_info.php?quick_key", [
    dead("service_not_found", "C1", mediafireCode(110)),
    means("ok_service_protected", { json: { "response.file_info.password_protected": "yes" } }),
  ]),
  page: MEDIAFIRE_PAGE,
};

const MEDIAFIRE_FOLDER: Pick<Kind, "ask" | "page"> = {
  ask: mediafireAsk("folder/get_info.php?folder_key", [
    dead("service_not_found", "C1", mediafireCode(110, 112)),
    dead("service_takedown", "C1", mediafireCode(293)),
  ]),
  page: MEDIAFIRE_PAGE,
};

const PCLOUD: Rule[] = [
  means("ok_service", { json: { result: 0 } }),
  dead("service_deleted", "C1", { json: { result: 7002 } }),
  dead("service_takedown", "C1", { json: { result: 7003 } }),
  dead("service_expired", "C1", { json: { result: 7004 } }),
  dead("service_not_found", "C1", { json: { result: [2009, 7001] } }),
  dead("service_not_found", "C1", { status: 404, type: "json" }),
  // A password is required, or the owner's download limit is reached.
  means("ok_service_protected", { json: { result: [2258, 7005, 7006] } }),
  means("service_private", { json: { result: 2003 } }),
  means("service_unavailable", { json: { result: 5002 } }),
];

const pcloudAsk = (api: string, rules = PCLOUD): Ask => ({
  url: `https://${api}.pcloud.com/showpublink?code={code}`,
  rules,
});

const PCLOUD_ASKS = {
  us: pcloudAsk("api"),
  eu: pcloudAsk("eapi"),
  // Each region only knows its own codes, and not every host shows the region.
  either: [
    pcloudAsk("api", [means("next", { json: { result: [2009, 2321, 7001] } }), ...PCLOUD]),
    pcloudAsk("eapi"),
  ],
} satisfies Record<string, Kind["ask"]>;

/** In old links the code is in the fragment. */
function pcloudKinds(region: keyof typeof PCLOUD_ASKS, host: string): Kind[] {
  const common = { host, ask: PCLOUD_ASKS[region] };
  return [
    {
      kind: `link-${region}`,
      path: "^/publink/show$",
      query: String.raw`(?:^|&)code=(?<code>\w+)`,
      ...common,
    },
    {
      kind: `old-link-${region}`,
      path: "^/$",
      fragment: String.raw`^page=publink&(?:.*&)?code=(?<code>\w+)`,
      ...common,
    },
  ];
}

export const STORAGE: Service[] = [
  {
    id: "dropbox",
    name: "Dropbox",
    hosts: ["dropbox.com", "db.tt", "dl.dropboxusercontent.com"],
    confidence: "M",
    kinds: [{ kind: "shared", path: "^/(?:e/)?(?:sh?|sc|scl/f[io])/.", page: DROPBOX }],
    canary: [
      "https://www.dropbox.com/s/nelirfsxnmcfbfh/youtube-dl%20test%20video%20%27%C3%A4%22BaW_jenozKc.mp4?dl=0",
    ],
  },
  {
    id: "onedrive",
    name: "OneDrive",
    hosts: ["onedrive.live.com", "skydrive.live.com", "1drv.ms", "sdrv.ms"],
    confidence: "M",
    kinds: [
      {
        kind: "item-with-key",
        host: ONEDRIVE_HOST,
        query: `^(?=.*${ONEDRIVE_ITEM}).*(?:^|&)authkey=(?<key>[^&]+)`,
        ...onedriveAsk("drives/{drive}/items/{item}?authkey={key}"),
      },
      {
        kind: "item",
        host: ONEDRIVE_HOST,
        query: ONEDRIVE_ITEM,
        ...onedriveAsk("drives/{drive}/items/{item}"),
      },
      {
        kind: "redeemed",
        host: ONEDRIVE_HOST,
        query: String.raw`(?:^|&)redeem=(?<token>[\w-]+)`,
        ...onedriveAsk("shares/u!{token}/driveItem"),
      },
      // A scripted app that returns the same page for every address.
      { kind: "app", host: ONEDRIVE_HOST, query: ".", page: { needsMarker: true } },
      {
        kind: "short",
        host: String.raw`(?:^|\.)1drv\.ms$`,
        path: "^/[a-z]/.",
        ...onedriveAsk("shares/u!{url|base64url}/driveItem"),
      },
    ],
  },
  {
    id: "sharepoint",
    name: "SharePoint",
    hosts: ["sharepoint.com"],
    confidence: "L",
    kinds: [
      {
        kind: "shared",
        path: "^/:[a-z]:/.",
        page: {
          rules: [
            dead("service_deleted", "C2", { text: "This link has been removed" }),
            // Shown for all kinds of errors.
            means("service_unavailable", { text: "Sorry, something went wrong" }),
          ],
        },
      },
    ],
  },
  {
    id: "mediafire",
    name: "MediaFire",
    hosts: ["mediafire.com", "mfi.re"],
    confidence: "H",
    kinds: [
      {
        kind: "file",
        path: "^/(?:file(?:_premium)?|view|download|listen|watch)/(?<id>[0-9a-z]{9,20})(?:/|$)",
        ...MEDIAFIRE_FILE,
      },
      { kind: "folder", path: "^/folder/(?<id>[0-9a-z]{9,20})(?:/|$)", ...MEDIAFIRE_FOLDER },
      // The key of a folder has 13 letters, that of a file 11 or 15.
      { kind: "short-folder", path: "^/$", query: "^(?<id>[0-9a-z]{13})$", ...MEDIAFIRE_FOLDER },
      {
        kind: "short-file",
        path: String.raw`^/(?:download\.php|view/?|i/?)?$`,
        query: "^(?:quickkey=)?(?<id>[0-9a-z]{9,20})$",
        ...MEDIAFIRE_FILE,
      },
      {
        kind: "direct",
        host: String.raw`^download\d+\.mediafire\.com$`,
        path: "^/[^/]+/(?<id>[0-9a-z]{9,20})/.",
        ...MEDIAFIRE_FILE,
      },
      // Short addresses redirect to one of these, so this kind is only for other addresses.
      { kind: "other", host: String.raw`(?:^|\.)mediafire\.com$`, page: MEDIAFIRE_PAGE },
    ],
  },
  {
    id: "box",
    name: "Box",
    hosts: ["box.com", "box.net"],
    confidence: "M",
    kinds: [
      {
        kind: "shared",
        path: "^/(?:embed(?:_widget)?/)?(?:s|v|shared/static)/.",
        page: {
          rules: [
            dead("service_not_found", "C2", { title: String.raw`^Box \| 404 Page Not Found` }),
            dead("service_not_found", "C2", { text: "error_message_not_found" }),
            dead("service_not_found", "C2", { url: "^https://[^/]+/freeshare(?:[?#]|$)" }),
          ],
        },
      },
    ],
    canary: [
      "https://mlssoccer.app.box.com/s/0evd2o3e08l60lr4ygukepvnkord1o1x/file/510727257538",
      "https://utexas.app.box.com/s/2x6vanv85fdl8j2eqlcxmv0gp1wvps6e",
    ],
  },
  {
    id: "pcloud",
    name: "pCloud",
    hosts: ["pcloud.com", "pcloud.link", "pc.cd"],
    confidence: "H",
    kinds: [
      ...pcloudKinds("eu", String.raw`^e\d*\.pcloud\.(?:com|link)$`),
      ...pcloudKinds("us", String.raw`^u\d*\.pcloud\.(?:com|link)$`),
      ...pcloudKinds("either", String.raw`(?:^|\.)pcloud\.(?:com|link)$`),
      {
        kind: "short-eu",
        host: String.raw`^e\d*\.pc\.cd$`,
        path: String.raw`^/(?<code>\w{4,})$`,
        ask: PCLOUD_ASKS.eu,
      },
      {
        kind: "short-us",
        host: String.raw`(?:^|\.)pc\.cd$`,
        path: String.raw`^/(?<code>\w{4,})$`,
        ask: PCLOUD_ASKS.us,
      },
    ],
  },
  {
    id: "icedrive",
    name: "Icedrive",
    hosts: ["icedrive.net"],
    confidence: "L",
    kinds: [
      {
        kind: "shared",
        path: String.raw`^/(?:[s0]|file)/\w+`,
        page: {
          needsMarker: true,
          rules: [
            means("ok_service", { matches: String.raw`previewItem\('\w|downloadFolderZip\([^)]` }),
            means("ok_service", {
              matches: String.raw`> ?Filename ?</p> ?<p class ?= ?"value" ?> ?[^<\s]`,
            }),
          ],
        },
      },
    ],
  },
  {
    id: "files-fm",
    name: "Files.fm",
    hosts: ["files.fm"],
    confidence: "M",
    kinds: [
      {
        kind: "shared",
        path: String.raw`^/(?:[fu]/\w+|down\.php$)`,
        page: {
          rules: [
            dead("service_expired", "C2", { text: "The expiry date of these files is over<" }),
            dead("service_deleted", "C2", {
              text: ["These files are deleted by the owner<", 'class="deleted_wrapper"'],
            }),
            dead("service_not_found", "C2", { text: ">This link does not contain any files" }),
            means("ok_service_protected", { text: 'name="upl_passw"' }),
            means("service_private", { text: "list_private_upload_msg" }),
            means("service_private", { url: "^https://[^/]+/private(?:[/?#]|$)" }),
          ],
        },
      },
    ],
  },
];
