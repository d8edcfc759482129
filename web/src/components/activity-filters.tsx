import { X } from "lucide-preact";
import { type ActivityFilter, hrefOfActivity } from "../lib/activity.ts";
import { ACTIONS } from "../lib/activity-words.ts";
import { DayField } from "./day-field.tsx";
import { Facet } from "./facet.tsx";

type ActivityFiltersProps = {
  filter: ActivityFilter;
  /** Whether there is a choice between one's account and all. */
  canSeeAll: boolean;
  /** Of whom the entries are, where they are of one; null until it is known. */
  actorName: string | null;
  onChange: (filter: ActivityFilter) => void;
};

/** Chooses which entries are listed. */
export function ActivityFilters(props: ActivityFiltersProps) {
  const { filter, canSeeAll, actorName, onChange } = props;
  const change = (some: Partial<ActivityFilter>) => onChange({ ...filter, ...some, page: 1 });
  return (
    <div class="activity-filters">
      {canSeeAll && <Places filter={filter} />}
      <Facet
        label="What was done"
        any="Everything"
        chosen={filter.action}
        choices={ACTIONS}
        onChange={(action) => change({ action })}
      />
      {filter.actor && (
        <Only
          words={`By ${actorName ?? "one"}`}
          wayOut="Show what everybody did"
          href={hrefOfActivity({ ...filter, actor: "", page: 1 })}
        />
      )}
      {filter.target && (
        <Only
          words="About one thing"
          wayOut="Show what was done to everything"
          href={hrefOfActivity({ ...filter, target: "", page: 1 })}
        />
      )}
      <fieldset class="between">
        <legend class="unseen">Days in UTC</legend>
        <DayField label="From" value={filter.from} onChange={(from) => change({ from })} />
        <DayField label="To" value={filter.to} onChange={(to) => change({ to })} />
      </fieldset>
    </div>
  );
}

const Places = ({ filter }: { filter: ActivityFilter }) => (
  <nav class="chips" aria-label="Whose activity">
    {[false, true].map((all) => (
      <a
        key={String(all)}
        href={hrefOfActivity({ ...filter, all, page: 1 })}
        aria-current={filter.all === all ? "true" : undefined}
      >
        {all ? "Whole installation" : "This account"}
      </a>
    ))}
  </nav>
);

type OnlyProps = { words: string; wayOut: string; href: string };

const Only = ({ words, wayOut, href }: OnlyProps) => (
  <span class="facet set only">
    <span>{words}</span>
    <a class="button icon" href={href} aria-label={wayOut} title={wayOut}>
      <X aria-hidden="true" />
    </a>
  </span>
);
