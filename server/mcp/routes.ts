import { originValidationResponse } from "@modelcontextprotocol/server";
import { Elysia } from "elysia";
import { invalid } from "../ground/lib/errors.ts";
import { contextOf, LARGE_BODY_LIMIT } from "../http/caller.ts";
import type { Front } from "../http/front.ts";
import { ownUrl, refuseUnknownHost } from "../http/own-host.ts";
import type { DeclaredRoute } from "../http/routing.ts";
import type { Deps } from "../work/deps.ts";
import { askAs, operationsOf } from "./operations.ts";
import { createProtocol } from "./server.ts";
import { toolsOf } from "./tools.ts";

/** The other routes, and the front through which tools call them; both are complete at the first request. */
type Within = { routes: () => DeclaredRoute[]; front: () => Front };

/** `POST /mcp`: the Model Context Protocol, for assistants (docs/mcp.md). */
export const mcpRoutes = (deps: Deps, { routes, front }: Within) => {
  let prepared: ReturnType<typeof prepare> | undefined;
  return new Elysia().post(
    "/mcp",
    async ({ request, body }) => {
      refuseUnknownHost(deps.config, request);
      const refused = originValidationResponse(request, ownNames(deps, request));
      if (refused) return refused;
      if (Array.isArray(body)) throw invalid({ body: ["must be one message, not a list"] });
      prepared ??= prepare(routes());
      const context = contextOf(request);
      const caller = context.caller!;
      const ask = askAs({ operations: prepared.operations, front: front(), caller, context });
      const { signal } = request;
      return prepared.answer(request, { deps, caller, context, ask, signal }, body);
    },
    { detail: { hide: true, access: "read", writes: "nothing", bodyLimit: LARGE_BODY_LIMIT } },
  );
};

/** Under which browsers know this server. A proxy may send another host than the one that they ask. */
const ownNames = ({ config: { publicUrl } }: Deps, request: Request): string[] =>
  [ownUrl(request), publicUrl && new URL(publicUrl)].flatMap((url) => (url ? url.hostname : []));

function prepare(routes: DeclaredRoute[]) {
  const operations = operationsOf(routes);
  return { operations, answer: createProtocol(toolsOf(operations)) };
}
