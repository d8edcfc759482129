import { ChevronRight, Download } from "lucide-preact";
import { useState } from "preact/hooks";
import { hrefOf } from "../data/changes.ts";
import { shownUrl } from "../data/display-url.ts";
import { counted, many } from "../data/format.ts";
import type { Source } from "../data/sources.ts";
import { Button, Seg } from "../ui/button.tsx";
import { Loaded } from "../ui/loaded.tsx";
import { SearchField } from "../ui/search-field.tsx";
import { Section } from "../ui/section.tsx";
import { State } from "../ui/state.tsx";
import { PlaceLine } from "./place.tsx";
import { type SourcePage, usePageOf, useSourcePages, type Which } from "./queries.ts";
import { pageStateText, pageWord } from "./words.ts";

const NONE: Record<Which, string> = {
  dead: "No page has dead links.",
  failed: "All pages were read.",
  fragments: "All anchors exist.",
  all: "No pages yet.",
};

/** The pages of a source, first those with dead links. */
export function Pages({ source }: { source: Source }) {
  const [chosen, setChosen] = useState<Which | null>(null);
  const [search, setSearch] = useState("");
  const which = chosen ?? (source.counts.dead > 0 ? "dead" : "all");
  const pages = useSourcePages(source, which, search.trim());
  const options: { value: Which; label: string }[] = [
    { value: "dead", label: "With dead links" },
    { value: "failed", label: "Not read" },
    ...(source.run && source.run.fragments > 0
      ? [{ value: "fragments" as const, label: "Missing anchors" }]
      : []),
    { value: "all", label: "All" },
  ];
  return (
    <Section
      title="Pages"
      class="src-pages"
      action={
        <>
          {source.counts.dead > 0 && (
            <Button
              quiet
              icon={Download}
              download
              href={hrefOf("/dashboard/api/exports/occurrences", {
                source_id: source.id,
                status: "dead",
                format: "csv",
              })}
            >
              CSV<span class="unseen"> of the dead links and where they are</span>
            </Button>
          )}
          <SearchField label="Search pages" value={search} onSearch={setSearch} />
          <Seg<Which>
            label="Which pages"
            value={which}
            onChange={setChosen}
            options={options}
            tiny
          />
        </>
      }
    >
      <Loaded query={pages}>
        {({ items, total }) =>
          items.length === 0 ? (
            <p class="hint">{search ? "No matching pages." : NONE[which]}</p>
          ) : (
            <>
              <ul class="panel" aria-label="Pages">
                {items.map((page, n) => (
                  <PageLine
                    key={page.id}
                    source={source}
                    page={page}
                    isOpen={which === "dead" && n === 0}
                  />
                ))}
              </ul>
              <p class="src-more">
                <span class="hint">{counted(total, pageWord(source.kind))}</span>
                {pages.hasNextPage && (
                  <Button
                    quiet
                    busy={pages.isFetchingNextPage}
                    onClick={() => pages.fetchNextPage()}
                  >
                    Show more
                  </Button>
                )}
              </p>
            </>
          )
        }
      </Loaded>
    </Section>
  );
}

type PageLineProps = { source: Source; page: SourcePage; isOpen: boolean };

/** A page; one with dead links opens to them. */
function PageLine({ source, page, isOpen: isFirst }: PageLineProps) {
  const [isOpen, setOpen] = useState(isFirst);
  const { title, url, counts } = page;
  const href = `/sources/${source.id}/pages/${page.id}`;
  const name = (
    <span class="src-page">
      <b class="clip" title={url}>
        {title || shownUrl(url)}
      </b>
      {title && <span class="soft clip">{shownUrl(url)}</span>}
    </span>
  );
  if (counts.dead === 0) {
    return (
      <li>
        <a class="src-line" href={href}>
          {name}
          <span class="soft">{stateText(page)}</span>
        </a>
      </li>
    );
  }
  return (
    <li>
      <details open={isFirst} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary class="src-line">
          <ChevronRight class="i" aria-hidden="true" />
          {name}
          <span class="src-count">
            <State status="dead" hidden /> {counted(counts.dead, "dead link")}
          </span>
        </summary>
        {isOpen && <DeadLinks source={source} page={page} href={href} />}
      </details>
    </li>
  );
}

const stateText = (page: SourcePage) => {
  const { state, counts } = page;
  if (state !== "read") return pageStateText(page);
  const missing = counts.fragments_missing;
  const links = counted(counts.places, "link");
  return missing > 0 ? `${links}, ${counted(missing, "missing anchor")}` : links;
};

const MOST_DEAD = 10;

function DeadLinks({ source, page, href }: Omit<PageLineProps, "isOpen"> & { href: string }) {
  const query = usePageOf(source.id, page.id, [page.counts, page.read_at]);
  return (
    <Loaded query={query}>
      {({ places }) => {
        const dead = places.filter(({ link }) => link?.status === "dead");
        return (
          <>
            <ul class="src-places" aria-label={`Dead links on ${page.title || page.url}`}>
              {dead.slice(0, MOST_DEAD).map((place, n) => (
                <PlaceLine key={n} place={place} />
              ))}
            </ul>
            <p class="src-whole">
              <a href={href}>All {counted(page.counts.places, "link")} of the page</a>
              {dead.length > MOST_DEAD && (
                <span class="soft">{many(dead.length - MOST_DEAD)} more are dead</span>
              )}
            </p>
          </>
        );
      }}
    </Loaded>
  );
}
