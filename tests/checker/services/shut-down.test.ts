import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type Answers, challenge, page, startPlayedWeb, text, to } from "./played-web.ts";
import { checkThrough, tellOf } from "./told.ts";

/** Each with a link that it once had, and other addresses of its own. */
const ENDED: [id: string, url: string, ...others: string[]][] = [
  [
    "zippyshare",
    "https://www110.zippyshare.com/v/qz5bCgk9/file.html",
    "https://zippyshare.com/",
    "https://WWW.Zippyshare.com/",
  ],
  [
    "anonfiles",
    "https://anonfiles.com/Ff1bU6d4y2/report_pdf",
    "https://anonfile.com/b0a1c2d3e4",
    "https://cdn-101.anonfiles.com/a",
  ],
  [
    "bayfiles",
    "https://bayfiles.com/h3a8z1k2u7/notes_zip",
    "https://www.bayfiles.com/",
    "https://cdn-12.bayfiles.com/h",
  ],
  [
    "uptobox",
    "https://uptobox.com/1a2b3c4d5e6f",
    "https://uptobox.fr/1a2b3c4d5e6f",
    "https://uptobox.eu/x",
    "https://uptobox.link/x",
    "https://uptostream.com/1a2b3c4d5e6f",
  ],
  [
    "uploaded",
    "https://uploaded.net/file/abcd1234",
    "https://uploaded.to/file/abcd1234",
    "https://ul.to/abcd1234",
  ],
  [
    "rapidshare",
    "https://rapidshare.com/files/123456789/holiday.zip",
    "https://rs12.rapidshare.com/files/1",
    "https://rapidshare.de/files/1/a.zip.html",
  ],
  [
    "openload",
    "https://openload.co/f/kUEfGclsU9o/skyrim.mp4",
    "https://openload.io/f/a",
    "https://oload.tv/embed/a",
    "https://oload.website/f/a",
  ],
  [
    "share-online",
    "https://www.share-online.biz/dl/ABC123DEF45",
    "https://share-online.biz/",
    "https://api.share-online.biz/",
  ],
  [
    "oboom",
    "https://www.oboom.com/ABCD1234/notes.rar",
    "https://oboom.com/",
    "https://api.oboom.com/1",
  ],
  [
    "solidfiles",
    "https://www.solidfiles.com/v/aBcDeFgHiJkLm",
    "https://solidfiles.com/d/1a2b3c/",
    "https://s1.solidfilesusercontent.solidfiles.com/x",
  ],
  [
    "letsupload",
    "https://letsupload.cc/x1y2z3ABCD/notes_zip",
    "https://letsupload.io/1a2b",
    "https://letsupload.co/1a2b",
    "https://letsupload.org/1a2b",
    "https://letsupload.to/1a2b",
  ],
  [
    "filescdn",
    "https://filescdn.com/1a2b3c4d5e6f",
    "https://filescdn.net/1a2b3c4d5e6f",
    "https://www.filescdn.com/",
  ],
  [
    "uploadrocket",
    "https://uploadrocket.net/1a2b3c4d5e6f/notes.rar.html",
    "https://www.uploadrocket.net/",
    "https://UPLOADROCKET.net/x",
  ],
  [
    "fembed",
    "https://www.fembed.com/v/e706eb-elwq",
    "https://fembed.net/v/a",
    "https://fembed-hd.com/v/a",
    "https://fembed9hd.com/v/a",
  ],
  [
    "vidlox",
    "https://vidlox.me/embed-1a2b3c4d5e6f.html",
    "https://vidlox.tv/1a2b3c4d5e6f",
    "https://www.vidlox.me/",
  ],
  [
    "megaupload",
    "https://www.megaupload.com/?d=ABCD1234",
    "https://megaupload.com/",
    "https://www123.megaupload.com/files/a",
  ],
  [
    "volafile",
    "https://volafile.org/r/BEEPi",
    "https://volafile.io/r/BEEPi",
    "https://dl3.volafile.org/get/a/b.zip",
  ],
  ["vivo", "https://vivo.sx/1a2b3c4d5e", "https://www.vivo.sx/", "https://node1.vivo.sx/a"],
  [
    "streamango",
    "https://streamango.com/f/rnlncelbqmrqbdna/a_mp4",
    "https://www.streamango.com/",
    "https://streamango.com/embed/a",
  ],
  [
    "verystream",
    "https://verystream.com/stream/c1GWQ9ngBBx/a.mp4",
    "https://www.verystream.com/",
    "https://verystream.com/e/a",
  ],
  [
    "rapidvideo",
    "https://www.rapidvideo.com/v/FJ1A2B3C4D",
    "https://rapidvideo.com/e/a",
    "https://www1.rapidvideo.com/a",
  ],
  [
    "thevideo",
    "https://thevideo.me/1a2b3c4d5e6f",
    "https://thevideo.cc/1a2b3c4d5e6f",
    "https://www.thevideo.me/",
  ],
  [
    "hotfile",
    "https://hotfile.com/dl/123456789/abcdef1/notes.rar.html",
    "https://www.hotfile.com/",
    "https://s12.hotfile.com/get/a",
  ],
  [
    "filesonic",
    "https://www.filesonic.com/file/123456789/notes.rar",
    "https://filesonic.com/",
    "https://s12.filesonic.com/download/a",
  ],
  [
    "oron",
    "https://oron.com/1a2b3c4d5e6f/notes.rar.html",
    "https://www.oron.com/",
    "https://d1.oron.com/a",
  ],
  [
    "wupload",
    "https://www.wupload.com/file/123456789/notes.rar",
    "https://wupload.com/",
    "https://s1.wupload.com/download/a",
  ],
  [
    "letitbit",
    "https://letitbit.net/download/12345.1a2b3c/notes.rar.html",
    "https://www.letitbit.net/",
    "https://r1.letitbit.net/a",
  ],
  [
    "2shared",
    "https://www.2shared.com/document/aBcD1234/notes.html",
    "https://2shared.com/",
    "https://dc1.2shared.com/download/a",
  ],
  [
    "nofile",
    "https://nofile.io/f/aBcD1234eFg/notes.zip",
    "https://www.nofile.io/",
    "https://nofile.io/g/a",
  ],
];

const reborn = `<title>Garden sheds of Kent</title>
<h1>Garden sheds, made to measure</h1>
<p>We have been building sheds and summer houses in Kent since 1987. Call us, or come and see our yard.</p>`;

const parked = (host: string) => `<!doctype html><title>${host}</title>
<body><script src="//sedoparking.com/frmpark/${host}/sedonewreg/park.js"></script></body>`;

const GONE = "dead service_shutdown C2";
/** Whoever took the name over, and was alive there, may have trouble. */
const WAITS = "unknown unconfirmed (service_shutdown in 24 hours)";

for (const [id, url, ...others] of ENDED) {
  const { host, pathname } = new URL(url);
  const at = host + pathname;
  tellOf(id, {
    urls: [url, ...others],
    rows: [
      { what: "missing", url, web: { [at]: 404 }, seen: GONE, asked: [`GET ${url}`] },
      {
        what: "missing for good",
        url,
        web: { [at]: page("<h1>Gone</h1>", 410) },
        seen: "dead service_shutdown C1",
      },
      { what: "failing", url, web: { [at]: text("upstream error", 503) }, seen: WAITS },
      { what: "parked", url, web: { [at]: parked(host) }, seen: GONE },
      { what: "led round in circles", url, web: { [at]: to(url) }, seen: WAITS },
      { what: "somebody else's page", url, web: { [at]: reborn }, seen: "active ok" },
      { what: "closed to us", url, web: { [at]: 403 }, seen: "unknown http_403" },
      { what: "walled", url, web: { [at]: challenge() }, seen: "unknown bot_challenge" },
    ],
  });
}

describe("A service that has ended", () => {
  const [, url = ""] = ENDED[0]!;
  const { host, pathname } = new URL(url);
  let web: Awaited<ReturnType<typeof startPlayedWeb>>;
  beforeAll(async () => {
    web = await startPlayedWeb([host]);
  });
  afterAll(() => web.stop());

  /** What a link that was never alive here comes to. */
  async function seen(answer: Answers) {
    web.play({ [host + pathname]: answer });
    const known = { lastDecided: null };
    const { status, reason } = await checkThrough(web, url, undefined, known);
    return `${status} ${reason}`;
  }

  test.each<[what: string, answer: Answers, seen: string]>([
    ["fails", text("upstream error", 502), "dead service_shutdown"],
    ["leads round in circles", to(url), "dead service_shutdown"],
    ["is somebody else's now", reborn, "active ok"],
    ["shuts us out", 403, "unknown http_403"],
  ])("and was never alive since %s: %p", async (_, answer, expected) => {
    expect(await seen(answer)).toBe(expected);
  });
});
