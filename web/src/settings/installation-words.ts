import { counted, many, sizeText } from "../data/format.ts";
import type { Installation } from "./queries.ts";

type CheckerProcesses = NonNullable<Installation["checker"]["processes"]>;

/** "4, 1 starting, 1 idle, 236 MB, 12,345 checks, 0 restarts" */
export function processesText(processes: CheckerProcesses): string {
  if (processes.length === 0) return "Checks run in the server";
  const inState = (wanted: CheckerProcesses[number]["state"]) =>
    processes.filter(({ state }) => state === wanted).length;
  const [running, starting, idle] = [inState("running"), inState("starting"), inState("idle")];
  const sum = (key: "memory_bytes" | "checks" | "restarts") =>
    processes.reduce((total, process) => total + process[key], 0);
  return [
    running > 0 && many(processes.length),
    starting > 0 && `${many(starting)} starting`,
    idle > 0 && `${many(idle)} idle`,
    running > 0 && sizeText(sum("memory_bytes")),
    counted(sum("checks"), "check"),
    counted(sum("restarts"), "restart"),
  ]
    .filter(Boolean)
    .join(", ");
}
