import { api, asSent, complete, unwrap } from "./api.ts";

export const KEYS = ["keys"];

const PER_PAGE = 25;

export const listKeys = (page: number) =>
  unwrap(api.keys.get({ query: { page, per_page: PER_PAGE } }));

export type NewKey = {
  name: string;
  permissions: { read: boolean; write: boolean };
  /** ISO 8601; null for never. */
  expires_at: string | null;
};

export const createKey = (key: NewKey) => unwrap(api.keys.post(asSent(key)));

export const changeKey = (id: string, change: Partial<NewKey>) =>
  unwrap(api.keys({ id }).patch(asSent(change)));

export const rotateKey = (id: string) => unwrap(api.keys({ id }).rotate.post());

export const revokeKey = (id: string) => complete(api.keys({ id }).delete());

type KeyPage = Awaited<ReturnType<typeof listKeys>>;
export type Key = KeyPage["items"][number];
