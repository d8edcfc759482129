import { Plus } from "lucide-preact";
import { useCanWrite } from "../lib/session.ts";

type ListHeadProps = { title: string; adding: string; onAdd: () => void };

/** The head of a list; who may write can add to it. */
export const ListHead = ({ title, adding, onAdd }: ListHeadProps) => (
  <header class="page-head">
    <h1>{title}</h1>
    {useCanWrite() && (
      <button type="button" class="primary" onClick={onAdd}>
        <Plus aria-hidden="true" />
        {adding}
      </button>
    )}
  </header>
);
