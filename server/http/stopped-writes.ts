import type { Visit } from "../api/visit.ts";
import { AppError } from "../lib/errors.ts";
import type { TroubleName } from "../lib/troubles.ts";
import type { Deps } from "../work/deps.ts";

const READING = new Set(["GET", "HEAD", "OPTIONS"]);
/** Whoever is to make room must get in. */
const SIGN_IN = "/dashboard/api/session";

/**
 * Refuses what would write while a trouble of the installation forbids it. What went wrong is told to its
 * administrators elsewhere; others hear only what it means for them.
 * @throws SERVICE_UNAVAILABLE
 */
export function refuseStoppedWrites({ troubles }: Deps, request: Request, { path }: Visit) {
  const trouble = troubles.stoppingDeletions() ?? troubles.stoppingWrites();
  if (!trouble || isReading(request, path)) return;
  if (!troubles.stoppingDeletions() && isAllowedBeside(request, path)) return;
  throw stopped(trouble.name);
}

/** What writes nothing may be asked by a POST, where it is too long for a query. */
const isReading = ({ method }: Request, path: string) =>
  READING.has(method) || path.endsWith("/links/preview");

const isAllowedBeside = ({ method }: Request, path: string) =>
  method === "DELETE" || path.endsWith("/links/batch-delete") || path === SIGN_IN;

const SENTENCES: Partial<Record<TroubleName, string>> = {
  disk_full:
    "The disk of this installation is full. You can read and delete; nothing else can be changed " +
    "until its operator has made room.",
  database_damaged:
    "The database of this installation is damaged. Nothing can be changed until its operator has " +
    "restored a backup.",
  data_folder_gone:
    "The data folder of this installation is missing. Nothing can be changed until its operator " +
    "has moved it back.",
};

const stopped = (name: TroubleName) =>
  new AppError(
    "SERVICE_UNAVAILABLE",
    SENTENCES[name] ?? "Nothing can be changed now. Try again later.",
    { reason: name },
    { "retry-after": "10" },
  );
