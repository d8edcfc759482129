import type { Deps } from "../deps.ts";
import { AppError } from "../lib/errors.ts";
import type { Visit } from "./visit.ts";

/** Lets a request into /dashboard/api. */
export async function enterBySession(_deps: Deps, _request: Request, _visit: Visit): Promise<void> {
  throw new AppError("UNAUTHORIZED", "Sign in first.");
}
