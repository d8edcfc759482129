import type * as z from "zod";
import type { Caller, RequestContext } from "../http/caller.ts";
import type { Deps } from "../work/deps.ts";
import type { Ask, Json } from "./operations.ts";

/** Who sends a message, and how tools run the routes of the API for them. */
export type Session = {
  deps: Deps;
  caller: Caller;
  context: RequestContext;
  ask: Ask;
  /** Aborts when the client closes the connection. */
  signal: AbortSignal;
};

/** What an assistant can call. */
export type Tool = {
  name: string;
  title: string;
  /** When to use it, and what it does. */
  description: string;
  /** Made of the schemas of the routes that the tool runs. */
  input: z.ZodObject;
  /** Whether its input is the query of a route, all of whose values are texts. */
  isQuery?: boolean;
  output: z.ZodType;
  does: "reads" | "asks sites" | "adds" | "changes" | "deletes";
  /** @throws what a route refuses */
  call(session: Session, given: Json): Promise<Json>;
  /** A sentence about the result, without any text of others. */
  says(result: Json): string;
};
