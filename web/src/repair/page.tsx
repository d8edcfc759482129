import { useQuery } from "@tanstack/preact-query";
import { Download } from "lucide-preact";
import { useLocation } from "preact-iso";
import { hrefOf } from "../data/changes.ts";
import { counted, startUpper } from "../data/format.ts";
import { SUGGESTION_WORDS } from "../data/links.ts";
import {
  countsOptions,
  DEAD,
  OPEN_PREVIEWS,
  placesHref,
  REDIRECTS,
  type SuggestionKind,
} from "../data/repair.ts";
import { ALL_SOURCES, type Source } from "../data/sources.ts";
import { useBar } from "../frame/bar.tsx";
import { LookupsOffer } from "../replace/lookups.tsx";
import { Button, IconButton, Seg } from "../ui/button.tsx";
import { Empty, Loaded, Together } from "../ui/loaded.tsx";
import { Moment } from "../ui/moment.tsx";
import { Heading, Section } from "../ui/section.tsx";
import { Group } from "./group.tsx";
import { Patterns } from "./patterns.tsx";
import { FromTo, PreviewPage } from "./preview.tsx";
import { Redirects } from "./redirects.tsx";
import "./repair.css";

/** What can stand in the place of many links at once. */
export default function RepairPage() {
  const { query } = useLocation();
  if (query.preview) return <PreviewPage key={query.preview} id={query.preview} />;
  return <Groups tab={query.tab === "redirects" ? "redirects" : "dead"} />;
}

type Tab = "dead" | "redirects";

const KINDS = Object.keys(SUGGESTION_WORDS) as SuggestionKind[];
const STORED = { accepted: "true" };
const COUNTS = countsOptions([
  STORED,
  REDIRECTS,
  { ...DEAD, suggestion: "none" },
  ...KINDS.map((suggestion) => ({ ...DEAD, suggestion })),
]);

function Groups({ tab }: { tab: Tab }) {
  useBar({ crumbs: [{ label: "Overview", href: "/" }, { label: "Repair" }] });
  const { route } = useLocation();
  const counts = useQuery(COUNTS);
  const [stored, redirects, ...dead] = counts.data ?? [];
  const countOfDead = counts.data ? dead.reduce((sum, count) => sum + count, 0) : null;
  return (
    <div class="pad narrow repair-page">
      <Heading title="Repair">
        What can stand in the place of dead and redirected links. Nothing is replaced until you
        apply it.
      </Heading>
      <div class="tools flat">
        <Seg<Tab>
          label="Which"
          value={tab}
          onChange={(next) => route(hrefOf("/repair", { tab: next === "dead" ? "" : next }), true)}
          options={[
            { value: "dead", label: "Dead links", count: countOfDead },
            { value: "redirects", label: "Redirects", count: redirects ?? null },
          ]}
        />
      </div>
      <Together>
        {tab === "dead" && <LookupsOffer />}
        <OpenPreviews />
        <Loaded query={counts}>
          {([, moved = 0, none = 0, ...kinds]) =>
            tab === "redirects" ? (
              <Redirects count={moved} />
            ) : countOfDead === 0 ? (
              <Empty title="No dead links">
                <p>When a link dies, what could replace it appears here.</p>
              </Empty>
            ) : (
              <ByKind none={none} kinds={kinds} />
            )
          }
        </Loaded>
        {tab === "dead" && countOfDead !== 0 && (
          <>
            <Patterns />
            <BySource />
          </>
        )}
        {!!stored && <Stored count={stored} />}
      </Together>
    </div>
  );
}

const ABOUT: Record<SuggestionKind, string> = {
  moved: "They redirected there permanently while they were alive.",
  pattern: "Other links with the same prefix moved the same way.",
  same_title: "A page of your own sources has the title of the old page.",
  variant: "The same URL with https, with www, or with or without a final slash.",
  archive: "A copy in an archive, which was checked.",
};

type ByKindProps = { none: number; kinds: number[] };

function ByKind({ none, kinds }: ByKindProps) {
  return (
    <Section title="By kind" hint="The best suggestion for each link">
      <ul class="panel repair-groups">
        {KINDS.map((kind, n) => (
          <Group
            key={kind}
            title={SUGGESTION_WORDS[kind]}
            hint={ABOUT[kind]}
            count={kinds[n]!}
            links={{ ...DEAD, suggestion: kind }}
            wanted={{ suggestions: { kinds: [kind] }, filter: DEAD }}
          />
        ))}
        <Group
          title="Nothing found"
          hint="Replace these by hand, or remove them from their pages."
          count={none}
          links={{ ...DEAD, suggestion: "none" }}
        />
      </ul>
    </Section>
  );
}

/** Previews that wait to be carried out: without them, an account can start no more than two. */
function OpenPreviews() {
  const { data: open = [] } = useQuery(OPEN_PREVIEWS);
  if (open.length === 0) return null;
  return (
    <Section title="Open previews" hint="Two at a time, for 24 hours">
      <ul class="panel repair-groups">
        {open.map(({ id, from, to, suggestions, counts, created_by: by, created_at: at }) => (
          <Group
            key={id}
            title={
              from && to ? <FromTo from={from} to={to} /> : kindsText(suggestions?.kinds ?? KINDS)
            }
            hint={
              <>
                {counted(counts.total, "link")}, by {by} <Moment at={at} />
              </>
            }
          >
            <Button href={hrefOf("/repair", { preview: id })}>Continue</Button>
          </Group>
        ))}
      </ul>
    </Section>
  );
}

const kindsText = (kinds: SuggestionKind[]) =>
  kinds.length === KINDS.length
    ? "All suggestions"
    : startUpper(kinds.map((kind) => SUGGESTION_WORDS[kind].toLowerCase()).join(", "));

/** Links whose replacement is stored until those who edit their pages have used it. */
const Stored = ({ count }: { count: number }) => (
  <Section title="To edit">
    <ul class="panel repair-groups">
      <Group
        title="Stored replacements"
        hint="Pages of your sources still have the old URLs. Edit them, or use stillup fix."
        count={count}
        links={STORED}
      >
        <Button icon={Download} href={placesHref()} download>
          Download places
        </Button>
      </Group>
    </ul>
  </Section>
);

const MOST_SOURCES = 10;

const inSource = ({ id }: Source) => ({ ...DEAD, suggestion: "any", source_id: id });

/** The sources with the most dead links, each with those that have a suggestion. */
function BySource() {
  const all = useQuery(ALL_SOURCES);
  const sources = (all.data ?? [])
    .filter(({ counts }) => counts.dead > 0)
    .sort((a, b) => b.counts.dead - a.counts.dead)
    .slice(0, MOST_SOURCES);
  const counts = useQuery({
    ...countsOptions(sources.map(inSource)),
    enabled: sources.length > 0,
  });
  if (sources.length === 0) return null;
  return (
    <Section title="By source">
      <Loaded query={counts}>
        {(found) => (
          <ul class="panel repair-groups">
            {sources.map((source, n) => (
              <Group
                key={source.id}
                title={<a href={`/sources/${source.id}`}>{source.name}</a>}
                hint={counted(source.counts.dead, "dead link")}
                count={found[n] ?? 0}
                stays
                links={inSource(source)}
                wanted={{
                  suggestions: { kinds: KINDS },
                  filter: { ...DEAD, source_id: source.id },
                }}
              >
                <IconButton
                  icon={Download}
                  label={`Download the places to edit in ${source.name}`}
                  href={placesHref(source.id)}
                />
              </Group>
            ))}
          </ul>
        )}
      </Loaded>
    </Section>
  );
}
