import type { Kind, Page, Rule, Service } from "../record.ts";

const YANDEX_COUNTRIES =
  "ru,com,net,az,by,co.il,com.am,com.ge,com.tr,ee,fr,kg,kz,lt,lv,md,tj,tm,ua,uz";

const YANDEX: Rule[] = [
  { json: { public_key: { empty: false } }, means: "ok_service" },
  { status: 200, json: { name: { empty: false } }, means: "ok_service" },
  { json: { error: "DiskNotFoundError" }, means: "service_not_found", class: "C1" },
];

const YANDEX_PAGE: Page = { rules: [{ text: "Nothing found", means: "service_unrecognised" }] };

/** Its API takes the address without what stands behind the key, which is a path within a folder. */
const yandexAsk = (key: string, path = ""): Pick<Kind, "ask" | "page"> => ({
  ask: {
    url: `https://cloud-api.yandex.net/v1/disk/public/resources?public_key=${key}${path}&limit=1`,
    rules: YANDEX,
  },
  page: YANDEX_PAGE,
});

const YANDEX_LINK = "https%3A%2F%2F{host}%2F{form}%2F{id}";

const CLOUD_MAIL_GONE = '"error" ?: ?"not_exists"';

const BAIDU_SHARES = "百度网盘-分享无限制";

const TERABOX: Pick<Kind, "ask" | "page"> = {
  ask: {
    url: "https://www.terabox.com/api/shorturlinfo?app_id=250528&web=1&channel=dubox&clienttype=0&jsToken=&shorturl=1{surl}&root=1",
    rules: [
      { json: { errno: 0 }, means: "ok_service" },
      { json: { errno: -9 }, means: "ok_service_protected" },
      { json: { errno: [9019, 400141, 400210] }, means: "bot_challenge" },
      {
        json: { errmsg: { matches: "share (?:link )?(?:is )?not found" } },
        means: "service_not_found",
        class: "C2",
      },
    ],
  },
  // A page is an app of scripts, and that of some of its names leads to an error whatever is asked for.
  page: "never",
};

/** Some of what its pages say is known in English only, which this of its names speaks. */
const ulozto = (path: string): Pick<Kind, "page"> => ({
  page: { ...ULOZTO, url: `https://ulozto.net/${path}` },
});

const ULOZTO: Page = {
  needsMarker: true,
  rules: [
    { title: "^500 - Internal Server Error", means: "service_unavailable" },
    {
      text: [
        "dla_backend/uloz.to.overloaded.html",
        "The file is not available at this moment, please, try it later",
      ],
      means: "service_unavailable",
    },
    {
      matches: "> ?(?:The file has been marked as private|Soubor je označen jako soukromý)",
      means: "service_private",
    },
    { text: '<h1 class="h1">File has been deleted', means: "service_deleted", class: "C1" },
    { text: '<h1 class="h1">File was banned', means: "service_takedown", class: "C1" },
    { title: "^404 - Page not found", means: "service_not_found", class: "C1" },
    {
      matches: "> ?(?:File does not exist|Soubor neexistuje|Súbor neexistuje) ?<",
      means: "service_not_found",
      class: "C1",
    },
    {
      text: ["Stránka nenalezena", "Chybka 404 - požadovaná stránka nebyla nalezena"],
      means: "service_not_found",
      class: "C1",
    },
    { text: 'class="passwordProtectedFile"', means: "ok_service_protected" },
    { text: 'class="jsFileTitle', means: "ok_service" },
  ],
};

const WEBSHARE: Pick<Kind, "ask" | "page"> = {
  ask: {
    url: "https://webshare.cz/api/file_info/",
    headers: { Accept: "text/xml; charset=UTF-8" },
    form: { ident: "{ident}" },
    rules: [
      {
        text: ["<code>FILE_INFO_FATAL_2</code>", "<password>1</password>"],
        means: "ok_service_protected",
      },
      { text: "<code>FILE_INFO_FATAL_1</code>", means: "service_not_found", class: "C1" },
      {
        text: "<status>FATAL</status>",
        unless: { text: "<code>" },
        means: "service_not_found",
        class: "C1",
      },
      { text: "<status>OK</status>", means: "ok_service" },
    ],
  },
  page: "never",
};

export const STORAGE_REGIONAL: Service[] = [
  {
    id: "yandex-disk",
    name: "Yandex Disk",
    hosts: [`disk.yandex.{${YANDEX_COUNTRIES}}`, "disk.360.yandex.{ru,com}", "yadi.sk"],
    confidence: "H",
    kinds: [
      {
        kind: "in-folder",
        path: String.raw`^/(?<form>d)/(?<id>[\w-]+)(?<inside>/.+)$`,
        ...yandexAsk(YANDEX_LINK, "&path={inside}"),
      },
      {
        kind: "shared",
        path: String.raw`^/(?<form>[di])/(?<id>[\w-]+)/?$`,
        ...yandexAsk(YANDEX_LINK),
      },
      // A colon leads on to a path within it.
      {
        kind: "old",
        path: "^/(?:public|mail)/?$",
        query: "(?:^|&)hash=(?<id>(?:(?!%3[Aa])[^&:])+)(?:&|$)",
        ...yandexAsk("{id}"),
      },
    ],
    canary: ["https://yadi.sk/i/VdOeDou8eZs6Y"],
  },
  {
    id: "cloud-mail-ru",
    name: "Cloud Mail.ru",
    hosts: ["cloud.mail.ru"],
    confidence: "M",
    kinds: [
      {
        kind: "shared",
        path: String.raw`^/public/(?<id>\w+/[^/]+(?:/.*)?)$`,
        ask: {
          url: "https://cloud.mail.ru/api/v2/folder?weblink={id}&offset=0&limit=1&api=2",
          rules: [
            {
              json: { "body.weblink.error": { exists: true } },
              means: "service_not_found",
              class: "C2",
            },
            { json: { status: 404 }, means: "service_not_found", class: "C2" },
            // So it also calls a question that it does not understand.
            { json: { status: 400 }, means: "page" },
            { json: { status: 200, body: { empty: false } }, means: "ok_service" },
          ],
        },
        page: {
          rules: [
            {
              matches: CLOUD_MAIL_GONE,
              means: "service_not_found",
              class: "C2",
            },
            {
              text: ['"weblink":"{id}"', '"weblink": "{id}"'],
              unless: { matches: CLOUD_MAIL_GONE },
              means: "ok_service",
            },
          ],
        },
      },
    ],
  },
  {
    id: "baidu-pan",
    name: "Baidu Pan",
    hosts: ["pan.baidu.com", "yun.baidu.com"],
    confidence: "L",
    kinds: [
      {
        kind: "shared",
        path: "^/(?:s|e|share|wap)/.",
        page: {
          needsMarker: true,
          rules: [
            {
              text: "分享的文件已经被取消",
              unless: { title: BAIDU_SHARES },
              means: "service_deleted",
              class: "C2",
            },
            { text: 'id="share_nofound_des"', means: "service_not_found", class: "C2" },
            {
              title: "链接不存在",
              unless: { title: BAIDU_SHARES },
              means: "service_not_found",
              class: "C2",
            },
            {
              matches: "> ?(?:啊哦[,，] ?)?链接不存在 ?[。.!！]? ?<",
              unless: { title: BAIDU_SHARES },
              means: "service_not_found",
              class: "C2",
            },
            { url: "/share/init", means: "ok_service_protected" },
            { text: "请输入提取码", means: "ok_service_protected" },
            // Who comes without its cookies is told so of anything.
            { status: 404, means: "service_unrecognised" },
            { title: BAIDU_SHARES, means: "ok_service" },
          ],
        },
      },
    ],
  },
  {
    id: "terabox",
    name: "TeraBox",
    hosts: [
      "terabox.{com,app,fun}",
      "1024tera.com",
      "1024terabox.com",
      "teraboxapp.com",
      "teraboxlink.com",
      "teraboxshare.com",
      "terasharelink.com",
      "terafileshare.com",
      "freeterabox.com",
      "teraearn.com",
      "dubox.com",
      "nephobox.com",
      "4funbox.com",
      "mirrobox.com",
      "momerybox.com",
      "gibibox.com",
      "goaibox.com",
    ],
    confidence: "L",
    kinds: [
      { kind: "short", path: String.raw`^/s/1(?<surl>[\w-]{4,})$`, ...TERABOX },
      {
        kind: "shared",
        path: "^/(?:.+/)?(?:init|link|filelist|videoPlay|embed)$",
        query: String.raw`(?:^|&)surl=(?<surl>[\w-]{4,})`,
        ...TERABOX,
      },
    ],
  },
  {
    id: "ulozto",
    name: "Uloz.to",
    hosts: ["uloz.to", "ulozto.{net,cz,sk}", "zachowajto.pl", "pornfile.cz", "pinkfile.cz"],
    confidence: "M",
    kinds: [
      {
        kind: "file",
        path: String.raw`^/(?:file|soubory|live)/(?<id>!?\w+)`,
        ...ulozto("file/{id}"),
      },
      // Its own pages have names of small letters.
      {
        kind: "old-file",
        path: String.raw`^/(?<id>(?=!|\w*[A-Z\d])!?\w{4,16})/(?<name>[^/]+)/?$`,
        ...ulozto("{id}/{name}"),
      },
    ],
  },
  {
    id: "webshare",
    name: "Webshare",
    hosts: ["webshare.cz"],
    confidence: "H",
    kinds: [
      { kind: "file", path: "^/$", fragment: String.raw`^/?file/(?<ident>\w+)`, ...WEBSHARE },
      { kind: "plain-file", path: String.raw`^/file/(?<ident>\w+)`, ...WEBSHARE },
      { kind: "short-file", path: "^/(?<ident>[A-Za-z0-9]{10})$", ...WEBSHARE },
      { kind: "old-file", path: "^/$", query: "(?:^|&)fhash=(?<ident>[A-Za-z0-9]+)", ...WEBSHARE },
    ],
  },
  {
    id: "fshare",
    name: "Fshare",
    hosts: ["fshare.vn"],
    confidence: "M",
    kinds: [
      {
        kind: "shared",
        path: "^/(?:file|folder)/(?<id>[A-Za-z0-9]+)",
        ask: {
          url: "https://www.fshare.vn/api/v3/files/folder?linkcode={id}",
          // Otherwise it answers in XML.
          headers: { Accept: "application/json, text/plain, */*" },
          rules: [
            {
              json: { status: 404 },
              // The same is said where no API is.
              unless: { json: { message: { matches: "^Page not found" } } },
              means: "service_not_found",
              class: "C1",
            },
            { json: { "current.name": { empty: false } }, means: "ok_service" },
          ],
        },
        page: {
          rules: [
            { title: "^Not Found - Fshare", means: "service_not_found", class: "C1" },
            {
              text: ["The file has been deleted by the user.", "Liên kết bị xóa bởi người sở hữu"],
              means: "service_deleted",
              class: "C1",
            },
            {
              text: [
                "Liên kết bạn chọn không tồn tại trên hệ thống Fshare",
                "Tập tin của bạn yêu cầu không tồn tại",
                "Your requested file does not existed.",
              ],
              means: "service_not_found",
              class: "C1",
            },
          ],
        },
      },
    ],
  },
];
