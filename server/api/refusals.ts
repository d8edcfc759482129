import { ErrorReply } from "./reply.ts";

/** What every route under a door may answer beside its success. */
export const refusals = {
  400: ErrorReply,
  401: ErrorReply,
  403: ErrorReply,
  429: ErrorReply,
  500: ErrorReply,
  503: ErrorReply,
};

/** The same for a route that names a record. */
export const recordRefusals = { ...refusals, 404: ErrorReply };

/** For a change of a record, which may be conditional (`If-Match`) and carry a body. */
export const changeRefusals = {
  ...recordRefusals,
  412: ErrorReply,
  413: ErrorReply,
  415: ErrorReply,
};

export const deleteRefusals = { ...recordRefusals, 412: ErrorReply };

/** For a route that makes something: a limit may be reached, or an idempotency key reused. */
export const createRefusals = { ...refusals, 409: ErrorReply, 413: ErrorReply, 415: ErrorReply };
