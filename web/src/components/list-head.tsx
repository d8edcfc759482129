import { Plus } from "lucide-preact";
import { useCanWrite } from "../lib/session.ts";

type ListHeadProps = {
  title: string;
  /** What adding is called: "Add links". */
  adding: string;
} & ({ onAdd: () => void } | { addAt: string });

/** The head of a list; who may write can add to it, here or on a page of its own. */
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
