import { Empty } from "../components/states.tsx";
import { useTitle } from "../lib/title.ts";

export function NotFoundPage() {
  useTitle("Not found");
  return (
    <Empty title="There is nothing at this address">
      <p>
        <a class="button" href="/links">
          To your links
        </a>
      </p>
    </Empty>
  );
}
