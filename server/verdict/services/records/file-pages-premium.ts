import { says } from "../families.ts";
import type { Rule, Service } from "../record.ts";
import { aliveWith, goneIfLedHome, NO_OWN_PAGE, pagesAt } from "./file-pages-shared.ts";

const FILEFACTORY: Rule[] = [
  {
    url: String.raw`/error\.php\?(?:[^#]{0,500}&)?code=(?:251|252|300|325)\b`,
    means: "service_not_found",
    class: "C1",
  },
  {
    matches: String.raw`errorCode\\{0,3}":\s{0,20}\\{0,3}"(?:FILE_NOT_FOUND|251|252|300|325)\b`,
    means: "service_not_found",
    class: "C1",
  },
  { matches: says("Invalid Download Link"), means: "service_not_found", class: "C1" },
  {
    matches: says("File Removed</h2>", "This file is no longer available"),
    means: "service_deleted",
    class: "C1",
  },
  { url: String.raw`/error\.php\?(?:[^#]{0,500}&)?code=258\b`, means: "ok_service_protected" },
  {
    matches: String.raw`(?:requiresPremium|requiresPassword)\\{0,3}":\s{0,20}true`,
    means: "ok_service_protected",
  },
  {
    text: [
      ">Premium Account Required",
      "only available to Premium",
      "only Premium Members can download files larger than",
      "All free download slots on this server are currently in use",
    ],
    means: "ok_service_protected",
  },
  aliveWith({ text: ['id="file_name"', 'class="file-name"'] }),
  aliveWith({ matches: String.raw`disp_filename\\{0,3}":\s{0,20}\\{0,3}"[^"\\]` }),
  { url: String.raw`/error\.php\?(?:[^#]{0,500}&)?code=257\b`, means: "service_unavailable" },
  { url: String.raw`/error\.php\?(?:[^#]{0,500}&)?code=266\b`, means: "service_rate_limited" },
];

/** Without these cookies, news of the site may stand before the file. */
const FILEFACTORY_COOKIES =
  "locale=en_US.utf8; ff_relaunch_message_seen=true; filefactory_stream=seen";

const FASTSHARE: Rule[] = [
  {
    matches: says("Tento soubor byl smazán na základě požadavku vlastníka autorských"),
    means: "service_takedown",
    class: "C1",
  },
  {
    matches: says(
      "The file has been deleted",
      "This file is no longer available",
      "Soubor byl smazán",
    ),
    means: "service_deleted",
    class: "C1",
  },
  { matches: says("Requested page not found"), means: "service_not_found", class: "C1" },
  {
    matches: String.raw`>\s{0,20}100% (?:of FREE slots are full|FREE slotů je plných)`,
    means: "ok_service_protected",
  },
  aliveWith({ matches: String.raw`<h[12]\s{1,20}title\s{0,20}=\s{0,20}"[^"]` }),
];

const RAPIDGATOR_PATH = String.raw`^/file/(?<id>\w+)(?:/|$)`;

const RAPIDGATOR: Rule[] = [
  {
    matches: says("404 File not found", "Error 404"),
    unless: { status: 200, text: "File size:" },
    means: "service_not_found",
    class: "C1",
  },
  { url: "/site/PleaseLogin", means: "login_required" },
  { url: "/subscription/create", means: "ok_service_protected" },
  {
    text: [
      "This file can be downloaded by premium only",
      "You can download files up to",
      "/wallet/BuyFile/id/",
    ],
    means: "ok_service_protected",
  },
  aliveWith({ title: String.raw`^\s*Download file\s*\S` }),
  aliveWith({ text: "File size:" }),
  {
    matches: "File is temporarily (?:not available|unavailable), please try again later",
    means: "service_unavailable",
  },
  {
    matches:
      "You have reached your (?:daily|hourly) downloads limit|You can.t download more than 1 file at a time in free mode",
    means: "service_rate_limited",
  },
  goneIfLedHome("rapidgator.net"),
];

const UPSTORE_PATH = `^/${NO_OWN_PAGE}(?<id>[A-Za-z0-9]{2,})(?:/[^/]*)?$`;

const UPSTORE: Rule[] = [
  {
    matches: String.raw`<span class="error"[^>]{0,100}>\s{0,20}File was deleted`,
    means: "service_deleted",
    class: "C1",
  },
  {
    matches: String.raw`<span class="error"[^>]{0,100}>\s{0,20}File not found`,
    means: "service_not_found",
    class: "C1",
  },
  {
    text: ["available only for Premium", "it can be downloaded only with premium"],
    means: "ok_service_protected",
  },
  aliveWith({
    matches: String.raw`<h2 style="margin:0">[^<]{1,500}</h2>\s{0,20}<div class="comment">`,
  }),
  aliveWith({ text: 'value="{id}"' }),
  {
    text: [
      "download server with your file is temporarily unavailable",
      ">Server with file not found<",
    ],
    means: "service_unavailable",
  },
  {
    matches: String.raw`Please wait \d{1,6} minutes before downloading next file`,
    means: "service_rate_limited",
  },
];

const DEPOSITFILES: Rule[] = [
  { text: "html_download_api-not_exists", means: "service_not_found", class: "C1" },
  { matches: says("This file does not exist"), means: "service_not_found", class: "C1" },
  { text: 'class="no_download_msg"', means: "service_not_found", class: "C2" },
  { text: 'name="file_password"', means: "ok_service_protected" },
  aliveWith({ text: "File size:" }),
  { text: "File is checked, please try again", means: "service_processing" },
  {
    text: ["html_download_api-temporary_unavailable", "The site is temporarily unavailable for"],
    means: "service_unavailable",
  },
  {
    text: [
      "html_download_api-limit_interval",
      "You used up your limit",
      "You have reached your download time limit",
      "but all downloading slots for your country",
    ],
    means: "service_rate_limited",
  },
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
        {
          host: String.raw`^(?:www\.)?filefactory\.com$`,
          path: String.raw`^/file/\w+(?:/|$)`,
        },
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
        page: {
          headers: { Cookie: FILEFACTORY_COOKIES },
          rules: FILEFACTORY,
          needsMarker: true,
        },
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
            {
              matches: says(String.raw`File not found[\s.!]{0,5}(?:<|$)`),
              means: "service_not_found",
              class: "C2",
            },
            {
              text: "This file can be downloaded by Premium Member only",
              means: "ok_service_protected",
            },
            aliveWith({ text: 'class="filename"' }),
            { text: "Sorry, this server is under maintenance", means: "service_unavailable" },
            { text: "If you are using VPN or proxy, disable your proxy", means: "ip_blocked" },
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
      // Any other language is asked for in English.
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
            {
              text: [
                "This file can be downloaded by premium users only",
                "You can download files up to",
              ],
              means: "ok_service_protected",
            },
            aliveWith({ text: 'id="st_file_name"' }),
            {
              matches: String.raw`You have reached your daily downloads limit|You can't download not more than \d{1,6} file at a time`,
              means: "service_rate_limited",
            },
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
            {
              text: [
                "This link only for premium",
                "This link is for premium only user",
                "Max Filesize Limit Reached",
              ],
              means: "ok_service_protected",
            },
            aliveWith({ text: 'filename wordwrap"' }),
            {
              matches: says("[^<>]{0,80}(?:no longer available|has been removed because)"),
              means: "service_deleted",
              class: "C2",
            },
            {
              text: [
                "You have reached your maximum Bandwidth Limit",
                "Your bandwidth quota exceeded",
              ],
              means: "service_rate_limited",
            },
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
            {
              matches: says("The file link that you requested is not valid"),
              means: "service_not_found",
              class: "C1",
            },
            {
              matches: says(
                "This file is no longer available because of a claim",
                "[^<>]{0,80}it is identical to a file banned because of a claim",
              ),
              means: "service_takedown",
              class: "C1",
            },
            {
              matches: says("This file was deleted"),
              means: "service_deleted",
              class: "C1",
            },
            {
              text: [
                "Servers Upgrade",
                "4shared servers are currently undergoing a short-time maintenance",
              ],
              means: "service_unavailable",
            },
            { text: "enter a password to access", means: "ok_service_protected" },
            aliveWith({ text: 'meta name="title"' }),
            { text: ">The download limit has been reached", means: "service_rate_limited" },
          ],
          needsMarker: true,
        },
      },
    ],
  },
];
