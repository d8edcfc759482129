import type { Asker } from "../harness.ts";
import { anyUrl } from "../rows.ts";

export async function addMany(me: Asker, count: number, more: object = {}) {
  for (let made = 0; made < count; made += 1000) {
    const links = Array.from({ length: Math.min(1000, count - made) }, () => ({
      ...more,
      url: anyUrl(),
    }));
    await me.post("/api/v1/links/batch", { links });
  }
}
