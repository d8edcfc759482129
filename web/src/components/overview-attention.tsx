import { ArrowRight, CircleCheck } from "lucide-preact";
import type { ComponentChildren } from "preact";
import { counted, many } from "../lib/counted.ts";
import type { Overview } from "../lib/overview.ts";
import { useServiceName } from "../lib/services.ts";
import { Moment } from "./moment.tsx";

/** What is wrong, what is right again, and what cannot be told. What there is none of takes no room. */
export function Attention({ overview: { dead, recovered, unknown } }: { overview: Overview }) {
  if (dead.total + recovered.total + unknown.items.length === 0) return null;
  return (
    <div class="attention">
      {dead.total > 0 && <Dead dead={dead} />}
      {(recovered.total > 0 || unknown.items.length > 0) && (
        <div class="attention-side">
          {unknown.items.length > 0 && <Unknown unknown={unknown} />}
          {recovered.total > 0 && <Recovered recovered={recovered} />}
        </div>
      )}
    </div>
  );
}

type PartProps = {
  id: string;
  title: string;
  more?: ComponentChildren;
  children: ComponentChildren;
};

const Part = ({ id, title, more, children }: PartProps) => (
  <section class="card part" aria-labelledby={id}>
    <h2 id={id}>{title}</h2>
    {children}
    {more && <p class="more">{more}</p>}
  </section>
);

const More = ({ href, children }: { href: string; children: ComponentChildren }) => (
  <a href={href}>
    {children}
    <ArrowRight aria-hidden="true" />
  </a>
);

const Dead = ({ dead: { total, items } }: { dead: Overview["dead"] }) => (
  <Part
    id="dead-now"
    title="Dead now"
    more={
      total > items.length && (
        <More href="/links?status=dead&sort=-status_changed_at">
          All {counted(total, "dead link")}
        </More>
      )
    }
  >
    <ul class="brief">
      {items.map((link) => (
        <li key={link.id}>
          <a class="url" href={`/links/${link.id}`} title={link.url}>
            {link.url}
          </a>
          <p class="brief-when">
            <Moment at={link.since} />
          </p>
          <p class="brief-why">{link.message}</p>
          <ServiceName id={link.service} />
        </li>
      ))}
    </ul>
  </Part>
);

/** What belongs to no service needs no word. */
function ServiceName({ id }: { id: string }) {
  const name = useServiceName(id);
  return id === "generic" ? null : <p class="brief-where">{name}</p>;
}

const Recovered = ({ recovered: { total, items } }: { recovered: Overview["recovered"] }) => (
  <Part
    id="recovered"
    title="Back again"
    more={total > items.length && `${many(total)} came back within the last 7 days.`}
  >
    <ul class="brief">
      {items.map((link) => (
        <li key={link.id}>
          <a class="url" href={`/links/${link.id}`} title={link.url}>
            {link.url}
          </a>
          <p class="brief-when back-again">
            <CircleCheck aria-hidden="true" />
            <Moment at={link.recoveredAt} />
          </p>
        </li>
      ))}
    </ul>
  </Part>
);

const MOST_REASONS = 6;

function Unknown({ unknown: { items, isWhole } }: { unknown: Overview["unknown"] }) {
  const shown = items.slice(0, MOST_REASONS);
  const rest = items.slice(MOST_REASONS).reduce((sum, { count }) => sum + count, 0);
  return (
    <Part
      id="unknown-why"
      title="Unknown, and why"
      more={<More href="/links?status=unknown">All unknown links</More>}
    >
      <ul class="reasons">
        {shown.map(({ reason, message, count }) => (
          <li key={reason ?? "none"}>
            <b>{counted(count, "link")}</b> {message}
          </li>
        ))}
        {rest > 0 && (
          <li>
            <b>{counted(rest, "link")}</b> For other reasons.
          </li>
        )}
      </ul>
      {!isWhole && <p class="hint">Very many are unknown: only the newest were counted here.</p>}
    </Part>
  );
}
