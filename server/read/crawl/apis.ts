import { readHtml } from "../documents/html.ts";
import { type ApiCursor, type ApiEntry, type ApiKind, FIRST, readApi } from "./api-lists.ts";
import { createBatches, newPage, titled } from "./batches.ts";
import type { Fetching } from "./fetching.ts";
import type { Batch, JobOf, ReadEnd } from "./job.ts";
import { type Place, placeAt, placesOf, USUAL_GROUPS } from "./places.ts";

/** Reads the next page of what a program keeps. */
export async function readApis(
  fetching: Fetching,
  job: JobOf<ApiKind>,
  emit: (batch: Batch) => Promise<void>,
): Promise<ReadEnd> {
  const { kind, url, settings, credential } = job;
  const source = { kind, url: new URL(url), settings, credential };
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

function placesIn({ page, title, href, markup }: ApiEntry, job: JobOf<ApiKind>): Place[] {
  if (href !== null) return placeAt(href, page, { text: title });
  const { links } = readHtml(markup ?? "", { name: page });
  const elements = job.kind === "wordpress" ? job.settings.elements : USUAL_GROUPS;
  return placesOf(links, page, elements).places.map(({ isNofollow, ...place }) => place);
}
