import { keepPreviousData, useQuery } from "@tanstack/preact-query";
import { DayStrip } from "../components/day-strip.tsx";
import { Loaded } from "../components/states.tsx";
import { DAYS, findDays, keyOfLastCheck } from "../lib/link.ts";
import { hrefOfView } from "../lib/link-view.ts";
import { HISTORY, type LinkPartProps } from "./link-history.tsx";

/** The last days at a glance, each of which leads to its checks. */
export function LinkDays({ id, lastCheckAt, view }: LinkPartProps) {
  const days = useQuery({
    queryKey: keyOfLastCheck(id, lastCheckAt, "days"),
    queryFn: () => findDays(id),
    placeholderData: keepPreviousData,
  });
  return (
    <section class="link-days">
      <h2>The last {DAYS} days</h2>
      <Loaded query={days}>
        {({ points }) => (
          <DayStrip
            days={points}
            hrefOf={(date) => hrefOfView(id, { ...view, from: date, to: date, page: 1 })}
            onOpen={() => document.getElementById(HISTORY)?.scrollIntoView()}
          />
        )}
      </Loaded>
    </section>
  );
}
