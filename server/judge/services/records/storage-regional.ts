import { dead, type Kind, means, type Page, type Rule, type Service } from "../record.ts";

const YANDEX_COUNTRIES =
  "ru,com,net,az,by,co.il,com.am,com.ge,com.tr,ee,fr,kg,kz,lt,lv,md,tj,tm,ua,uz";

const YANDEX: Rule[] = [
  means("ok_service", { json: { public_key: { empty: false } } }),
  means("ok_service", { status: 200, json: { name: { empty: false } } }),
  dead("service_not_found", "C1", { json: { error: "DiskNotFoundError" } }),
];

const YANDEX_PAGE: Page = { rules: [means("service_unrecognised", { text: "Nothing found" })] };

/** The API takes the address without the part after the key, which is a path within a folder. */
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
      means("ok_service", { json: { errno: 0 } }),
      means("ok_service_protected", { json: { errno: -9 } }),
      means("bot_challenge", { json: { errno: [9019, 400141, 400210] } }),
      dead("service_not_found", "C2", {
        json: { errmsg: { matches: "share (?:link )?(?:is )?not found" } },
      }),
    ],
  },
  // Pages are scripted apps, and on some domains they always lead to an error.
  page: "never",
};

/** Some messages are only known in English, the language of this domain. */
const ulozto = (path: string): Pick<Kind, "page"> => ({
  page: { ...ULOZTO, url: `https://ulozto.net/${path}` },
});

const ULOZTO: Page = {
  needsMarker: true,
  rules: [
    means("service_unavailable", { title: "^500 - Internal Server Error" }),
    means("service_unavailable", {
      text: [
        "dla_backend/uloz.to.overloaded.html",
        "The file is not available at this moment, please, try it later",
      ],
    }),
    means("service_private", {
      matches: "> ?(?:The file has been marked as private|Soubor je označen jako soukromý)",
    }),
    dead("service_deleted", "C1", { text: '<h1 class="h1">File has been deleted' }),
    dead("service_takedown", "C1", { text: '<h1 class="h1">File was banned' }),
    dead("service_not_found", "C1", { title: "^404 - Page not found" }),
    dead("service_not_found", "C1", {
      matches: "> ?(?:File does not exist|Soubor neexistuje|Súbor neexistuje) ?<",
    }),
    dead("service_not_found", "C1", {
      text: ["Stránka nenalezena", "Chybka 404 - požadovaná stránka nebyla nalezena"],
    }),
    means("ok_service_protected", { text: 'class="passwordProtectedFile"' }),
    means("ok_service", { text: 'class="jsFileTitle' }),
  ],
};

const WEBSHARE: Pick<Kind, "ask" | "page"> = {
  ask: {
    url: "https://webshare.cz/api/file_info/",
    headers: { Accept: "text/xml; charset=UTF-8" },
    form: { ident: "{ident}" },
    rules: [
      means("ok_service_protected", {
        text: ["<code>FILE_INFO_FATAL_2</code>", "<password>1</password>"],
      }),
      dead("service_not_found", "C1", { text: "<code>FILE_INFO_FATAL_1</code>" }),
      dead("service_not_found", "C1", {
        text: "<status>FATAL</status>",
        unless: { text: "<code>" },
      }),
      means("ok_service", { text: "<status>OK</status>" }),
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
      // A colon begins a path within the item.
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
            dead("service_not_found", "C2", { json: { "body.weblink.error": { exists: true } } }),
            dead("service_not_found", "C2", { json: { status: 404 } }),
            // Also returned for a request that the API does not understand.
            means("page", { json: { status: 400 } }),
            means("ok_service", { json: { status: 200, body: { empty: false } } }),
          ],
        },
        page: {
          rules: [
            dead("service_not_found", "C2", { matches: CLOUD_MAIL_GONE }),
            means("ok_service", {
              text: ['"weblink":"{id}"', '"weblink": "{id}"'],
              unless: { matches: CLOUD_MAIL_GONE },
            }),
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
            dead("service_deleted", "C2", {
              text: "分享的文件已经被取消",
              unless: { title: BAIDU_SHARES },
            }),
            dead("service_not_found", "C2", { text: 'id="share_nofound_des"' }),
            dead("service_not_found", "C2", {
              title: "链接不存在",
              unless: { title: BAIDU_SHARES },
            }),
            dead("service_not_found", "C2", {
              matches: "> ?(?:啊哦[,，] ?)?链接不存在 ?[。.!！]? ?<",
              unless: { title: BAIDU_SHARES },
            }),
            means("ok_service_protected", { url: "/share/init" }),
            means("ok_service_protected", { text: "请输入提取码" }),
            // Shown for everything to clients without its cookies.
            means("service_unrecognised", { status: 404 }),
            means("ok_service", { title: BAIDU_SHARES }),
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
      // The service's own pages have lower-case names.
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
          // Otherwise the response is XML.
          headers: { Accept: "application/json, text/plain, */*" },
          rules: [
            dead("service_not_found", "C1", {
              json: { status: 404 },
              // Also returned where there is no API.
              unless: { json: { message: { matches: "^Page not found" } } },
            }),
            means("ok_service", { json: { "current.name": { empty: false } } }),
          ],
        },
        page: {
          rules: [
            dead("service_not_found", "C1", { title: "^Not Found - Fshare" }),
            dead("service_deleted", "C1", {
              text: ["The file has been deleted by the user.", "Liên kết bị xóa bởi người sở hữu"],
            }),
            dead("service_not_found", "C1", {
              text: [
                "Liên kết bạn chọn không tồn tại trên hệ thống Fshare",
                "Tập tin của bạn yêu cầu không tồn tại",
                "Your requested file does not existed.",
              ],
            }),
          ],
        },
      },
    ],
  },
];
