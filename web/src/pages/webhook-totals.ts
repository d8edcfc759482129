import { queryOptions } from "@tanstack/preact-query";
import { countDeliveries, type Totals } from "../lib/deliveries.ts";
import { WEBHOOKS } from "../lib/webhooks.ts";

/** More than these take the server so long to count that it is not done at every change. */
const QUICKLY_COUNTED = 20_000;
const RECOUNT_MS = 60_000;

/** How many deliveries a webhook has of each status. */
export const totalsOf = (id: string) =>
  queryOptions({
    queryKey: [...WEBHOOKS, id, "totals"],
    queryFn: () => countDeliveries(id),
    staleTime: ({ state }) => (state.data && sum(state.data) > QUICKLY_COUNTED ? "static" : 0),
    refetchInterval: RECOUNT_MS,
  });

const sum = (totals: Totals) => Object.values(totals).reduce((before, count) => before + count, 0);
