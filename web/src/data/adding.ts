import { skipToken, useQuery } from "@tanstack/preact-query";
import { api, unwrap } from "./api.ts";
import { useUser } from "./session.ts";

const findImport = (id: string) => unwrap(api.imports({ id }).get());
export type Import = Awaited<ReturnType<typeof findImport>>;

/** A list of links that this tab gives to the server, or that was given by this browser. */
export type Given = {
  /** E-mail of the user who gave it: the next user of this tab sees nothing of it. */
  owner: string;
  /** Null until the server has it. */
  importId: string | null;
  /** Why a request about it failed. */
  problem: Error | null;
  /** What was given; missing after a reload. */
  source?: unknown;
};

export type Tally = {
  /** Links that were added, and those that will be. */
  total: number;
  added: number;
  alive: number;
  dead: number;
  unknown: number;
  /** Whether all have been checked that still exist. */
  isComplete: boolean;
};

export const ADDING = ["adding"];
export const IMPORTS = ["imports"];

const STORED = "stillup-import";

/** The list that was added last, which outlives the tab. */
function readStored(): Given | null {
  try {
    const { owner, importId } = JSON.parse(localStorage.getItem(STORED) ?? "null") ?? {};
    return owner && importId ? { owner, importId, problem: null } : null;
  } catch {
    return null;
  }
}

export function store(given: Given | null) {
  try {
    if (given) localStorage.setItem(STORED, JSON.stringify(given));
    else localStorage.removeItem(STORED);
  } catch {
    // Without storage it is forgotten with the tab.
  }
}

export const checkedIn = ({ alive, dead, unknown }: Tally) => alive + dead + unknown;

/** Whether links are being added, were added, or are being taken back. */
export const isLive = ({ status }: Import) =>
  ["adding", "stopped", "complete", "undoing"].includes(status);

export const importQuery = (id: string) => ({
  queryKey: [...IMPORTS, "one", id],
  queryFn: () => findImport(id),
});

/** Kept among the queries, so that it outlives its sheet and an expired session, until the user signs out. */
export function useGiven<Full extends Given = Given>(): Full | null {
  const { email } = useUser();
  const { data } = useQuery<Full | null>({
    queryKey: ADDING,
    queryFn: skipToken,
    initialData: () => readStored() as Full | null,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: Number.POSITIVE_INFINITY,
    structuralSharing: false,
  });
  return data && data.owner === email ? data : null;
}

/** What the server says of the list that was given; null after a reload if nothing more will happen to it. */
export function useImport(): Import | null {
  const given = useGiven();
  const id = given?.importId ?? null;
  const { data: found = null } = useQuery({ ...importQuery(id ?? ""), enabled: id !== null });
  const isOver = found && given?.source === undefined && tallyOf(found).isComplete;
  return isOver ? null : found;
}

export function tallyOf({ status, counts, checks }: Import): Tally {
  const { active: alive, dead, unknown, skipped } = checks;
  const rest = counts.new + counts.waiting;
  return {
    total: counts.created + rest,
    added: counts.created,
    alive,
    dead,
    unknown,
    isComplete: status === "complete" && alive + dead + unknown + skipped >= counts.created,
  };
}
