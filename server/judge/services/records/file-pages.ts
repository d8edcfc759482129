import { says } from "../families.ts";
import { dead, means, type Rule, type Service } from "../record.ts";
import { aliveWith, goneIfLedHome, NO_OWN_PAGE, pagesAt } from "./shared.ts";

const WORKUPLOAD: Rule[] = [
  dead("service_not_found", "C1", { text: 'img/404.jpg"' }),
  dead("service_not_found", "C1", { matches: says("Whoops! 404") }),
  dead("service_deleted", "C1", { matches: says("Datei gesperrt") }),
  means("ok_service_protected", {
    text: ['id="passwordprotected_file_password"', 'name="passwordprotected_archive"'],
  }),
  aliveWith({ matches: String.raw`>\s{0,20}(?:Filename|Dateiname|Archivname)\s{0,20}:` }),
  // The puzzle that it shows to programs in place of every page.
  means("bot_challenge", { text: 'class="fa fa-shield-check"' }),
];

/** The page of a file at UPLOAD.EE, recognized by the file's name or the title. */
const UPLOAD_EE_FILE: Rule["unless"] = {
  status: 200,
  matches: String.raw`File: <b>|<title>\s?UPLOAD\.EE\s?-\s?Download\s`,
};

export const FILE_PAGES: Service[] = [
  {
    id: "workupload",
    name: "workupload",
    hosts: ["workupload.com"],
    confidence: "M",
    kinds: [
      ...pagesAt(
        { host: String.raw`^(?:www\.)?workupload\.com$`, path: String.raw`^/file/\w+(?:/|$)` },
        { path: String.raw`^/(?:file|start|report)/(?<id>\w+)(?:/|$)` },
        { url: "https://workupload.com/file/{id}", rules: WORKUPLOAD, needsMarker: true },
      ),
      {
        kind: "archive",
        path: String.raw`^/archive/\w+(?:/|$)`,
        page: { rules: WORKUPLOAD, needsMarker: true },
      },
    ],
  },
  {
    id: "sendspace",
    name: "Sendspace",
    hosts: ["sendspace.com"],
    confidence: "H",
    kinds: [
      {
        kind: "file",
        path: String.raw`^/(?:file|pro/dl)/\w+(?:/|$)`,
        page: {
          rules: [
            dead("service_not_found", "C1", {
              matches: String.raw`the file you requested is not available|The page you are looking for is not available\. It has either been moved`,
              unless: { status: 200, text: '<h2 class="bgray">' },
            }),
            means("ok_service_protected", { text: 'name="filepassword"' }),
            aliveWith({ text: '<h2 class="bgray">' }),
            // Links of paying users lead to the file itself.
            aliveWith({ unless: { type: "html" } }),
            means("bot_challenge", { text: "Please complete the form below" }),
            means("service_unavailable", {
              text: [
                ">The file is not currently available",
                "Our support staff have been notified",
              ],
            }),
            means("service_rate_limited", {
              text: [
                "You have reached your daily download limit",
                "has reached the 300MB hourly download",
              ],
            }),
          ],
          needsMarker: true,
        },
      },
    ],
  },
  {
    id: "buzzheavier",
    name: "Buzzheavier",
    hosts: ["buzzheavier.com", "bzzhr.{co,to}"],
    confidence: "M",
    kinds: [
      {
        kind: "file",
        path: "^/[A-Za-z0-9]{12}$",
        page: {
          rules: [
            dead("service_not_found", "C1", { url: "/notfound$" }),
            dead("service_not_found", "C1", { matches: says("File Not Found Or Deleted") }),
            aliveWith({ matches: String.raw`Size - [^<|]{1,40}\| Views - \d` }),
            aliveWith({ matches: String.raw`hx-get\s{0,20}=\s{0,20}"[^"]{0,200}download` }),
            // A folder lists its files.
            aliveWith({ matches: '<a href="/[a-z0-9]{12}"' }),
          ],
          needsMarker: true,
        },
      },
    ],
  },
  {
    id: "fuckingfast",
    name: "FuckingFast",
    hosts: ["fuckingfast.{co,net}"],
    confidence: "M",
    kinds: [
      {
        kind: "file",
        path: "^/[A-Za-z0-9]{12}$",
        page: {
          rules: [
            aliveWith({
              matches: String.raw`>\s{0,20}Size\s{0,20}[:-]\s{0,20}(?:[^<|]{1,40}\||[\d.,]{1,20}\s?[kmgt]?i?b(?:ytes)?\b)`,
            }),
          ],
          needsMarker: true,
        },
      },
    ],
  },
  {
    id: "megaup",
    name: "MegaUp",
    hosts: ["megaup.net"],
    confidence: "L",
    kinds: [
      {
        kind: "file",
        path: "^/[A-Za-z0-9]+(?:/[^/]*)?$",
        page: {
          rules: [
            dead("service_deleted", "C1", {
              matches: says(
                "[^<>]{0,40}The file you are trying to download is no longer available!",
              ),
            }),
            aliveWith({
              matches: String.raw`\bSize:\s{0,20}(?:<[^>]{0,100}>\s{0,20})?[\d.,]{1,20}\s{0,20}[kmgt]?b`,
            }),
          ],
          needsMarker: true,
        },
      },
    ],
  },
  {
    id: "easyupload",
    name: "Easyupload",
    hosts: ["easyupload.io"],
    confidence: "M",
    kinds: [
      {
        kind: "file",
        path: String.raw`^/(?:m/)?${NO_OWN_PAGE}[\w-]+$`,
        page: {
          rules: [
            dead("service_not_found", "C1", {
              matches: says(String.raw`FILE NOT FOUND[\s.!]{0,5}(?:<|$)`),
            }),
            means("ok_service_protected", {
              text: ["| Password Protected", "$('#password-modal').modal('open');"],
            }),
            aliveWith({ matches: String.raw`>\s{0,20}Size:\s{0,20}\d` }),
            // Several files are shown as a list.
            aliveWith({ matches: 'data-url="[a-z0-9]' }),
          ],
          needsMarker: true,
        },
      },
    ],
  },
  {
    id: "upload-ee",
    name: "UPLOAD.EE",
    hosts: ["upload.ee"],
    confidence: "M",
    kinds: [
      {
        kind: "file",
        path: String.raw`^/files/(?<id>\d+)/(?<name>[^/]+)$`,
        page: {
          url: "https://www.upload.ee/files/{id}/{name}",
          headers: { Cookie: "lng=eng" },
          rules: [
            dead("service_expired", "C1", {
              text: "File was deleted automatically",
              unless: UPLOAD_EE_FILE,
            }),
            dead("service_deleted", "C1", {
              text: ["File was deleted by user", "does not exist on disk"],
              unless: UPLOAD_EE_FILE,
            }),
            dead("service_not_found", "C1", { matches: says("There is no such file") }),
            dead("service_not_found", "C1", {
              title: String.raw`^\s*UPLOAD\.EE - File does not exist[\s.!]*$`,
            }),
            aliveWith({ text: "File: <b>" }),
            aliveWith({ title: String.raw`^\s*UPLOAD\.EE\s+-\s+Download\s` }),
          ],
          needsMarker: true,
        },
      },
    ],
  },
  {
    id: "filestore-to",
    name: "FileStore",
    hosts: ["filestore.to"],
    confidence: "M",
    kinds: [
      {
        kind: "file",
        path: "^/$",
        query: String.raw`^(?:[^?]*&)?d=\w+`,
        page: {
          rules: [
            dead("service_takedown", "C1", {
              matches: says("[^<>]{0,80}diese Datei ist eine Take Down-Meldung eingegangen"),
            }),
            dead("service_deleted", "C1", { matches: says("Datei gesperrt") }),
            dead("service_not_found", "C1", {
              matches: says(
                "Download-Datei wurde nicht gefunden",
                "Datei nicht gefunden",
                "Die Datei existiert leider nicht mehr",
                "[^<>]{0,80}Entweder wurde die Datei von unseren Servern entfernt oder der Download-Link war",
              ),
            }),
            means("ok_service_protected", {
              matches: "keinen freien Downloadslots frei|aktuell keine freien Downloadslots",
            }),
            means("service_processing", {
              matches: String.raw`>\s{0,20}(?:Der Download ist nicht bereit|Datei noch nicht bereit)`,
            }),
            aliveWith({ text: 'class="file">' }),
            means("service_unavailable", {
              text: [
                "Derzeit haben wir Serverprobleme",
                "Es steht aktuell kein Server zum Download",
              ],
            }),
            means("service_rate_limited", { url: "/error/limit" }),
          ],
          needsMarker: true,
        },
      },
    ],
  },
  {
    id: "file-upload-net",
    name: "File-Upload.net",
    hosts: ["file-upload.net"],
    confidence: "M",
    kinds: [
      {
        kind: "file",
        path: String.raw`^/(?:en/)?(?:member/)?(?:download|view)[-_](?<id>\d+)[/_]`,
        page: {
          rules: [
            dead("service_not_found", "C1", { matches: says("Datei existiert nicht") }),
            // The home page has such a title, too.
            aliveWith({ title: String.raw`^\s*File-Upload\.net - \S`, url: "[-_]{id}[/_]" }),
            goneIfLedHome("file-upload.net"),
          ],
          needsMarker: true,
        },
      },
    ],
  },
];
