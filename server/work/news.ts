/** What processes that serve the same database tell each other. Nobody relies on it: all of it can be looked up. */
export type News = {
  /** A request has changed something of the account, perhaps what no kept number tells. */
  changed(accountId: string): void;
  /** Something was written of the accounts that kept numbers tell, such as the results of checks. */
  counted(accountIds: ReadonlySet<string>): void;
  /** Something is due that another process may have to do. */
  workIsDue(): void;
  /** Whether other processes are heard; if not, whoever wants to know looks often. */
  areHeard(): boolean;
  /** Tells from now on what is heard. */
  follow(follower: Follower): void;
};

/** Null stands for any account: they were too many to name, or some may have been missed. */
export type Follower = {
  /** What other processes have told as changed. */
  changed(accountIds: string[] | null): void;
  /** What any process has told as counted, this one included. */
  counted(accountIds: string[] | null): void;
};

/** Whose they are, each account once. */
export const accountsOf = (rows: { accountId: string }[]): Set<string> =>
  new Set(rows.map(({ accountId }) => accountId));

/** For a process that is alone: it knows what it does. */
export const noNews: News = {
  changed: () => {},
  counted: () => {},
  workIsDue: () => {},
  areHeard: () => false,
  follow: () => {},
};
