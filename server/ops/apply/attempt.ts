import { AppError } from "../../ground/lib/errors.ts";
import { reasonOf } from "../../links/create.ts";

/** A change that failed, for example because someone else changed the same meanwhile. */
export type Failure = { what: string; why: string };

/** Makes a change. The others of a plan are made also if this one is refused. */
export async function attempt(what: string, change: () => Promise<unknown>): Promise<Failure[]> {
  try {
    await change();
    return [];
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return [{ what, why: reasonOf(error) }];
  }
}
