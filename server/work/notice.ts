import * as z from "zod";

/** Named accounts of each kind: with more, any account is meant. PostgreSQL takes less than 8000 bytes. */
const MOST_NAMED = 90;

const Accounts = z.array(z.string()).nullable();

const Notice = z.object({
  /** The node that tells. */
  by: z.string(),
  changed: Accounts,
  counted: Accounts,
  work: z.boolean(),
});
export type Notice = z.output<typeof Notice>;

/** What has gathered to be told. */
export type Gathered = { changed: Set<string>; counted: Set<string>; work: boolean };

export const nothing = (): Gathered => ({ changed: new Set(), counted: new Set(), work: false });

/** Keeps one more than can be named, which tells that they are too many. */
export function addTo(accounts: Set<string>, ids: Iterable<string>) {
  for (const id of ids) {
    if (accounts.size > MOST_NAMED) return;
    accounts.add(id);
  }
}

export const noticeOf = (by: string, { changed, counted, work }: Gathered): string =>
  JSON.stringify({ by, changed: named(changed), counted: named(counted), work } satisfies Notice);

const named = (accounts: Set<string>) => (accounts.size > MOST_NAMED ? null : [...accounts]);

/** What a later version may tell in other words is taken for anything at all. */
export function readNotice(text: string): Notice {
  const { data } = Notice.safeParse(parsed(text));
  return data ?? { by: "", changed: null, counted: null, work: true };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
