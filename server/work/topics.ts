import * as z from "zod";

/**
 * Messages between the processes that serve the same database. Delivery is not guaranteed: everything that they
 * say can also be read from the database.
 */
export type Topics = {
  /** A request has changed something in the account. */
  changed(accountId: string): void;
  /** Something that counters show was written in the accounts, such as results of checks. */
  counted(accountIds: ReadonlySet<string>): void;
  /** Work is due that another process may have to do. */
  workIsDue(): void;
  /** Whether messages of other processes arrive; if not, poll. */
  isConnected(): boolean;
  subscribe(listener: TopicListener): void;
};

/** Null means any account: there were too many to list, or messages may have been missed. */
export type TopicListener = {
  /** Accounts that other processes have changed. */
  changed(accountIds: string[] | null): void;
  /** Accounts that were counted by any process, this one included. */
  counted(accountIds: string[] | null): void;
};

/** Returns the distinct accounts of the rows. */
export const accountIdsOf = (rows: { accountId: string }[]): Set<string> =>
  new Set(rows.map(({ accountId }) => accountId));

/** For a process that has the database to itself. */
export const localTopics: Topics = {
  changed: () => {},
  counted: () => {},
  workIsDue: () => {},
  isConnected: () => false,
  subscribe: () => {},
};

/** Most accounts listed in a message, which PostgreSQL limits to 8000 bytes. */
const MOST_LISTED = 90;

const Accounts = z.array(z.string()).nullable();

const Message = z.object({
  /** Id of the node that sends it. */
  by: z.string(),
  changed: Accounts,
  counted: Accounts,
  work: z.boolean(),
});
export type Message = z.output<typeof Message>;

/** What is to be sent with the next message. */
export type Pending = { changed: Set<string>; counted: Set<string>; work: boolean };

export const nothingPending = (): Pending => ({
  changed: new Set(),
  counted: new Set(),
  work: false,
});

/** Adds ids, up to one more than a message lists. */
export function addTo(accounts: Set<string>, ids: Iterable<string>) {
  for (const id of ids) {
    if (accounts.size > MOST_LISTED) return;
    accounts.add(id);
  }
}

export const writeMessage = (by: string, { changed, counted, work }: Pending): string =>
  JSON.stringify({
    by,
    changed: listed(changed),
    counted: listed(counted),
    work,
  } satisfies Message);

const listed = (accounts: Set<string>) => (accounts.size > MOST_LISTED ? null : [...accounts]);

/** A message that a later version writes differently counts as any change. */
export function readMessage(text: string): Message {
  const { data } = Message.safeParse(parsed(text));
  return data ?? { by: "", changed: null, counted: null, work: true };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
