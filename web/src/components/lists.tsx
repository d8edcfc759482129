import { ChevronFirst, ChevronLast, ChevronLeft, ChevronRight, Plus } from "lucide-preact";
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { textsOf } from "../lib/browser.ts";
import { counted } from "../lib/format.ts";
import { useCanWrite } from "../lib/session.ts";
import { Empty } from "./states.tsx";

type Pagination = { page: number; per_page: number; total: number; total_pages: number };

type PagerProps = {
  pagination: Pagination;
  /** Plural noun: "links". */
  what: string;
  hrefOf: (page: number) => string;
};

export function Pager({ pagination, what, hrefOf }: PagerProps) {
  const { page, total_pages: pages, total } = pagination;
  const one = what.replace(/ies$/, "y").replace(/s$/, "");
  const all = counted(total, one, what);
  if (pages <= 1 && page === 1) return <p class="pager">{all}</p>;
  const last = Math.max(pages, 1);
  const back = page > 1 ? (to: number) => hrefOf(to) : () => undefined;
  const on = page < pages ? (to: number) => hrefOf(to) : () => undefined;
  return (
    <nav class="pager" aria-label={`Pages of ${what}`}>
      <span class="range">{rangeOf(pagination, all)}</span>
      <Step href={back(1)} name="First page" Icon={ChevronFirst} />
      <Step href={back(Math.min(page - 1, last))} name="Previous" Icon={ChevronLeft} rel="prev" />
      <PageField page={page} pages={last} hrefOf={hrefOf} />
      <Step href={on(page + 1)} name="Next" Icon={ChevronRight} rel="next" />
      <Step href={on(last)} name="Last page" Icon={ChevronLast} />
    </nav>
  );
}

function rangeOf({ page, per_page: perPage, total }: Pagination, all: string): string {
  const first = (page - 1) * perPage + 1;
  if (first > total) return all;
  const last = Math.min(page * perPage, total);
  return `${first.toLocaleString("en")}–${last.toLocaleString("en")} of ${all}`;
}

type StepProps = {
  /** Undefined for a disabled step, which keeps its place. */
  href: string | undefined;
  name: string;
  Icon: typeof ChevronFirst;
  rel?: "prev" | "next";
};

const Step = ({ href, name, Icon, rel }: StepProps) =>
  href ? (
    <a class="button icon" href={href} rel={rel} aria-label={name} title={name}>
      <Icon aria-hidden="true" />
    </a>
  ) : (
    <span class="button icon" aria-hidden="true">
      <Icon aria-hidden="true" />
    </span>
  );

type PageFieldProps = { page: number; pages: number; hrefOf: (page: number) => string };

function PageField({ page, pages, hrefOf }: PageFieldProps) {
  const { route } = useLocation();
  const go = (event: SubmitEvent) => {
    event.preventDefault();
    const wanted = Math.trunc(Number(textsOf(event, ["page"]).page));
    if (wanted >= 1 && wanted !== page) route(hrefOf(Math.min(wanted, pages)));
  };
  return (
    <form class="page-field" onSubmit={go} noValidate>
      <label>
        Page
        <input
          key={page}
          name="page"
          type="text"
          inputMode="numeric"
          autoComplete="off"
          size={String(pages).length}
          defaultValue={String(page)}
        />
      </label>
      of {pages.toLocaleString("en")}
    </form>
  );
}

type ListHeadProps = {
  title: string;
  /** "Add links" */
  adding: string;
} & ({ onAdd: () => void } | { addAt: string });

export const ListHead = ({ title, adding, ...way }: ListHeadProps) => (
  <header class="page-head">
    <h1>{title}</h1>
    {useCanWrite() &&
      ("addAt" in way ? (
        <a class="button primary" href={way.addAt}>
          <Plus aria-hidden="true" />
          {adding}
        </a>
      ) : (
        <button type="button" class="primary" onClick={way.onAdd}>
          <Plus aria-hidden="true" />
          {adding}
        </button>
      ))}
  </header>
);

type FoldProps<T> = {
  items: T[];
  most: number;
  children: (item: T, index: number) => ComponentChildren;
};

/** The first items of a list; a button shows the rest. */
export function Fold<T>({ items, most, children }: FoldProps<T>) {
  const [isOpen, setOpen] = useState(false);
  // One more item takes no more room than the button.
  const isLong = items.length > most + 1;
  const shown = isLong && !isOpen ? items.slice(0, most) : items;
  return (
    <>
      {shown.map(children)}
      {isLong && !isOpen && (
        <li class="fold">
          <button type="button" class="plain" onClick={() => setOpen(true)}>
            Show {items.length - most} more
          </button>
        </li>
      )}
    </>
  );
}

type NoMatchProps = { title: string; href: string; showAll: string };

/** A filter without results, and a link that clears it. */
export const NoMatch = ({ title, href, showAll }: NoMatchProps) => (
  <Empty title={title}>
    <p>
      <a class="button" href={href}>
        {showAll}
      </a>
    </p>
  </Empty>
);

export const BackLink = ({ href, children }: { href: string; children: ComponentChildren }) => (
  <p class="back">
    <a href={href}>
      <ChevronLeft aria-hidden="true" />
      {children}
    </a>
  </p>
);
