import { says } from "../families.ts";
import { dead, means, type Rule, type Service } from "../record.ts";
import { aliveWith, goneIfLedHome, NO_OWN_PAGE, pagesAt } from "./shared.ts";

const FILEFACTORY: Rule[] = [
  dead("service_not_found", "C1", {
    url: String.raw`/error\.php\?(?:[^#]{0,500}&)?code=(?:251|252|300|325)\b`,
  }),
  dead("service_not_found", "C1", {
    matches: String.raw`errorCode\\{0,3}":\s{0,20}\\{0,3}"(?:FILE_NOT_FOUND|251|252|300|325)\b`,
  }),
  dead("service_not_found", "C1", { matches: says("Invalid Download Link") }),
  dead("service_deleted", "C1", {
    matches: says("File Removed</h2>", "This file is no longer available"),
  }),
  means("ok_service_protected", { url: String.raw`/error\.php\?(?:[^#]{0,500}&)?code=258\b` }),
  means("ok_service_protected", {
    matches: String.raw`(?:requiresPremium|requiresPassword)\\{0,3}":\s{0,20}true`,
  }),
  means("ok_service_protected", {
    text: [
      ">Premium Account Required",
      "only available to Premium",
      "only Premium Members can download files larger than",
      "All free download slots on this server are currently in use",
    ],
  }),
  aliveWith({ text: ['id="file_name"', 'class="file-name"'] }),
  aliveWith({ matches: String.raw`disp_filename\\{0,3}":\s{0,20}\\{0,3}"[^"\\]` }),
  means("service_unavailable", { url: String.raw`/error\.php\?(?:[^#]{0,500}&)?code=257\b` }),
  means("service_rate_limited", { url: String.raw`/error\.php\?(?:[^#]{0,500}&)?code=266\b` }),
];

/** Without these cookies the site may show news before the file. */
const FILEFACTORY_COOKIES =
  "locale=en_US.utf8; ff_relaunch_message_seen=true; filefactory_stream=seen";

const FASTSHARE: Rule[] = [
  dead("service_takedown", "C1", {
    matches: says("Tento soubor byl smazán na základě požadavku vlastníka autorských"),
  }),
  dead("service_deleted", "C1", {
    matches: says(
      "The file has been deleted",
      "This file is no longer available",
      "Soubor byl smazán",
    ),
  }),
  dead("service_not_found", "C1", { matches: says("Requested page not found") }),
  means("ok_service_protected", {
    matches: String.raw`>\s{0,20}100% (?:of FREE slots are full|FREE slotů je plných)`,
  }),
  aliveWith({ matches: String.raw`<h[12]\s{1,20}title\s{0,20}=\s{0,20}"[^"]` }),
];

const RAPIDGATOR_PATH = String.raw`^/file/(?<id>\w+)(?:/|$)`;

const RAPIDGATOR: Rule[] = [
  dead("service_not_found", "C1", {
    matches: says("404 File not found", "Error 404"),
    unless: { status: 200, text: "File size:" },
  }),
  means("login_required", { url: "/site/PleaseLogin" }),
  means("ok_service_protected", { url: "/subscription/create" }),
  means("ok_service_protected", {
    text: [
      "This file can be downloaded by premium only",
      "You can download files up to",
      "/wallet/BuyFile/id/",
    ],
  }),
  aliveWith({ title: String.raw`^\s*Download file\s*\S` }),
  aliveWith({ text: "File size:" }),
  means("service_unavailable", {
    matches: "File is temporarily (?:not available|unavailable), please try again later",
  }),
  means("service_rate_limited", {
    matches:
      "You have reached your (?:daily|hourly) downloads limit|You can.t download more than 1 file at a time in free mode",
  }),
  goneIfLedHome("rapidgator.net"),
];

const UPSTORE_PATH = `^/${NO_OWN_PAGE}(?<id>[A-Za-z0-9]{2,})(?:/[^/]*)?$`;

const UPSTORE: Rule[] = [
  dead("service_deleted", "C1", {
    matches: String.raw`<span class="error"[^>]{0,100}>\s{0,20}File was deleted`,
  }),
  dead("service_not_found", "C1", {
    matches: String.raw`<span class="error"[^>]{0,100}>\s{0,20}File not found`,
  }),
  means("ok_service_protected", {
    text: ["available only for Premium", "it can be downloaded only with premium"],
  }),
  aliveWith({
    matches: String.raw`<h2 style="margin:0">[^<]{1,500}</h2>\s{0,20}<div class="comment">`,
  }),
  aliveWith({ text: 'value="{id}"' }),
  means("service_unavailable", {
    text: [
      "download server with your file is temporarily unavailable",
      ">Server with file not found<",
    ],
  }),
  means("service_rate_limited", {
    matches: String.raw`Please wait \d{1,6} minutes before downloading next file`,
  }),
];

const DEPOSITFILES: Rule[] = [
  dead("service_not_found", "C1", { text: "html_download_api-not_exists" }),
  dead("service_not_found", "C1", { matches: says("This file does not exist") }),
  dead("service_not_found", "C2", { text: 'class="no_download_msg"' }),
  means("ok_service_protected", { text: 'name="file_password"' }),
  aliveWith({ text: "File size:" }),
  means("service_processing", { text: "File is checked, please try again" }),
  means("service_unavailable", {
    text: ["html_download_api-temporary_unavailable", "The site is temporarily unavailable for"],
  }),
  means("service_rate_limited", {
    text: [
      "html_download_api-limit_interval",
      "You used up your limit",
      "You have reached your download time limit",
      "but all downloading slots for your country",
    ],
  }),
];

export const FILE_PAGES_PREMIUM: Service[] = [
  {
    id: "rapidgator",
    name: "Rapidgator",
    hosts: ["rapidgator.net", "rapidgator.asia", "rg.to"],
    confidence: "H",
    kinds: pagesAt(
      { host: String.raw`^(?:www\.)?rapidgator\.net$`, path: RAPIDGATOR_PATH },
      { path: RAPIDGATOR_PATH },
      {
        url: "https://rapidgator.net/file/{id}",
        headers: { Cookie: "lang=en" },
        rules: RAPIDGATOR,
        needsMarker: true,
      },
    ),
  },
  {
    id: "filefactory",
    name: "FileFactory",
    hosts: ["filefactory.com"],
    confidence: "M",
    kinds: [
      ...pagesAt(
        { host: String.raw`^(?:www\.)?filefactory\.com$`, path: String.raw`^/file/\w+(?:/|$)` },
        { path: String.raw`^/(?:file|image|preview|stream)/(?<id>\w+)(?:/|$)` },
        {
          url: "https://www.filefactory.com/file/{id}",
          headers: { Cookie: FILEFACTORY_COOKIES },
          rules: FILEFACTORY,
          needsMarker: true,
        },
      ),
      {
        kind: "shared-traffic",
        path: String.raw`^/trafficshare/\w+/\w+(?:/|$)`,
        page: { headers: { Cookie: FILEFACTORY_COOKIES }, rules: FILEFACTORY, needsMarker: true },
      },
    ],
  },
  {
    id: "uploadgig",
    name: "UploadGIG",
    hosts: ["uploadgig.com"],
    confidence: "M",
    kinds: [
      {
        kind: "file",
        path: String.raw`^/file/download/\w+(?:/|$)`,
        page: {
          rules: [
            dead("service_not_found", "C2", {
              matches: says(String.raw`File not found[\s.!]{0,5}(?:<|$)`),
            }),
            means("ok_service_protected", {
              text: "This file can be downloaded by Premium Member only",
            }),
            aliveWith({ text: 'class="filename"' }),
            means("service_unavailable", { text: "Sorry, this server is under maintenance" }),
            means("ip_blocked", { text: "If you are using VPN or proxy, disable your proxy" }),
          ],
          needsMarker: true,
        },
      },
    ],
  },
  {
    id: "upstore",
    name: "Upstore",
    hosts: ["upstore.net", "upsto.re"],
    confidence: "M",
    kinds: pagesAt(
      { host: String.raw`^(?:www\.)?upstore\.net$`, path: UPSTORE_PATH },
      { path: UPSTORE_PATH },
      {
        url: "https://upstore.net/{id}",
        headers: { Cookie: "lang=en" },
        rules: UPSTORE,
        needsMarker: true,
      },
    ),
  },
  {
    id: "depositfiles",
    name: "DepositFiles",
    hosts: ["depositfiles.{com,org}", "dfiles.{eu,ru,com}"],
    confidence: "M",
    kinds: pagesAt(
      {
        host: String.raw`^(?:www\.)?(?:depositfiles\.com|dfiles\.eu)$`,
        path: String.raw`^(?:/en)?/files/\w+(?:/|$)`,
      },
      // Links in other languages are requested in English.
      { path: String.raw`^(?:/\w{1,3})?/files/(?<id>\w+)(?:/|$)` },
      {
        url: "https://depositfiles.com/files/{id}",
        headers: { Cookie: "lang_current=en" },
        rules: DEPOSITFILES,
        needsMarker: true,
      },
    ),
  },
  {
    id: "alfafile",
    name: "Alfafile",
    hosts: ["alfafile.net"],
    confidence: "M",
    kinds: [
      {
        kind: "file",
        path: String.raw`^/file/\w+(?:/|$)`,
        page: {
          headers: { Cookie: "lang=en" },
          rules: [
            means("ok_service_protected", {
              text: [
                "This file can be downloaded by premium users only",
                "You can download files up to",
              ],
            }),
            aliveWith({ text: 'id="st_file_name"' }),
            means("service_rate_limited", {
              matches: String.raw`You have reached your daily downloads limit|You can't download not more than \d{1,6} file at a time`,
            }),
          ],
          needsMarker: true,
        },
      },
    ],
  },
  {
    id: "fastshare",
    name: "FastShare",
    hosts: ["fastshare.{cz,cloud,live,pl}", "netshare.cz", "dinoshare.cz"],
    confidence: "M",
    kinds: [
      {
        kind: "file",
        path: String.raw`^/(?:\d+|[0-9a-f]{32,})(?:/|$)`,
        page: { headers: { Cookie: "lang=en" }, rules: FASTSHARE, needsMarker: true },
      },
    ],
  },
  {
    id: "emload",
    name: "Emload",
    hosts: ["emload.{com,al}", "wdupload.com"],
    confidence: "L",
    kinds: [
      {
        kind: "file",
        path: String.raw`^(?:/v2)?/file/[\w-]+(?:/|$)`,
        page: {
          rules: [
            means("ok_service_protected", {
              text: [
                "This link only for premium",
                "This link is for premium only user",
                "Max Filesize Limit Reached",
              ],
            }),
            aliveWith({ text: 'filename wordwrap"' }),
            dead("service_deleted", "C2", {
              matches: says("[^<>]{0,80}(?:no longer available|has been removed because)"),
            }),
            means("service_rate_limited", {
              text: [
                "You have reached your maximum Bandwidth Limit",
                "Your bandwidth quota exceeded",
              ],
            }),
          ],
          needsMarker: true,
        },
      },
    ],
  },
  {
    id: "4shared",
    name: "4shared",
    hosts: ["4shared.com", "4shared-china.com", "4s.io"],
    confidence: "M",
    kinds: [
      {
        kind: "file",
        path: String.raw`^/(?:account/)?(?:download|get|file|document|embed|photo|video|audio|mp3|office|rar|zip|archive|music|mobile)/[\w-]+(?:/|$)`,
        page: {
          headers: { Cookie: "4langcookie=en" },
          rules: [
            dead("service_not_found", "C1", {
              matches: says("The file link that you requested is not valid"),
            }),
            dead("service_takedown", "C1", {
              matches: says(
                "This file is no longer available because of a claim",
                "[^<>]{0,80}it is identical to a file banned because of a claim",
              ),
            }),
            dead("service_deleted", "C1", { matches: says("This file was deleted") }),
            means("service_unavailable", {
              text: [
                "Servers Upgrade",
                "4shared servers are currently undergoing a short-time maintenance",
              ],
            }),
            means("ok_service_protected", { text: "enter a password to access" }),
            aliveWith({ text: 'meta name="title"' }),
            means("service_rate_limited", { text: ">The download limit has been reached" }),
          ],
          needsMarker: true,
        },
      },
    ],
  },
];
