import { keepPreviousData, useQuery } from "@tanstack/preact-query";
import { FileText } from "lucide-preact";
import { useState } from "preact/hooks";
import { api, asSent, unwrap } from "../data/api.ts";
import { displayUrl } from "../data/display-url.ts";
import { many } from "../data/format.ts";
import { SOURCES } from "../data/sources.ts";
import { MissingAnchor } from "./anchors.tsx";
import { Loaded } from "./loaded.tsx";

const listOccurrences = (link: string, perPage: number) =>
  unwrap(api.links({ id: link }).occurrences.get({ query: asSent({ per_page: perPage }) }));

export type Occurrence = Awaited<ReturnType<typeof listOccurrences>>["items"][number];

const MOST = 100;

type FoundOnProps = {
  link: string;
  /** How many places are listed at first. */
  few: number;
};

/** The pages on which a link stands, each with the words and the line. */
export function FoundOn({ link, few }: FoundOnProps) {
  const [perPage, setPerPage] = useState(few);
  const places = useQuery({
    queryKey: [...SOURCES, "of-link", link, perPage],
    queryFn: () => listOccurrences(link, perPage),
    placeholderData: keepPreviousData,
  });
  return (
    <Loaded query={places}>
      {({ items, pagination: { total } }) => (
        <>
          <ul class="subs" aria-label="Found on">
            {items.map((place, n) => (
              <li key={n} class="sub">
                <Place place={place} />
              </li>
            ))}
          </ul>
          {total > items.length &&
            (perPage < MOST ? (
              <button type="button" class="text-button all" onClick={() => setPerPage(MOST)}>
                Show {total > MOST ? `the first ${many(MOST)}` : `all ${many(total)}`}
              </button>
            ) : (
              <p class="hint">{many(total - items.length)} more</p>
            ))}
        </>
      )}
    </Loaded>
  );
}

const Place = ({ place }: { place: Occurrence }) => {
  const { source_id: source, page_id: page, page_title: title, page_url: url } = place;
  const { host, path } = displayUrl(url);
  return (
    <a href={`/sources/${source}/pages/${page}`} title={`${place.source_name}: ${url}`}>
      <FileText class="i" aria-hidden="true" />
      <span class="found-page">{title || `${host}${path}`}</span>
      {place.fragment_missing && <MissingAnchor />}
      <span class="soft">{placeText(place)}</span>
    </a>
  );
};

/** "“the manual”, line 40" */
export const placeText = ({ text, line, element }: Occurrence): string =>
  [
    text ? `“${text}”` : ELEMENT_WORDS[element],
    line !== null && `line ${line.toLocaleString("en")}`,
  ]
    .filter(Boolean)
    .join(", ");

/** What is said of an element without a text. */
const ELEMENT_WORDS: Record<string, string | undefined> = {
  area: "image map",
  image: "image",
  media: "audio or video",
  frame: "frame",
  script: "script",
  style: "style sheet",
  metadata: "metadata",
};
