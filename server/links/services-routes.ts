import { Elysia } from "elysia";
import * as z from "zod";
import { callers, data, refusals } from "../api/reply.ts";
import type { Deps } from "../work/deps.ts";
import { Service, toServices } from "./services-model.ts";

export const serviceRoutes = (deps: Deps) =>
  new Elysia({ prefix: "/services", tags: ["Links"] })
    .use(callers)
    .get("", () => ({ data: { items: toServices(deps.catalogue.services) } }), {
      response: { 200: data(z.object({ items: z.array(Service) })), ...refusals },
      detail: {
        access: "read",
        operationId: "listServices",
        summary: "List the services that links can belong to",
      },
    });
