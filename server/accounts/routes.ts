import { Elysia } from "elysia";
import { callers, data, refusals } from "../api/reply.ts";
import type { Deps } from "../work/deps.ts";
import { Account, toAccount, toUsage, Usage } from "./model.ts";
import { findAccount, readUsage } from "./usage.ts";

export const accountRoutes = (deps: Deps) =>
  new Elysia({ tags: ["Account"] })
    .use(callers)
    .get("/account", async ({ caller }) => ({ data: toAccount(await findAccount(deps, caller)) }), {
      response: { 200: data(Account), ...refusals },
      detail: {
        access: "read",
        operationId: "getAccount",
        summary: "Get the account with its tier and limits",
      },
    })
    .get("/usage", async ({ caller }) => ({ data: toUsage(await readUsage(deps, caller)) }), {
      response: { 200: data(Usage), ...refusals },
      detail: {
        access: "read",
        operationId: "getUsage",
        summary: "Get this month's requests, links and checks",
        description:
          "Counts for the current calendar month in UTC. They are stored every few seconds, so the latest requests may be missing.",
      },
    });
