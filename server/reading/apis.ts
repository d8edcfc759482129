import { readHtml } from "../documents/html.ts";
import { type ApiCursor, type ApiEntry, type ApiKind, FIRST, readApi } from "./api-lists.ts";
import { createBatches, newPage, titled } from "./batches.ts";
import type { Fetching } from "./fetching.ts";
import type { Batch, Place, ReadEnd, ReadJob } from "./job.ts";
import { placeAt, placesOf } from "./places.ts";

/** Reads the next page of what a program keeps. */
export async function readApis(
  fetching: Fetching,
  job: ReadJob,
  emit: (batch: Batch) => Promise<void>,
): Promise<ReadEnd> {
  const { archived, query, tag, types } = job.settings;
  const source = {
    ...{ kind: job.kind as ApiKind, url: new URL(job.url), credential: job.credential },
    settings: { archived, query: query ?? undefined, tag: tag ?? undefined, types },
  };
  const step = await readApi(fetching, source, (job.cursor as ApiCursor | null) ?? FIRST);
  const batches = createBatches(emit);
  for (const entry of step.entries) {
    fetching.onStep?.();
    await batches.addPage(newPage(entry.page), titled(entry.title), placesIn(entry, job));
  }
  await batches.flush();
  return step.next
    ? { kind: "more", cursor: step.next }
    : { kind: "done", isMismatch: step.isMismatch };
}

function placesIn({ page, title, href, markup }: ApiEntry, { settings }: ReadJob): Place[] {
  if (href !== null) return placeAt(href, page, { text: title });
  const { links } = readHtml(markup ?? "", { name: page });
  return placesOf(links, page, settings.elements).places.map(({ isNofollow, ...place }) => place);
}
