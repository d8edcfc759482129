import * as z from "zod";
import { AppError } from "../ground/lib/errors.ts";
import type { Caller, RequestContext } from "../http/caller.ts";
import type { Front } from "../http/front.ts";
import { JSON_TYPE } from "../http/reply.ts";
import type { DeclaredRoute } from "../http/routing.ts";

/** A route of the API, with the schemas that it declares. */
export type Operation = {
  method: string;
  path: string;
  query: z.ZodObject;
  body: z.ZodType;
  /** The `data` of its successful reply. */
  reply: z.ZodType;
};

type Hooks = {
  query?: z.ZodObject;
  body?: z.ZodType;
  response: Record<string, z.ZodObject<{ data: z.ZodType }>>;
  detail?: { operationId?: string };
};

const PREFIX = "/api/v1/";

/** Finds routes by their `operationId`. */
export type Operations = (id: string) => Operation;

/** @throws for an operation that does not exist */
export function operationsOf(routes: DeclaredRoute[]): Operations {
  const byId = new Map<string, Operation>();
  for (const { method, path, hooks } of routes) {
    const { query = z.object({}), body = z.unknown(), response, detail } = hooks as Hooks;
    const reply = response?.[200] ?? response?.[201];
    if (!path.startsWith(PREFIX) || !detail?.operationId || !reply) continue;
    byId.set(detail.operationId, { method, path, query, body, reply: reply.shape?.data ?? reply });
  }
  return (id) => {
    const found = byId.get(id);
    if (!found) throw new Error(`There is no operation ${id}.`);
    return found;
  };
}

/** What JSON says, as `JSON.parse` gives it. */
export type Json = ReturnType<typeof JSON.parse>;

export type Given = {
  /** The parameters of the path. */
  params?: Record<string, string>;
  query?: Record<string, unknown>;
  body?: unknown;
};

/** Runs a route of the API and returns its `data`. @throws the error that the route replies with */
export type Ask = (id: string, given?: Given) => Promise<Json>;

type Asking = {
  operations: Operations;
  front: Front;
  caller: Caller;
  context: RequestContext;
};

/** The routes as a caller uses them who has passed the door: with their checks, permissions and audit entries. */
export function askAs({ operations, front, caller, context }: Asking): Ask {
  const peer = { requestIP: () => ({ address: context.address() }) };
  return async (id, { params = {}, query = {}, body } = {}) => {
    const { method, path } = operations(id);
    const request = new Request(`http://localhost${pathWith(path, params)}${searchOf(query)}`, {
      method,
      headers: { "content-type": JSON_TYPE, "x-request-id": context.requestId },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const reply = await front(request, peer, caller);
    const { data, error } = (await reply.json()) as Json;
    if (reply.ok) return data;
    throw new AppError(error.code, error.message, error.details);
  };
}

const pathWith = (path: string, params: Record<string, string>) =>
  path.replace(/:(\w+)/g, (_, name) => encodeURIComponent(params[name]!));

function searchOf(query: Record<string, unknown>): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  const params = new URLSearchParams(given.map(([name, value]) => [name, String(value)]));
  return params.size > 0 ? `?${params}` : "";
}
