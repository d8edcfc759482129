import { useMutation, useQuery } from "@tanstack/preact-query";
import { Download, X } from "lucide-preact";
import type { ComponentChildren } from "preact";
import { useLocation } from "preact-iso";
import { RequestFailed } from "../data/api.ts";
import { hrefOf } from "../data/changes.ts";
import { counted, many } from "../data/format.ts";
import { useHeld } from "../data/held.ts";
import { SUGGESTION_WORDS } from "../data/links.ts";
import {
  countsOptions,
  forgetPattern,
  OPEN_PREVIEWS,
  PATTERNS,
  type Pattern,
  placesHref,
  type SuggestionKind,
  startPreview,
  type Wanted,
} from "../data/repair.ts";
import { useCanWrite } from "../data/session.ts";
import { ALL_SOURCES, type Source } from "../data/sources.ts";
import { useBar } from "../frame/bar.tsx";
import { useHold, useOffline, useToast } from "../frame/toast.tsx";
import { LookupsOffer } from "../replace/lookups.tsx";
import { Button, IconButton, Seg } from "../ui/button.tsx";
import { Form, TextField, textsIn } from "../ui/field.tsx";
import { Empty, Loaded, Together } from "../ui/loaded.tsx";
import { Moment } from "../ui/moment.tsx";
import { Heading, Section } from "../ui/section.tsx";
import { FromTo, PreviewPage } from "./preview.tsx";
import "./repair.css";

/** What can stand in the place of many links at once. */
export default function RepairPage() {
  const { query } = useLocation();
  if (query.preview) return <PreviewPage key={query.preview} id={query.preview} />;
  return <Groups tab={query.tab === "redirects" ? "redirects" : "dead"} />;
}

type Tab = "dead" | "redirects";
type Filter = Record<string, string>;

const KINDS = Object.keys(SUGGESTION_WORDS) as SuggestionKind[];
const DEAD = { status: "dead" };
const REDIRECTS = { status: "active", suggestion: "moved" };
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

/** Links that are alive and permanently lead to another URL. */
function Redirects({ count }: { count: number }) {
  if (count === 0)
    return (
      <Empty title="No permanent redirects">
        <p>Links that redirect permanently to the same URL for a week appear here.</p>
      </Empty>
    );
  const filter = { status: "active" };
  return (
    <Section title="Permanent redirects" hint="These links are alive. Most can stay as they are.">
      <ul class="panel repair-groups">
        <Group
          title="All"
          hint="They have redirected permanently to the same URL for a week or longer."
          count={count}
          links={REDIRECTS}
          wanted={{ suggestions: { kinds: ["moved"] }, filter }}
        />
        <Group
          title="Same address, written differently"
          hint="Only https, www, a final slash, an index file or letter case differs."
          wanted={{ suggestions: { kinds: ["moved"], confidence: "safe" }, filter }}
        />
      </ul>
    </Section>
  );
}

type GroupProps = {
  title: ComponentChildren;
  hint: ComponentChildren;
  /** Unknown before a preview; without links, there is no line unless it may get some. */
  count?: number;
  stays?: boolean;
  /** The filter by which the list shows them. */
  links?: Filter;
  wanted?: Wanted;
  children?: ComponentChildren;
};

/** Links that can be replaced together. */
function Group({ title, hint, count, stays, links, wanted, children }: GroupProps) {
  if (count === 0 && !stays) return null;
  return (
    <li>
      <div class="repair-what">
        <p>
          <b>{title}</b>
        </p>
        <p class="hint">{hint}</p>
      </div>
      {links && count !== undefined && (
        <a href={hrefOf("/links", links)}>{counted(count, "link")}</a>
      )}
      {wanted && count !== 0 && <PreviewButton wanted={wanted} />}
      {children}
    </li>
  );
}

/** Starts a preview and opens it. */
function usePreview(onError?: (error: Error) => void) {
  const { route } = useLocation();
  return useMutation({
    mutationFn: startPreview,
    onSuccess: ({ id }) => route(hrefOf("/repair", { preview: id })),
    ...(onError && { onError }),
  });
}

function PreviewButton({ wanted }: { wanted: Wanted }) {
  const toast = useToast();
  // What is wrong with a field that is not on the page.
  const preview = usePreview((error) => {
    const fields = error instanceof RequestFailed ? Object.values(error.fields).flat() : [];
    toast(fields[0] ?? error.message);
  });
  const { off } = useOffline();
  if (!useCanWrite()) return null;
  return (
    <Button off={off} busy={preview.isPending} onClick={() => preview.mutate(wanted)}>
      Preview
    </Button>
  );
}

/** Rules that were learned, each with the dead links under its old prefix, and one to type. */
function Patterns() {
  const patterns = useQuery(PATTERNS);
  const held = useHeld();
  const canWrite = useCanWrite();
  const shown = patterns.data?.items.filter(({ id }) => !held.has(id)) ?? [];
  const counts = useQuery({
    ...countsOptions(shown.map(underPrefix)),
    enabled: shown.length > 0,
  });
  if (shown.length === 0 && !canWrite && !patterns.error) return null;
  return (
    <Section title="By pattern" hint="Learned from links that moved and from what was replaced">
      <Loaded query={patterns}>
        {() =>
          shown.length > 0 && (
            <ul class="panel repair-groups">
              {shown.map((pattern, n) => (
                <PatternGroup key={pattern.id} pattern={pattern} count={counts.data?.[n]} />
              ))}
            </ul>
          )
        }
      </Loaded>
      {canWrite && <Prefixes />}
    </Section>
  );
}

const underPrefix = ({ from }: Pattern) => ({ ...DEAD, search: from, search_in: "url" });

type PatternProps = { pattern: Pattern; count: number | undefined };

function PatternGroup({ pattern, count }: PatternProps) {
  const { id, from, to, pairs, tried, failed, rests_until: rests } = pattern;
  const hold = useHold();
  const { off } = useOffline();
  const canWrite = useCanWrite();
  const forget = () => hold([id], "1 pattern deleted", () => forgetPattern(id));
  return (
    <Group
      title={<FromTo from={from} to={to} />}
      hint={
        <>
          {counted(pairs, "link")} moved like this.
          {tried > 0 && ` ${many(failed)} of ${counted(tried, "URL")} tried since failed.`}
          {rests && (
            <>
              {" "}
              Paused until <Moment at={rests} day />.
            </>
          )}
        </>
      }
      {...(count !== undefined && { count })}
      stays
      links={{ ...DEAD, search: from }}
      wanted={{ from, to, filter: DEAD }}
    >
      {canWrite && (
        <IconButton icon={X} label={`Delete the pattern of ${from}`} off={off} onClick={forget} />
      )}
    </Group>
  );
}

/** A rule to type, for links whose neighbors are all dead as well. */
function Prefixes() {
  const preview = usePreview();
  const { off } = useOffline();
  return (
    <Form
      class="repair-prefixes"
      error={preview.error}
      onSubmit={(form) => preview.mutate({ ...textsIn(form, "from", "to"), filter: DEAD })}
    >
      <TextField label="Old prefix" name="from" required placeholder="https://docs.old.example/" />
      <TextField label="New prefix" name="to" required placeholder="https://docs.new.example/v2/" />
      <Button type="submit" off={off} busy={preview.isPending}>
        Preview
      </Button>
    </Form>
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
    : kinds.map((kind) => SUGGESTION_WORDS[kind]).join(", ");

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
