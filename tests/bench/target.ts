/**
 * The web that is checked: one small page at every address of this machine, over http and https, after so
 * many milliseconds. It tells when it was asked first.
 */
const [delayMs = 0] = process.argv.slice(2).map(Number);
const { BENCH_CERT: cert, BENCH_KEY: key } = process.env;

const words = "All is well here, and has been for a long time. ".repeat(20);
const page = `<!doctype html><html lang="en"><head><title>A page</title></head><body><h1>A page</h1><p>${words}</p></body></html>`;
let askedAt = 0;

async function fetch(request: Request): Promise<Response> {
  if (request.url.endsWith("/asked-at")) return new Response(String(askedAt));
  askedAt ||= Date.now();
  if (delayMs > 0) await Bun.sleep(delayMs);
  return new Response(page, { headers: { "content-type": "text/html; charset=utf-8" } });
}

const listen = { port: 0, hostname: "0.0.0.0", fetch };
const web = Bun.serve(listen);
const secure = cert && key ? Bun.serve({ ...listen, tls: { cert, key } }) : web;
console.log(`listening on http://127.0.0.1:${web.port}/?secure=${secure.port}`);
