import { sql } from "drizzle-orm";
import { onRows, type Store } from "../ground/db/store.ts";
import type { Settled } from "./outcome.ts";

/**
 * Stores the responses that show links alive or dead and differ from the stored ones, inside the transaction of their
 * results. Writes nothing for links whose response is known.
 */
export async function writeResponses(tx: Store, settled: Settled[]): Promise<void> {
  const rows = settled.flatMap(rowOf);
  await insertResponses(tx, rows);
  await noteFingerprints(tx, rows);
}

function rowOf({ link, checkedAt, outcome: { conclusion } }: Settled) {
  const { status, reason, response, finalUrl } = conclusion;
  if (!response || status === "unknown") return [];
  const known = status === "active" ? link.aliveResponse : link.deadResponse;
  if (response.fingerprint === known) return [];
  const { statusCode, title, words, content, fingerprint } = response;
  return [
    [
      link.no,
      status,
      checkedAt,
      reason,
      statusCode,
      finalUrl ?? link.url,
      title,
      words,
      content,
      fingerprint,
    ],
  ];
}

/** In the order of the cells of `rowOf`. */
const CELLS = {
  link: "bigint",
  of_kind: "text",
  at: "bigint",
  why: "text",
  code: "bigint",
  led_to: "text",
  its_title: "text",
  its_words: "bigint",
  its_content: "text",
  fingerprint: "bigint",
} as const;

const insertResponses = onRows(
  CELLS,
  (rows) => sql`
    insert into link_responses
      (link_no, kind, checked_at, reason, status_code, final_url, title, words, content)
    select link, of_kind, at, why, code, led_to, its_title, its_words, its_content
    from ${rows} as done where true
    on conflict (link_no, kind) do update set checked_at = excluded.checked_at, reason = excluded.reason,
      status_code = excluded.status_code, final_url = excluded.final_url, title = excluded.title,
      words = excluded.words, content = excluded.content
  `,
);

const noteFingerprints = onRows(
  CELLS,
  (rows) => sql`
    update links set
      alive_response = case when of_kind = 'active' then fingerprint else alive_response end,
      dead_response = case when of_kind = 'dead' then fingerprint else dead_response end
    from ${rows} as done where links.no = done.link
  `,
);
