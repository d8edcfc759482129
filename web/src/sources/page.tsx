import { ExternalLink } from "lucide-preact";
import { useState } from "preact/hooks";
import { useRoute } from "preact-iso";
import { followable } from "../data/browser.ts";
import { counted } from "../data/format.ts";
import { useBar } from "../frame/bar.tsx";
import { IconButton, Seg } from "../ui/button.tsx";
import type { Occurrence } from "../ui/found-on.tsx";
import { Loaded } from "../ui/loaded.tsx";
import { Moment } from "../ui/moment.tsx";
import { Section } from "../ui/section.tsx";
import { State } from "../ui/state.tsx";
import { Url } from "../ui/url.tsx";
import { PlaceLine } from "./place.tsx";
import { usePageOf, useSource } from "./queries.ts";
import { pageStateText } from "./words.ts";
import "./sources.css";

/** One page of a source, with all links on it. */
export default function SourcePagePage() {
  const { id = "", page = "" } = useRoute().params;
  const source = useSource(id).data;
  const query = usePageOf(id, page);
  const name = query.data?.title || query.data?.url || "Page";
  useBar({
    crumbs: [
      { label: "Sources", href: "/sources" },
      { label: source?.name ?? "Source", href: `/sources/${id}` },
      { label: name },
    ],
  });
  return (
    <div class="pad narrow">
      <Loaded query={query} heading="Page">
        {(found) => {
          const site = followable(found.url);
          return (
            <article class="src">
              <div class="lead">
                <div>
                  <h1>{found.title || found.url}</h1>
                  <p class="src-address">
                    <Url url={found.url} whole />
                    {site && (
                      <IconButton
                        icon={ExternalLink}
                        label="Open the page in a new tab"
                        href={site}
                        target="_blank"
                      />
                    )}
                  </p>
                  <p>
                    {pageStateText(found)}
                    {found.read_at && (
                      <>
                        {" "}
                        <Moment at={found.read_at} />
                      </>
                    )}
                  </p>
                </div>
              </div>
              <Places places={found.places.toSorted((a, b) => badnessOf(b) - badnessOf(a))} />
            </article>
          );
        }}
      </Loaded>
    </div>
  );
}

/** As many lines as a browser draws at once. */
const AT_ONCE = 200;
/** The most that the server lists of one page. */
const MOST = 5_000;

/** Dead ones first, each kind in the order of the page. */
const badnessOf = ({ link }: Occurrence) =>
  link === null ? 0 : ["active", "unknown", "dead"].indexOf(link.status);

const isBad = ({ link, fragment_missing: isMissing }: Occurrence) =>
  isMissing || (link !== null && link.status !== "active");

function Places({ places }: { places: Occurrence[] }) {
  const dead = places.filter(({ link }) => link?.status === "dead").length;
  const bad = places.filter(isBad).length;
  const [onlyBad, setOnlyBad] = useState(bad > 0);
  const [shownCount, setShownCount] = useState(AT_ONCE);
  const fitting = onlyBad ? places.filter(isBad) : places;
  if (places.length === 0) return <p class="hint">There are no links on this page.</p>;
  return (
    <Section
      title="Links"
      hint={
        places.length < MOST
          ? `${counted(places.length, "link")}, ${dead} dead`
          : `The first ${counted(MOST, "link")}`
      }
      action={
        bad > 0 && (
          <Seg
            tiny
            label="Which links"
            value={onlyBad ? "bad" : "all"}
            onChange={(value) => setOnlyBad(value === "bad")}
            options={[
              { value: "bad", label: "Not alive", mark: <State status="dead" hidden /> },
              { value: "all", label: "All" },
            ]}
          />
        )
      }
    >
      <ul class="panel src-places" aria-label="Links">
        {fitting.slice(0, shownCount).map((place, n) => (
          <PlaceLine key={n} place={place} />
        ))}
      </ul>
      {fitting.length > shownCount && (
        <button type="button" class="btn quiet" onClick={() => setShownCount(shownCount + AT_ONCE)}>
          Show more
        </button>
      )}
    </Section>
  );
}
