import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { type Hop, type Line, linesOf, resultOf, type Seen, type Words } from "../data/evidence.ts";
import { Url } from "./url.tsx";

/** The evidence of a check, one line a stage. That of a link that is alive folds open. */
export const Report = ({ seen, title }: { seen: Seen; title?: string }) =>
  seen.status === "active" ? (
    <details class="folded">
      <summary>{title ?? resultOf(seen)}</summary>
      <Lines seen={seen} />
    </details>
  ) : (
    <Lines seen={seen} />
  );

const Lines = ({ seen }: { seen: Seen }) => (
  <ol class={`report is-${seen.status}`}>
    {linesOf(seen).map((line, index) => (
      <ReportLine key={index} {...line} />
    ))}
  </ol>
);

const ReportLine = ({ kind, at, took, title, text, quote, list, hops }: Line) => (
  <li class={kind}>
    <span class="at">{at}</span>
    <i />
    <div>
      <b>{title}</b>
      {text.length > 0 && <p>{text.map((part, index) => shown(part, index, kind))}</p>}
      {hops && <Hops hops={hops} />}
      {quote && <blockquote class="q">{quote}</blockquote>}
      {list && (
        <ul class="marks">
          <Some items={list}>{(item, index) => <li key={index}>{item}</li>}</Some>
        </ul>
      )}
    </div>
    {took && <span class="took">{took}</span>}
  </li>
);

const shown = (part: Words[number], index: number, kind: Line["kind"]) =>
  typeof part === "string" ? (
    part
  ) : (
    <code key={index} class={kind === "verdict" ? "soft" : undefined}>
      {part.code}
    </code>
  );

const Hops = ({ hops }: { hops: Hop[] }) => (
  <ol class="hops">
    <Some items={hops}>
      {({ status, url, how }, index) => (
        <li key={index}>
          <code>{status ?? "end"}</code>
          <span>
            <Url url={url} whole />
            {how && <span class="soft"> {how}</span>}
          </span>
        </li>
      )}
    </Some>
  </ol>
);

const MOST = 5;

type SomeProps<T> = { items: T[]; children: (item: T, index: number) => ComponentChildren };

/** The first items, and the rest when asked for. */
function Some<T>({ items, children }: SomeProps<T>) {
  const [isOpen, setOpen] = useState(false);
  const rest = items.length - MOST;
  return (
    <>
      {items.slice(0, isOpen ? undefined : MOST).map(children)}
      {!isOpen && rest > 0 && (
        <li>
          <button type="button" class="text-button" onClick={() => setOpen(true)}>
            Show {rest} more
          </button>
        </li>
      )}
    </>
  );
}
