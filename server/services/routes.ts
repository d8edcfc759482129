import { Elysia } from "elysia";
import * as z from "zod";
import type { Deps } from "../deps.ts";
import { refusals } from "../http/refusals.ts";
import { data } from "../http/reply.ts";
import { callers } from "../http/visit.ts";
import { Service, toServices } from "./model.ts";

export const serviceRoutes = (deps: Deps) =>
  new Elysia({ prefix: "/services", tags: ["Links"] })
    .use(callers)
    .get("", () => ({ data: { items: toServices(deps.catalogue.services) } }), {
      response: { 200: data(z.object({ items: z.array(Service) })), ...refusals },
      detail: {
        operationId: "listServices",
        summary: "List the services that links are filed under",
      },
    });
