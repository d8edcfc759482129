import { sql } from "drizzle-orm";
import { takeNumbers } from "../../server/ground/db/queries.ts";
import type { Frequency } from "../../server/ground/lib/vocabulary.ts";
import type { Asker, TestServer } from "../harness.ts";

type Many = {
  count: number;
  /** Followed by the link's number among them, from 1. */
  url: string;
  /** When the first is due, in milliseconds since 1970. */
  dueAt: number;
  /** Between one and the next. */
  everyMs?: number;
  frequency?: Frequency;
};

/** Very many new links at once, as no request makes them. */
export async function addMany({ deps }: TestServer, me: Asker, many: Many): Promise<void> {
  const { count, url, dueAt, everyMs = 0, frequency = "hourly" } = many;
  const first = await takeNumbers(deps.store, count);
  const text = (value: string) => sql`cast(${value} as text)`;
  const number = (value: number) => sql`cast(${value} as bigint)`;
  const own = sql`${text(url)} || cast(i as text)`;
  await deps.store.run(sql`
    insert into links (no, id, account_id, account_no, url, url_key, service, status, status_changed_at,
      inconclusive_checks, check_frequency, next_check_at, next_trigger, created_at, updated_at)
    with recursive numbered(i) as (select 1 union all select i + 1 from numbered where i < ${number(count)})
    select ${number(first - 1)} + i, ${own}, ${text(me.accountId)}, ${number(me.accountNo)}, ${own}, ${own},
      'generic', 'unknown', ${number(dueAt)}, 0, ${text(frequency)},
      ${number(dueAt)} + (i - 1) * ${number(everyMs)}, 'scheduled', ${number(dueAt)}, ${number(dueAt)}
    from numbered
  `);
}
