import type { Store } from "../../db/store.ts";
import type { Clock } from "../../lib/clock.ts";
import { type Asking, createAsking } from "./ask.ts";
import { type Canaries, createCanaries } from "./canaries.ts";
import { type Catalogue, serviceOf, targetOf } from "./catalogue.ts";
import { keptIn } from "./kept-songs.ts";
import type { Serving } from "./serving.ts";

/** The services, and what is remembered of asking them. */
export type Services = Asking & { catalogue: Catalogue; canaries: Canaries };

/** @param store keeps over a restart, and for other processes, whether services can be believed */
export const createServices = (clock: Clock, catalogue: Catalogue, store?: Store): Services => ({
  ...createAsking(clock),
  catalogue,
  canaries: createCanaries(clock, store && keptIn(store)),
});

/** What is known of a link through its service before anything is asked; null where none owns it. */
export function servingOf(
  { catalogue }: Pick<Services, "catalogue">,
  link: { url: string; lastDecided: "active" | "dead" | null },
): Serving | null {
  const url = URL.parse(link.url);
  const service = url && serviceOf(catalogue, url);
  if (!service) return null;
  const wasAlive = link.lastDecided === "active";
  return { service, target: targetOf(catalogue, url), left: null, way: null, wasAlive };
}
