import { Check, FileText, FileUp, Minus, Rss, X } from "lucide-preact";
import { useEffect, useRef } from "preact/hooks";
import { useLocation } from "preact-iso";
import { FORMATS, type Format } from "../../../server/read/lists/formats.ts";
import { counted, many } from "../data/format.ts";
import { hrefOfNewSource, sourceAt } from "../data/source-address.ts";
import { Button, IconButton } from "../ui/button.tsx";
import { Sheet } from "../ui/overlay.tsx";
import type { Choices, Job, useJob } from "./job.ts";
import { NamedGroups, Options } from "./options.tsx";
import { countSkipped, NotKept, Skipped } from "./skipped.tsx";
import type { Source } from "./source.ts";

/** Longer text makes the field slow. */
const MOST_IN_FIELD = 50_000;
/** After the last key. */
const READ_AFTER_MS = 200;

type ComposeProps = {
  flow: ReturnType<typeof useJob>;
  draft: Source;
  choices: Choices;
  problem: Error | null;
  onChoose: (choices: Choices) => void;
  onType: (source: Partial<Source>) => void;
  onFiles: (files: File[]) => void;
  onClose: () => void;
};

/** Reads the list while it is typed. */
export function ComposeSheet(props: ComposeProps) {
  const { flow, draft, choices, problem, onChoose, onType, onFiles, onClose } = props;
  const isEmpty = isBlank(draft);
  const job = useReadDraft(flow, draft);
  const isAddable = !isEmpty && choices.newGroup?.trim() !== "" && !isFruitless(job);
  const add = () => {
    if (!isAddable) return;
    if (job) flow.add(choices);
    else flow.begin(draft, undefined, choices);
  };
  const error = problem ?? job?.problem;
  return (
    <Sheet
      title="Add links"
      onClose={onClose}
      foot={
        <>
          <span class="soft">Results appear here as they arrive</span>
          <span class="gap" />
          <Button onClick={onClose}>Cancel</Button>
          <Button
            primary
            keys="Ctrl ↵"
            busy={job?.wanted != null && job.problem === null}
            disabled={!isAddable}
            onClick={add}
          >
            {addWords(job)}
          </Button>
        </>
      }
    >
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the keys are those of its fields. */}
      <div
        class="compose"
        onKeyDown={(event) => {
          if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) add();
        }}
      >
        <Input draft={draft} onType={onType} />
        {draft.name === null && <SourceOffer text={draft.text} onType={onType} onClose={onClose} />}
        <div class="hint source">
          <p>
            A site, a sitemap, or a list of links: one URL per line, or CSV or JSON. A file may also
            have bookmarks, or what Uptime Kuma or UptimeRobot export.
          </p>
          <FileButton onFiles={onFiles} />
        </div>
        <div role="alert">{error && <p class="problem">{error.message}</p>}</div>
        <div role="status">{job && !isEmpty && <Parsed job={job} />}</div>
        {job && !isEmpty && <Details job={job} flow={flow} draft={draft} onType={onType} />}
        <Options choices={choices} onChange={onChoose} />
        {job?.import?.status === "ready" && <NamedGroups job={job} onUse={flow.useNamed} />}
      </div>
    </Sheet>
  );
}

const OFFERS = {
  site: "Read all pages of this site, and check the links on them.",
  sitemap: "This is a sitemap. Check all that it lists, and keep in step with it.",
  feed: "This is a feed. Check the links of its items, and of new ones.",
  git: "This is a repository. Check the links in its documents.",
};

type SourceOfferProps = Pick<ComposeProps, "onType" | "onClose"> & { text: string };

/** An address that stands for more than one link can be a source. */
function SourceOffer({ text, onType, onClose }: SourceOfferProps) {
  const { route } = useLocation();
  const kind = sourceAt(text);
  if (!kind) return null;
  const begin = () => {
    onType({});
    onClose();
    route(hrefOfNewSource(text));
  };
  return (
    <p class="source-offer">
      <span>{OFFERS[kind]}</span>
      <Button icon={Rss} onClick={begin}>
        Create a source
      </Button>
    </p>
  );
}

/** Begins to read the draft a moment after each change. */
function useReadDraft(flow: ReturnType<typeof useJob>, draft: Source): Job | null {
  const { job } = flow;
  const isRead = job?.source?.text === draft.text && job.source.name === draft.name;
  useEffect(() => {
    if (isRead || isBlank(draft)) return;
    const isLong = draft.name !== null || draft.text.length > MOST_IN_FIELD;
    const timer = setTimeout(() => flow.begin(draft), isLong ? 0 : READ_AFTER_MS);
    return () => clearTimeout(timer);
  }, [draft.text, draft.name, isRead]);
  return isRead ? job : null;
}

const isBlank = ({ name, text }: Source) => name === null && text.trim() === "";

const isFruitless = (job: Job | null) =>
  job?.import?.status === "ready" && job.import.counts.new === 0;

function addWords(job: Job | null): string {
  if (job?.import?.status !== "ready") return "Add";
  return `Add ${counted(job.import.counts.new, "link")}`;
}

type InputProps = { draft: Source; onType: (source: Partial<Source>) => void };

/** A field, or the name of what is too long for one. */
function Input({ draft, onType }: InputProps) {
  const field = useRef<HTMLTextAreaElement>(null);
  const { name, text } = draft;
  const isKept = name !== null || text.length > MOST_IN_FIELD;
  useEffect(() => field.current?.focus(), [isKept]);
  if (isKept) {
    return (
      <p class="kept">
        <FileText class="i" aria-hidden="true" />
        <b>{name ?? "Pasted text"}</b>
        <span class="soft">{many(text.length)} characters</span>
        <span class="gap" />
        <IconButton label="Remove" icon={X} onClick={() => onType({})} />
      </p>
    );
  }
  return (
    <label>
      <span class="unseen">URLs, one per line</span>
      <textarea
        ref={field}
        data-first
        rows={12}
        spellcheck={false}
        placeholder={"https://example.org/\nhttps://example.com/docs"}
        value={text}
        onInput={({ currentTarget }) => onType({ text: currentTarget.value })}
      />
    </label>
  );
}

/** A file input that looks like a button. */
const FileButton = ({ onFiles }: { onFiles: (files: File[]) => void }) => (
  <label class="btn">
    <FileUp class="i" aria-hidden="true" />
    <span>Choose a file…</span>
    <input
      type="file"
      class="unseen"
      accept=".txt,.csv,.tsv,.json,.ndjson,.html,.htm,.xml,text/*,application/json,application/xml"
      onChange={({ currentTarget }) => {
        onFiles([...(currentTarget.files ?? [])]);
        // Allows choosing the same file again after a correction.
        currentTarget.value = "";
      }}
    />
  </label>
);

/** "8 links, 1 skipped" */
function Parsed({ job }: { job: Job }) {
  if (!job.import) return job.problem ? null : <p class="parse soft">Reading the list…</p>;
  const { counts, status, sitemaps } = job.import;
  if (counts.total === 0 && sitemaps.length === 0) {
    return (
      <p class="parse soft">No links found. {job.source?.name != null && "Try another format."}</p>
    );
  }
  const skipped = countSkipped(job.import);
  const links = counts.new + counts.waiting;
  return (
    <ul class="parse">
      <li>
        <Check class="i" aria-hidden="true" />
        <span>
          <b>{many(links)}</b> {links === 1 ? "link" : "links"}
        </span>
      </li>
      {skipped > 0 && (
        <li class="warn">
          <Minus class="i" aria-hidden="true" />
          <span>
            <b>{many(skipped)}</b> skipped
          </span>
        </li>
      )}
      {status === "previewing" && (
        <li class="soft">{many(counts.total - counts.waiting)} looked at…</li>
      )}
    </ul>
  );
}

type DetailsProps = {
  job: Job;
  flow: ReturnType<typeof useJob>;
  draft: Source;
  onType: (source: Partial<Source>) => void;
};

/** How the list was read, and what of it is not added. */
function Details({ job, flow, draft, onType }: DetailsProps) {
  if (!job.import) return null;
  const { format, sitemaps } = job.import;
  return (
    <>
      {(draft.name !== null || format !== "text") && (
        <label class="read-as">
          Read as
          <select
            value={format}
            onChange={({ currentTarget }) => flow.begin(draft, currentTarget.value as Format)}
          >
            {Object.entries(FORMATS).map(([value, { name }]) => (
              <option key={value} value={value}>
                {name}
              </option>
            ))}
          </select>
        </label>
      )}
      <NotKept job={job} />
      {sitemaps.length > 0 && <Sitemaps sitemaps={sitemaps} />}
      <Skipped job={job} onText={(text) => onType({ ...draft, text })} />
    </>
  );
}

const MOST_SITEMAPS = 50;

const Sitemaps = ({ sitemaps }: { sitemaps: string[] }) => (
  <section class="sitemaps">
    <p>
      This is an index of {many(sitemaps.length)} sitemaps and lists no pages. Create a source for
      its address, which reads all of them, or save each of its sitemaps, and add them one by one:
    </p>
    <ul>
      {sitemaps.slice(0, MOST_SITEMAPS).map((url) => (
        <li key={url}>
          {/^https?:/i.test(url) ? (
            <a href={url} target="_blank" rel="noopener noreferrer nofollow">
              {url}
            </a>
          ) : (
            url
          )}
        </li>
      ))}
    </ul>
    {sitemaps.length > MOST_SITEMAPS && (
      <p class="hint">And {many(sitemaps.length - MOST_SITEMAPS)} more.</p>
    )}
  </section>
);
