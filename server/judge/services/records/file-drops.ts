import { says } from "../families.ts";
import { dead, means, type Rule, type Service } from "../record.ts";
import { aliveWith, goneIfLedHome, NO_OWN_PAGE } from "./shared.ts";

export const FILE_DROPS: Service[] = [
  {
    id: "filebin",
    name: "Filebin",
    hosts: ["filebin.net"],
    confidence: "M",
    kinds: [
      {
        kind: "bin",
        path: String.raw`^/(?:qr/)?(?<id>[\w-]{8,})/?$`,
        page: {
          url: "https://filebin.net/{id}",
          rules: [
            dead("service_not_found", "C2", { matches: says("This bin is empty") }),
            aliveWith({ matches: String.raw`Total size\s{0,20}</dt>` }),
            aliveWith({ text: 'href="/{id}/' }),
            means("service_unavailable", { text: "Sorry, Filebin is currently down" }),
          ],
          needsMarker: true,
        },
      },
    ],
  },
  {
    id: "catbox",
    name: "Catbox",
    hosts: ["catbox.moe"],
    confidence: "M",
    kinds: [
      {
        kind: "litter",
        host: String.raw`^litter\.`,
        path: String.raw`^/[\w-]+\.`,
        // Files expire after at most three days.
        page: { rules: [dead("service_expired", "C2", { status: 404 })] },
      },
      { kind: "file", host: String.raw`^(?:files|de)\.`, path: String.raw`^/[\w-]+\.` },
      {
        kind: "album",
        path: String.raw`^/c/\w+$`,
        page: { rules: [aliveWith({ text: "https://files.catbox.moe/" })], needsMarker: true },
      },
    ],
    canary: ["https://files.catbox.moe/8ih3y7.png", "https://catbox.moe/c/1igcbe"],
  },
  {
    id: "temp-sh",
    name: "temp.sh",
    hosts: ["temp.sh"],
    confidence: "L",
    kinds: [
      {
        kind: "file",
        path: "^/[A-Za-z0-9]+/[^/]+$",
        // Returned for files that are gone, but also during outages.
        page: { rules: [{ status: 500, means: "service_not_found", hours: 24 }] },
      },
    ],
  },
  {
    id: "transfer-sh",
    name: "transfer.sh",
    hosts: ["transfer.sh"],
    confidence: "L",
    kinds: [{ kind: "file", path: "^/(?:get/|inline/)?[A-Za-z0-9]{5,}/[^/]+$" }],
  },
  {
    id: "vikingfile",
    name: "ViKiNG FiLE",
    hosts: ["vikingfile.com", "vikingf1le.us.to"],
    confidence: "M",
    kinds: [
      {
        kind: "file",
        path: "^/f/(?<id>[A-Za-z0-9]{10})$",
        ask: [
          {
            url: "https://vikingfile.com/api/check-file",
            form: { "hash[]": ["{id}"] },
            batch: { most: 100, answers: { by: "position" } },
            rules: [
              means("ok_service", { json: { exist: true } }),
              // One `false` stands for all requested files, and may be about any of them.
              means("next", { json: { exist: false } }),
            ],
          },
          {
            url: "https://vikingfile.com/api/check-file",
            form: { "hash[]": "{id}" },
            rules: ["exist", "0.exist"].flatMap((at): Rule[] => [
              means("ok_service", { json: { [at]: true } }),
              dead("service_not_found", "C1", { json: { [at]: false } }),
            ]),
          },
        ],
        page: { rules: [aliveWith({ matches: 'id="filename"[^>]{0,200}>[^<]' })] },
      },
    ],
  },
  {
    id: "uploadhaven",
    name: "UploadHaven",
    hosts: ["uploadhaven.com"],
    confidence: "M",
    kinds: [
      {
        kind: "file",
        path: "^/download/(?<id>[0-9a-f]{32})$",
        page: {
          rules: [
            // Only visitors from a certain site get the file.
            means("service_private", { matches: String.raw`>\s{0,20}Hotlink protection active` }),
            aliveWith({
              matches: String.raw`>\s{0,20}Download file - [^<\s]|File\s{0,20}:[^<>"]{1,300}<br`,
            }),
            goneIfLedHome("uploadhaven.com"),
          ],
          needsMarker: true,
        },
      },
    ],
  },
  {
    id: "modsfire",
    name: "ModsFire",
    hosts: ["modsfire.com"],
    confidence: "M",
    kinds: [
      {
        kind: "file",
        path: `^/${NO_OWN_PAGE}(?<id>[A-Za-z0-9]+)$`,
        page: {
          rules: [aliveWith({ text: "/download/{id}" }), goneIfLedHome("modsfire.com")],
          needsMarker: true,
        },
      },
    ],
  },
  {
    id: "bunkr",
    name: "Bunkr",
    hosts: [
      "bunkr.{ac,ax,black,cat,ci,cr,es,fi,is,la,media,ph,pk,ps,red,ru,se,si,site,sk,su,to,ws}",
      "bunkrr.{ru,su}",
      "bunkrrr.org",
    ],
    confidence: "L",
    kinds: [
      {
        kind: "album",
        path: String.raw`^/a/\w+$`,
        page: {
          rules: [aliveWith({ text: ["window.albumFiles", "grid-images_box"] })],
          needsMarker: true,
        },
      },
      {
        kind: "file",
        path: "^/[dfiv]/[^/]+$",
        page: {
          rules: [
            means("service_unavailable", {
              matches: String.raw`>\s{0,20}Server under maintenance\s{0,20}<`,
            }),
            means("service_unavailable", { text: 'class="down_disabled"' }),
            aliveWith({ text: 'data-file-id="' }),
            aliveWith({ matches: String.raw`https?://(?:get|dl)\.[\w.-]{1,100}/file/\d` }),
          ],
          needsMarker: true,
        },
      },
      {
        kind: "media",
        host: String.raw`^(?!www\.)[\w-]+\.bunkr`,
        path: "^/[^/]+$",
        page: {
          rules: [
            // Shown in place of any file of the server.
            means("service_unavailable", { url: String.raw`/maint[\w-]*\.(?:mp4|webm)$` }),
          ],
        },
      },
    ],
    canary: ["https://bunkr.si/a/Lktg9Keq", "https://bunkr.cr/a/Lktg9Keq"],
  },
  {
    id: "androidfilehost",
    name: "AndroidFileHost",
    hosts: ["androidfilehost.com"],
    confidence: "L",
    kinds: [
      {
        kind: "file",
        path: "^/$",
        query: String.raw`^(?:[^?]*&)?fid=\d+`,
        page: {
          rules: [
            dead("service_not_found", "C2", {
              matches: says(
                String.raw`[^<>]{0,40}(?:file not found|404 not found)[\s.!]{0,5}(?:<|$)`,
              ),
              unless: { status: 200, text: 'id="filename"' },
            }),
            means("service_private", { text: "<h3>access denied</h3>" }),
            aliveWith({ text: 'id="filename"' }),
          ],
          needsMarker: true,
        },
      },
    ],
  },
];
