import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { Elysia } from "elysia";

/** The name of an asset holds a hash of its content: what is there never changes. */
const FOR_EVER = "immutable, max-age=31536000";

const COMPRESSED = ".br";

/**
 * Gives browsers the files of the folder, each of them compressed where the build has made that and the
 * browser takes it (RFC 9110 §12.5.3).
 */
export function assetRoutes(folder: string): Elysia {
  const app = new Elysia({ name: "assets", detail: { hide: true, access: "anyone" } });
  const names = readdirSync(folder).filter((name) => !name.endsWith(COMPRESSED));
  for (const name of names) app.get(`/assets/${name}`, replyWith(join(folder, name)));
  return app;
}

function replyWith(path: string) {
  const plain = Bun.file(path);
  const smaller = existsSync(path + COMPRESSED) ? Bun.file(path + COMPRESSED) : null;
  const headers = { "content-type": plain.type, "cache-control": FOR_EVER };
  return ({ request }: { request: Request }) => {
    if (!smaller) return new Response(plain, { headers });
    const varying = { ...headers, vary: "accept-encoding" };
    const takesIt = /\bbr\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))/i.test(
      request.headers.get("accept-encoding") ?? "",
    );
    return takesIt
      ? new Response(smaller, { headers: { ...varying, "content-encoding": "br" } })
      : new Response(plain, { headers: varying });
  };
}
