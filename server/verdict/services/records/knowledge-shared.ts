import type {} from "../record.ts";
/** An answer that is JSON, so that a page in its place says nothing. */
export const IS_JSON = { "": { exists: true } };
