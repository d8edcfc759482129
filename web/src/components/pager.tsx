import { ChevronLeft, ChevronRight } from "lucide-preact";

type Pagination = { page: number; per_page: number; total: number; total_pages: number };

type PagerProps = {
  pagination: Pagination;
  /** What is counted: "links". */
  what: string;
  hrefOf: (page: number) => string;
};

/** Which part of a list is shown, and the way to its neighbours. */
export function Pager({ pagination, what, hrefOf }: PagerProps) {
  const { page, per_page: perPage, total, total_pages: pages } = pagination;
  const first = (page - 1) * perPage + 1;
  const last = Math.min(page * perPage, total);
  if (pages <= 1 && page === 1) return <p class="pager">{counted(total, what)}</p>;
  return (
    <nav class="pager" aria-label={`Pages of ${what}`}>
      <span>
        {last >= first ? `${first}–${last} of ${counted(total, what)}` : counted(total, what)}
      </span>
      {page > 1 && (
        <a class="button" href={hrefOf(Math.min(page - 1, Math.max(pages, 1)))} rel="prev">
          <ChevronLeft aria-hidden="true" />
          Previous
        </a>
      )}
      {page < pages && (
        <a class="button" href={hrefOf(page + 1)} rel="next">
          Next
          <ChevronRight aria-hidden="true" />
        </a>
      )}
    </nav>
  );
}

const counted = (total: number, what: string) =>
  `${total.toLocaleString("en")} ${total === 1 ? what.replace(/s$/, "") : what}`;
