import { dead, means, type Service } from "../record.ts";
import { oembed } from "./shared.ts";

const STREAMTAPE_TITLE = '(?:name|property)="og:title" content="[^"]';
const MIXDROP_MISSING = "/imgs/illustration-notfound.png";

export const VIDEO_HOSTS: Service[] = [
  {
    id: "ted",
    name: "TED",
    hosts: ["ted.com"],
    confidence: "M",
    kinds: [
      {
        kind: "talk",
        path: String.raw`^/talks/(?:lang/[\w-]+/)?(?<id>[\w-]+)(?:\.html|/.*)?$`,
        ask: oembed(
          "https://www.ted.com/services/v1/oembed.json?url=https%3A%2F%2Fwww.ted.com%2Ftalks%2F{id}",
          means("page", { status: 404 }),
        ),
      },
    ],
    canary: [
      "https://www.ted.com/talks/candace_parker_how_to_break_down_barriers_and_not_accept_limits",
      "https://www.ted.com/talks/jill_bolte_taylor_s_powerful_stroke_of_insight",
    ],
  },
  {
    id: "wistia",
    name: "Wistia",
    hosts: ["wistia.{com,net}", "wi.st"],
    confidence: "M",
    kinds: [
      {
        kind: "media",
        path: String.raw`^/(?:medias|s)/[\w-]+$`,
        ask: oembed("https://fast.wistia.com/oembed.json?url={url}"),
      },
      {
        kind: "embed",
        path: String.raw`^/embed/(?:iframe|medias)/(?<id>[a-z0-9]{10})(?:\.jsonp?)?$`,
        ask: oembed(
          "https://fast.wistia.com/oembed.json?url=https%3A%2F%2Ffast.wistia.com%2Fembed%2Fiframe%2F{id}",
        ),
        page: { rules: [dead("service_not_found", "C2", { json: { error: true } })] },
      },
    ],
    canary: [
      "https://fast.wistia.net/embed/iframe/5vd7p4bct5",
      "https://fast.wistia.net/embed/iframe/a6ndpko1wg",
    ],
  },
  {
    id: "loom",
    name: "Loom",
    hosts: ["loom.com"],
    confidence: "M",
    kinds: [
      {
        kind: "video",
        path: String.raw`^/(?:share|embed)/(?:[\w-]+-)?(?<id>[0-9a-f]{32})/?$`,
        ask: oembed(
          "https://www.loom.com/v1/oembed?url=https%3A%2F%2Fwww.loom.com%2Fshare%2F{id}",
          means("page", { status: [401, 403] }),
        ),
        page: {
          rules: [
            means("ok_service_protected", {
              matches: String.raw`"needs_password"\s*:\s*true|"VideoPasswordMissingOrIncorrect"`,
            }),
            means("service_private", { matches: String.raw`"__typename"\s*:\s*"PrivateVideo"` }),
          ],
        },
      },
    ],
    canary: [
      "https://www.loom.com/share/43d05f362f734614a2e81b4694a3a523",
      "https://www.loom.com/share/c43a642f815f4378b6f80a889bb73d8d",
    ],
  },
  {
    id: "sendvid",
    name: "SendVid",
    hosts: ["sendvid.com"],
    confidence: "M",
    kinds: [
      {
        kind: "video",
        path: "^/(?:embed/)?(?!register$)(?<id>[a-z0-9]{8})$",
        ask: {
          url: "https://sendvid.com/api/v1/videos/{id}/status.json",
          rules: [
            dead("service_not_found", "C1", { status: 404, json: { code: "file_not_found" } }),
            // The response contains nothing else about the video.
            means("page", { status: 200, json: { "": { exists: true } } }),
          ],
        },
        page: {
          rules: [
            means("ok_service", {
              status: 200,
              matches: '<source[^>]{1,100}src="[^"]|name="twitter:title" content="[^"]',
            }),
          ],
          needsMarker: true,
        },
      },
    ],
  },
  {
    id: "vidguard",
    name: "VidGuard",
    hosts: [
      "vidguard.to",
      "{vid-guard,vgfplay,vgembed}.com",
      "v6embed.xyz",
      "{vembed,bembed,listeamed}.net",
      "moflix-stream.day",
    ],
    confidence: "M",
    kinds: [
      {
        kind: "video",
        path: "^/[dev]/(?<id>[A-Za-z0-9]+)$",
        page: {
          rules: [
            dead("service_not_found", "C1", { text: "Not found err:" }),
            means("ok_service", {
              status: 200,
              url: "{id}",
              matches: String.raw`<h4>\s*[^<\s]|name="twitter:title" content="[^"]`,
            }),
          ],
          needsMarker: true,
        },
      },
    ],
  },
  {
    id: "streamtape",
    name: "Streamtape",
    hosts: [
      "streamtape.{com,cc,net,to,xyz,site}",
      "strtape.{tech,cloud}",
      "strcloud.{in,club,link}",
      "strtpe.link",
      "streamta.{pe,site}",
      "scloud.online",
      "shavetape.cash",
      "stape.fun",
      "streamadblocker.xyz",
      "tapewithadblock.org",
      "adblocktape.wiki",
      "{tapecontent,tpead,advertape}.net",
      "{tapeadvertisement,watchadsontape,streamadblockplus,antiadtape,tapeblocker}.com",
      "{streamnoads,tapeadsenjoyer}.com",
    ],
    confidence: "M",
    kinds: [
      {
        kind: "video",
        path: String.raw`^/[ve]/(?<id>[\w-]+)(?:/.*)?$`,
        page: {
          rules: [
            dead("service_not_found", "C2", {
              matches: String.raw`>\s*Video not found[.!]?\s*<`,
              unless: { matches: STREAMTAPE_TITLE },
            }),
            // Returned for what is gone, but also during outages.
            { status: 500, means: "service_not_found", hours: 24 },
            means("ok_service", {
              status: 200,
              url: "{id}",
              matches: String.raw`${STREAMTAPE_TITLE}|<video\b`,
            }),
          ],
          needsMarker: true,
        },
      },
    ],
  },
  {
    id: "doodstream",
    name: "DoodStream",
    hosts: [
      "dood.{re,so,to,watch,cx,la,ws,pm,sh,one,tech,wf,yt,li,work,stream}",
      "doods.pro",
      "doodstream.{com,co}",
      "{doodapi,dooood,ds2play,ds2video,d0o0d,do0od,d0000d,d000d,dooodster,vidply}.com",
      "{do7go,all3do,vvide0,dsvplay,myvidplay,playmogo}.com",
      "{doply,vide0}.net",
      "{d-s,doodcdn}.io",
    ],
    confidence: "M",
    kinds: [
      {
        kind: "video",
        path: "^/[de]/(?<id>[a-z0-9]+)$",
        page: {
          // Pages of videos contain hidden "not found" texts, so the markers of a video come first.
          rules: [
            means("ok_service", {
              status: 200,
              url: "/[de]/{id}",
              text: ["/pass_md5/", '<iframe src="/e/{id}', "'/cptr/"],
            }),
            dead("service_not_found", "C2", {
              text: '<iframe src="/e/"',
              unless: { text: "minimalUserResponseInMiliseconds" },
            }),
            dead("service_not_found", "C2", {
              title: String.raw`^Video not found\s*\|\s*DoodStream`,
            }),
            dead("service_not_found", "C2", {
              matches: String.raw`<h1>\s*Oops! Sorry\s*</h1>\s*<p>\s*File you are looking for is not found`,
            }),
            dead("service_not_found", "C2", {
              url: "/e/",
              matches: String.raw`<h1>\s*Not Found\s*</h1>\s*<p>\s*video you are looking for is not found`,
              unless: { text: "</video>" },
            }),
            dead("service_not_found", "C2", {
              status: 200,
              // Advertisements and captchas are at other addresses.
              url: String.raw`^https?://{host}/(?:\?|$)`,
            }),
          ],
          needsMarker: true,
        },
      },
    ],
  },
  {
    id: "mixdrop",
    name: "MixDrop",
    hosts: [
      "mixdrop.{ag,co,to,club,sx,bz,vc,ms,is,si,ps,my,sn,cfd,cv,ch,gl,nu,sb,top}",
      "mixdroop.{bz,co}",
      "mixdrp.{co,to,click}",
      "mxdrop.{to,sx}",
      "m1xdrop.{net,com,bz,click}",
      "miixdrop.{net,com}",
      "{miiixdrop,miiiixdrop,mixdrop21,mixdrop23,mdfx9dc8n,mdzsmutpcvykb}.net",
      "{mdy48tn97,md3b0j6hj}.com",
      "{mdbekjwqa,mixdropjmk}.pw",
    ],
    confidence: "M",
    kinds: [
      {
        kind: "file",
        path: String.raw`^/(?:f|e|emb)/(?<id>\w+)$`,
        page: {
          rules: [
            dead("service_not_found", "C1", { text: MIXDROP_MISSING }),
            means("ok_service", {
              status: 200,
              url: "{id}",
              matches: String.raw`imgs/icon-file\.png"[^>]{0,200}>\s*<span title="[^"]|\bMDCore\.`,
              unless: { text: MIXDROP_MISSING },
            }),
          ],
          needsMarker: true,
        },
      },
    ],
  },
];
