import { useCounts } from "../data/counts.ts";
import { counted } from "../data/format.ts";
import { Empty } from "../ui/loaded.tsx";

/** Everything that is dead is acknowledged or muted. */
export default function NothingToDo() {
  const counts = useCounts();
  const handled = (counts?.dead ?? 0) - (counts?.attention ?? 0);
  return (
    <Empty title="Nothing needs attention">
      {handled > 0 && (
        <p>
          <a href="/links?status=dead">{counted(handled, "dead link")}</a>{" "}
          {handled === 1 ? "is" : "are"} acknowledged or muted.
        </p>
      )}
    </Empty>
  );
}
