import { says } from "../families.ts";
import type { Rule, Service } from "../record.ts";
import { aliveWith, goneIfLedHome, NO_OWN_PAGE, pagesAt } from "./file-pages-shared.ts";

const WORKUPLOAD: Rule[] = [
  { text: 'img/404.jpg"', means: "service_not_found", class: "C1" },
  { matches: says("Whoops! 404"), means: "service_not_found", class: "C1" },
  { matches: says("Datei gesperrt"), means: "service_deleted", class: "C1" },
  {
    text: ['id="passwordprotected_file_password"', 'name="passwordprotected_archive"'],
    means: "ok_service_protected",
  },
  aliveWith({ matches: String.raw`>\s{0,20}(?:Filename|Dateiname|Archivname)\s{0,20}:` }),
  // The riddle that it sets to programs, in the place of every page.
  { text: 'class="fa fa-shield-check"', means: "bot_challenge" },
];

/** The page of a file at UPLOAD.EE, by the file's name or by the title. */
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
            {
              matches: String.raw`the file you requested is not available|The page you are looking for is not available\. It has either been moved`,
              unless: { status: 200, text: '<h2 class="bgray">' },
              means: "service_not_found",
              class: "C1",
            },
            { text: 'name="filepassword"', means: "ok_service_protected" },
            aliveWith({ text: '<h2 class="bgray">' }),
            // A link of paying users leads to the file itself.
            aliveWith({ unless: { type: "html" } }),
            { text: "Please complete the form below", means: "bot_challenge" },
            {
              text: [
                ">The file is not currently available",
                "Our support staff have been notified",
              ],
              means: "service_unavailable",
            },
            {
              text: [
                "You have reached your daily download limit",
                "has reached the 300MB hourly download",
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
            { url: "/notfound$", means: "service_not_found", class: "C1" },
            {
              matches: says("File Not Found Or Deleted"),
              means: "service_not_found",
              class: "C1",
            },
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
            {
              matches: says(
                "[^<>]{0,40}The file you are trying to download is no longer available!",
              ),
              means: "service_deleted",
              class: "C1",
            },
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
            {
              matches: says(String.raw`FILE NOT FOUND[\s.!]{0,5}(?:<|$)`),
              means: "service_not_found",
              class: "C1",
            },
            {
              text: ["| Password Protected", "$('#password-modal').modal('open');"],
              means: "ok_service_protected",
            },
            aliveWith({ matches: String.raw`>\s{0,20}Size:\s{0,20}\d` }),
            // Several files together are a list of them.
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
            {
              text: "File was deleted automatically",
              unless: UPLOAD_EE_FILE,
              means: "service_expired",
              class: "C1",
            },
            {
              text: ["File was deleted by user", "does not exist on disk"],
              unless: UPLOAD_EE_FILE,
              means: "service_deleted",
              class: "C1",
            },
            { matches: says("There is no such file"), means: "service_not_found", class: "C1" },
            {
              title: String.raw`^\s*UPLOAD\.EE - File does not exist[\s.!]*$`,
              means: "service_not_found",
              class: "C1",
            },
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
            {
              matches: says("[^<>]{0,80}diese Datei ist eine Take Down-Meldung eingegangen"),
              means: "service_takedown",
              class: "C1",
            },
            { matches: says("Datei gesperrt"), means: "service_deleted", class: "C1" },
            {
              matches: says(
                "Download-Datei wurde nicht gefunden",
                "Datei nicht gefunden",
                "Die Datei existiert leider nicht mehr",
                "[^<>]{0,80}Entweder wurde die Datei von unseren Servern entfernt oder der Download-Link war",
              ),
              means: "service_not_found",
              class: "C1",
            },
            {
              matches: "keinen freien Downloadslots frei|aktuell keine freien Downloadslots",
              means: "ok_service_protected",
            },
            {
              matches: String.raw`>\s{0,20}(?:Der Download ist nicht bereit|Datei noch nicht bereit)`,
              means: "service_processing",
            },
            aliveWith({ text: 'class="file">' }),
            {
              text: [
                "Derzeit haben wir Serverprobleme",
                "Es steht aktuell kein Server zum Download",
              ],
              means: "service_unavailable",
            },
            { url: "/error/limit", means: "service_rate_limited" },
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
            {
              matches: says("Datei existiert nicht"),
              means: "service_not_found",
              class: "C1",
            },
            // Its home page has such a title, too.
            aliveWith({ title: String.raw`^\s*File-Upload\.net - \S`, url: "[-_]{id}[/_]" }),
            goneIfLedHome("file-upload.net"),
          ],
          needsMarker: true,
        },
      },
    ],
  },
];
