import { useEffect, useLayoutEffect, useState } from "preact/hooks";
import { FREQUENCIES, HANDLINGS, type LinkStatus } from "../../../server/ground/lib/vocabulary.ts";
import { shownHost } from "../data/display-url.ts";
import { useFoundGroups } from "../data/groups.ts";
import {
  IDENTITIES,
  NO_GROUP,
  SUGGESTIONS,
  searchSites,
  useServicesByName,
} from "../data/links.ts";
import { useFoundSources } from "../data/sources.ts";
import { useFoundTags, usePeople } from "../data/triage.ts";
import { FREQUENCY_WORDS, NAMED_REASONS, reasonWords, STATUS_WORDS } from "../data/words.ts";
import type { PickOption } from "../ui/menu.tsx";
import { handlingText, sinceName } from "./words.ts";

const CODES = [404, 410, 400, 401, 403, 405, 406, 429, 451, 500, 502, 503, 504];

/** What links that are not alive can be filtered by. */
const REASONS = [
  ...CODES.map((code) => `http_${code}`),
  ...NAMED_REASONS.filter((reason) => !reason.startsWith("ok")),
].map((reason) => ({ reason, label: reasonWords(reason) }));

/** Since when links are as they are, counted back from today. */
const SINCE = [
  { name: "1", label: "Today" },
  { name: "7", label: "In the last 7 days" },
  { name: "30", label: "In the last 30 days" },
  { name: "-30", label: "For more than 30 days" },
  { name: "-365", label: "For more than a year" },
];

/** Shown before anything is typed, of each part. */
const MOST_SHOWN = 6;

type OptionsProps = {
  status: LinkStatus | undefined;
  typed: string;
  onChange: (options: PickOption<string>[]) => void;
};

/** Finds what a list can be filtered by for what is typed, and shows nothing itself. */
export default function FilterOptions({ status, typed, onChange }: OptionsProps) {
  const options = useOptions(status, typed);
  const shown = JSON.stringify(options);
  useLayoutEffect(() => onChange(options), [shown]);
  return null;
}

function useOptions(status: LinkStatus | undefined, typed: string): PickOption<string>[] {
  const text = typed.trim().toLowerCase();
  const services = useServicesByName();
  const sites = useSites(text);
  const people = usePeople();
  const tags = useFoundTags();
  const groups = useFoundGroups();
  const sources = useFoundSources();
  useEffect(() => {
    // "group docs" finds the groups with "docs".
    const name = typed.trimStart().replace(/^(group|tag|source) */i, "");
    for (const each of [tags, groups, sources]) each.onSearch(name);
  }, [typed]);
  const option = (part: string, hint: string) => (value: string, label: string) => ({
    value: `${part}:${value}`,
    label,
    hint,
  });
  const group = option("group", "Group");
  const parts: PickOption<string>[][] = [
    [
      option("attention", "State")("true", "Needs attention"),
      option("overridden", "State")("true", "Overridden"),
      option("lostAnchor", "State")("true", "Missing anchor"),
      option("accepted", "State")("true", "Replacement stored"),
      option("status", "Status")("checking", STATUS_WORDS.checking),
      ...Object.entries(IDENTITIES).map(([state, label]) =>
        option("identity", "Page")(state, label),
      ),
    ],
    [
      ...SINCE.map(({ name, label }) => option("since", sinceName(status ?? "dead"))(name, label)),
      option("days", sinceName(status ?? "dead"))("ask", "Between two days…"),
    ],
    Object.entries(SUGGESTIONS).map(([kind, label]) =>
      option("suggestion", "Suggestion")(kind, label),
    ),
    HANDLINGS.map((each) => option("handling", "Handling")(each, handlingText(each))),
    [
      option("assignee", "Assignee")("me", "Me"),
      option("assignee", "Assignee")("none", "No one"),
      ...people.map(({ id, email }) => option("assignee", "Assignee")(id, email)),
    ],
    tags.found.map(({ name }) => option("tag", "Tag")(name, name)),
    sites.map((site) => option("site", "Site")(site, shownHost(site))),
    [...groups.found.map(({ id, name }) => group(id, name)), group(NO_GROUP, "No group")],
    sources.found.map(({ id, name }) => option("source", "Source")(id, name)),
    REASONS.map(({ reason, label }) => option("reason", "Reason")(reason, label)),
    FREQUENCIES.map((each) => option("frequency", "Checked")(each, FREQUENCY_WORDS[each])),
    services.map(({ id, name }) => option("service", "Service")(id, name)),
  ];
  return parts.flatMap((part) => {
    const found = part.filter(
      ({ value, label, hint }) =>
        value.startsWith("site:") || `${hint} ${label}`.toLowerCase().includes(text),
    );
    return text ? found : found.slice(0, MOST_SHOWN);
  });
}

const SITES_AFTER_MS = 150;

/** Sites whose name contains what is typed. */
function useSites(text: string): string[] {
  const [sites, setSites] = useState<string[]>([]);
  useEffect(() => {
    if (text.length < 2) return setSites([]);
    const timer = setTimeout(
      () => searchSites(text).then(setSites, () => setSites([])),
      SITES_AFTER_MS,
    );
    return () => clearTimeout(timer);
  }, [text]);
  return sites;
}
