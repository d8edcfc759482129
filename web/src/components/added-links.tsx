import { CircleX } from "lucide-preact";
import type { Addition } from "../lib/links.ts";

/** What became of a batch: how many were added, and why the others were not. */
export function AddedLinks({ addition }: { addition: Addition }) {
  const { summary, results } = addition;
  const refused = results.filter((result) => result.status === "failed");
  return (
    <div class="results">
      <p>
        <strong>
          {summary.created} of {summary.total} added.
        </strong>{" "}
        {summary.failed > 0 && "The others are still in the form:"}
      </p>
      <ul>
        {refused.map(({ index, url, error }) => (
          <li key={index}>
            <CircleX aria-hidden="true" />
            <span class="url">{String(url)}</span>
            <span class="field-problem">{reasonOf(error)}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}

type ItemError = { message: string; details?: Record<string, unknown> | undefined };

function reasonOf({ message, details }: ItemError): string {
  const fields = Object.values((details?.fields ?? {}) as Record<string, string[]>);
  return fields.length > 0 ? `URL ${fields.flat().join(", ")}.` : message;
}
