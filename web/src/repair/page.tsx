import { useQuery } from "@tanstack/preact-query";
import { Download, X } from "lucide-preact";
import { useLocation } from "preact-iso";
import { hrefOf } from "../data/changes.ts";
import { counted } from "../data/format.ts";
import { useHeld } from "../data/held.ts";
import {
  countsOptions,
  forgetPattern,
  hrefOfPlaces,
  PATTERNS,
  type Pattern,
  SUGGESTION_KINDS,
  type SuggestionCounts,
  type SuggestionKind,
  startPreview,
  type Wanted,
} from "../data/repair.ts";
import { useCanWrite } from "../data/session.ts";
import { useFoundSources, useSources } from "../data/sources.ts";
import { useBar } from "../frame/bar.tsx";
import { useHold, useOffline, useSave } from "../frame/toast.tsx";
import { Button, IconButton, Seg } from "../ui/button.tsx";
import { Form, TextField, textsIn } from "../ui/field.tsx";
import { Empty, Loaded, Together } from "../ui/loaded.tsx";
import { FilterPick } from "../ui/menu.tsx";
import { Heading, Section } from "../ui/section.tsx";
import { LookupsOffer } from "./lookups.tsx";
import { FromTo, PreviewPage } from "./preview.tsx";
import "./repair.css";

/** What can be put in place of many dead links at once. */
export default function RepairPage() {
  const { query } = useLocation();
  if (query.preview) return <PreviewPage key={query.preview} id={query.preview} />;
  return <Groups tab={query.tab === "redirects" ? "redirects" : "dead"} source={query.source_id ?? ""} />;
}

type Tab = "dead" | "redirects";

function Groups({ tab, source }: { tab: Tab; source: string }) {
  useBar({ crumbs: [{ label: "Repair" }] });
  const { route } = useLocation();
  const status = tab === "dead" ? "dead" : "active";
  const filter = { status, ...(source && { source_id: source }) };
  const counts = useQuery(countsOptions(filter));
  const show = (change: { tab?: Tab; source?: string }) => {
    const next = { tab, source, ...change };
    const shown = next.tab === "dead" ? null : next.tab;
    route(hrefOf("/repair", { tab: shown, source_id: next.source }), true);
  };
  return (
    <div class="pad narrow">
      <Heading
        title="Repair"
        action={
          <Button icon={Download} href={hrefOfPlaces(source)} download>
            Places to edit
          </Button>
        }
      >
        What can stand in place of links that are dead, or lead elsewhere.
      </Heading>
      <div class="tools flat">
        <Seg<Tab>
          label="Which"
          value={tab}
          onChange={(next) => show({ tab: next })}
          options={[
            { value: "dead", label: "Dead links" },
            { value: "redirects", label: "Redirects" },
          ]}
        />
        <span class="gap" />
        <SourcePick source={source} onPick={(id) => show({ source: id ?? "" })} />
      </div>
      <Together>
        <LookupsOffer />
        <Loaded query={counts}>
          {(found) =>
            found.total === 0 ? <None tab={tab} /> : <ByKind counts={found} tab={tab} filter={filter} />
          }
        </Loaded>
        {tab === "dead" && <Patterns filter={filter} />}
      </Together>
    </div>
  );
}

type SourcePickProps = { source: string; onPick: (id: string | null) => void };

function SourcePick({ source, onPick }: SourcePickProps) {
  const { found, onSearch } = useFoundSources();
  const { data: all = [] } = useSources(source !== "");
  if (found.length === 0 && !source) return null;
  return (
    <FilterPick
      label="Source"
      any="Any source"
      value={source}
      shown={all.find(({ id }) => id === source)?.name ?? null}
      options={found.map(({ id, name }) => ({ value: id, label: name }))}
      onSearch={onSearch}
      onPick={onPick}
    />
  );
}

const None = ({ tab }: { tab: Tab }) => (
  <Empty title={tab === "dead" ? "No links are dead" : "No redirects to follow"}>
    <p>
      {tab === "dead"
        ? "What could replace a link appears here when it dies."
        : "Links that permanently redirect for a week appear here."}
    </p>
  </Empty>
);

const ABOUT: Record<SuggestionKind, string> = {
  moved: "They redirected there permanently while they were alive.",
  pattern: "Enough of their neighbours moved the same way.",
  same_title: "One of your own pages has the title of the old page.",
  variant: "With or without www, https or a final slash.",
  archive: "Checked copies in an archive.",
};

type Filter = Record<string, string>;
type ByKindProps = { counts: SuggestionCounts; tab: Tab; filter: Filter };

/** The links by the kind of what is suggested, each group with its number. */
function ByKind({ counts, tab, filter }: ByKindProps) {
  const kinds = (Object.keys(SUGGESTION_KINDS) as SuggestionKind[]).filter((kind) => counts[kind]);
  const isDead = tab === "dead";
  return (
    <Section title={isDead ? "By kind" : "Redirects"} hint={counted(counts.total!, isDead ? "dead link" : "link")}>
      <ul class="panel groups-of">
        {kinds.map((kind) => (
          <li key={kind}>
            <div>
              <p>
                <b>{SUGGESTION_KINDS[kind]}</b>
              </p>
              <p class="hint">{ABOUT[kind]}</p>
            </div>
            <a href={hrefOf("/links", { ...filter, suggestion: kind })}>{counted(counts[kind]!, "link")}</a>
            <PreviewButton wanted={{ suggestions: { kinds: [kind] }, filter }} />
          </li>
        ))}
        {isDead && counts.none! > 0 && (
          <li>
            <div>
              <p>
                <b>Nothing found</b>
              </p>
              <p class="hint">Replace these by hand, or remove them from their pages.</p>
            </div>
            <a href={hrefOf("/links", { ...filter, suggestion: "none" })}>{counted(counts.none!, "link")}</a>
          </li>
        )}
      </ul>
    </Section>
  );
}

/** Starts a preview and opens it. */
function usePreview() {
  const { route } = useLocation();
  return useSave({
    change: (wanted: Wanted) => startPreview(wanted).then(({ id }) => route(`/repair?preview=${id}`)),
    said: "",
    renews: [],
  });
}

function PreviewButton({ wanted }: { wanted: Wanted }) {
  const preview = usePreview();
  const { off } = useOffline();
  if (!useCanWrite()) return null;
  return (
    <Button off={off} busy={preview.isPending} onClick={() => preview.mutate(wanted)}>
      Preview
    </Button>
  );
}

/** Rules that were learned, and one to type. */
function Patterns({ filter }: { filter: Filter }) {
  const patterns = useQuery(PATTERNS);
  const held = useHeld();
  const canWrite = useCanWrite();
  return (
    <Section title="Patterns" hint="Learned from links that moved and from what you replaced">
      <Loaded query={patterns}>
        {({ items }) => {
          const shown = items.filter(({ id }) => !held.has(id));
          if (shown.length === 0) return <p class="hint">No pattern was learned yet.</p>;
          return (
            <ul class="panel groups-of">
              {shown.map((pattern) => (
                <PatternLine key={pattern.id} pattern={pattern} filter={filter} />
              ))}
            </ul>
          );
        }}
      </Loaded>
      {canWrite && <Prefixes filter={filter} />}
    </Section>
  );
}

type PatternProps = { pattern: Pattern; filter: Filter };

function PatternLine({ pattern: { id, from, to, pairs }, filter }: PatternProps) {
  const hold = useHold();
  const canWrite = useCanWrite();
  const { off } = useOffline();
  const forget = () => hold([id], "The pattern was forgotten.", () => forgetPattern(id));
  return (
    <li>
      <div>
        <FromTo from={from} to={to} />
        <p class="hint">{counted(pairs, "link")} moved so</p>
      </div>
      <PreviewButton wanted={{ from, to, filter }} />
      {canWrite && <IconButton icon={X} label={`Forget ${from}`} off={off} onClick={forget} />}
    </li>
  );
}

/** A rule that is typed, for when all the neighbours are dead as well. */
function Prefixes({ filter }: { filter: Filter }) {
  const preview = usePreview();
  const { off } = useOffline();
  return (
    <Form
      class="prefixes"
      error={preview.error}
      onSubmit={(form) => preview.mutate({ ...textsIn(form, "from", "to"), filter })}
    >
      <TextField label="Old prefix" name="from" required placeholder="https://docs.old.example/" />
      <TextField label="New prefix" name="to" required placeholder="https://docs.new.example/guide/" />
      <Button type="submit" off={off} busy={preview.isPending}>
        Preview
      </Button>
    </Form>
  );
}
