import { CircleCheck, CircleHelp, CircleX, Link2, LoaderCircle } from "lucide-preact";
import { many } from "../lib/counted.ts";
import { headlineOf } from "../lib/headline.ts";
import type { Overview } from "../lib/overview.ts";

const ICONS = { good: CircleCheck, bad: CircleX, unsure: CircleHelp };

/** All there is to know at a glance: a sentence, and the numbers behind it. */
export function OverviewHead({ overview }: { overview: Overview }) {
  const { state, title, rest } = headlineOf(overview);
  const Icon = ICONS[state];
  return (
    <header class="overview-head">
      <div class={`headline headline-${state}`}>
        <Icon aria-hidden="true" />
        <div>
          <h1>{title}</h1>
          <p>{rest}</p>
        </div>
      </div>
      <Counts counts={overview.counts} />
    </header>
  );
}

const COUNTED = [
  { name: "total", word: "Links", href: "/links", Icon: Link2 },
  { name: "active", word: "Active", href: "/links?status=active", Icon: CircleCheck },
  { name: "dead", word: "Dead", href: "/links?status=dead", Icon: CircleX },
  { name: "unknown", word: "Unknown", href: "/links?status=unknown", Icon: CircleHelp },
  { name: "checking", word: "Checking now", href: "/links?status=checking", Icon: LoaderCircle },
] as const;

/** Each leads to its links. */
const Counts = ({ counts }: { counts: Overview["counts"] }) => (
  <nav class="tallies" aria-label="Links by status">
    {COUNTED.map(({ name, word, href, Icon }) => (
      <a key={name} href={href} class={`tally tally-${name} ${counts[name] === 0 ? "none" : ""}`}>
        <span>
          <Icon aria-hidden="true" />
          {word}
        </span>
        <b>{many(counts[name])}</b>
      </a>
    ))}
  </nav>
);
