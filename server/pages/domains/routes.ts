import { Elysia } from "elysia";
import { edge } from "../../http/edge.ts";
import type { Deps } from "../../work/deps.ts";
import { listDomains } from "./domains.ts";
import { Domain, DomainQuery, toDomain } from "./model.ts";

export const domainRoutes = (deps: Deps) => {
  const { list } = edge(deps);
  return new Elysia({ tags: ["Overview"] }).get(
    ...list("/domains", (deps, { caller, query }) => listDomains(deps, caller, query), {
      operationId: "listDomains",
      summary: "List the domains of your links",
      description:
        "The registrable domains of links that were active within 30 days, those that expire first first. `me.github.io` belongs to `github.io`. Registries are asked weekly, and first a week after a link of the domain was active; until then the state is `unasked`. Domains of links at internal addresses, and of hosts with settings, are not asked about and not listed.",
      query: DomainQuery,
      item: Domain,
      toItem: toDomain,
    }),
  );
};
