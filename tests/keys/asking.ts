import type { Asker, TestServer } from "../harness.ts";

/** A new key of the account with what is said, as one who asks with it, and its id. */
export async function addKey(
  server: TestServer,
  me: Asker,
  body: Record<string, unknown> = {},
): Promise<Asker & { id: string }> {
  const made = await me.post("/api/v1/keys", { name: "made", ...body });
  const { key, id } = made.body.data;
  return { ...server.asker(key, me), id };
}

export const READ_ONLY = { permissions: { read: true, write: false } };
export const WRITE_ONLY = { permissions: { read: false, write: true } };
