import { CircleCheck, CircleX, ClockAlert, TriangleAlert, WifiOff } from "lucide-preact";
import type { ClusterNode, Installation, Nodes } from "../lib/admin.ts";
import { counted, sizeText } from "../lib/format.ts";
import { clockText, problemsOf, rolesText, workText } from "../lib/nodes.ts";
import { Fact, Moment, Pill } from "./elements.tsx";

export function Running({ state }: { state: Installation }) {
  const { checker, database } = state;
  return (
    <dl class="facts">
      <Fact name="Version">{state.version}</Fact>
      <Fact name="Started">
        <Moment at={state.started_at} />
      </Fact>
      <Fact name="Checker">{checker.is_running ? "running" : "not running"}</Fact>
      <Fact name="Checks today">{count(checker.checks_today)}</Fact>
      <Fact name="Checks at once">{count(checker.at_once)} at most</Fact>
      <Fact name="History kept">{count(checker.history_days)} days</Fact>
      <Fact name="Database">{ENGINES[database.engine]}</Fact>
      <Fact name="Size">{sizeText(database.bytes)}</Fact>
      <Fact name="Schema">
        <code>{database.migration.split(".")[0]}</code>
      </Fact>
      <Fact name="Accounts">{count(database.accounts)}</Fact>
      <Fact name="Links">{count(database.links)}</Fact>
      <Fact name="Deliveries waiting">{count(database.deliveries_waiting)}</Fact>
      {checker.processes && (
        <div class="checker-processes">
          <dt>{PROCESSES[database.engine]}</dt>
          <dd>{processesText(checker.processes)}</dd>
        </div>
      )}
    </dl>
  );
}

const ENGINES = { sqlite: "SQLite", postgres: "PostgreSQL" };

/** With PostgreSQL, other nodes may have processes of their own. */
const PROCESSES = { sqlite: "Checker processes", postgres: "Checker processes of this node" };

type CheckerProcesses = NonNullable<Installation["checker"]["processes"]>;

/** "4 · 1 starting · 1 idle · 236 MB · 12,345 checks · 0 restarts" */
function processesText(processes: CheckerProcesses): string {
  if (processes.length === 0) return "Checks run in the server";
  const inState = (wanted: CheckerProcesses[number]["state"]) =>
    processes.filter(({ state }) => state === wanted).length;
  const [running, starting, idle] = [inState("running"), inState("starting"), inState("idle")];
  const sum = (key: "memory_bytes" | "checks" | "restarts") =>
    processes.reduce((total, process) => total + process[key], 0);
  return [
    running > 0 && count(processes.length),
    starting > 0 && `${count(starting)} starting`,
    idle > 0 && `${count(idle)} idle`,
    running > 0 && sizeText(sum("memory_bytes")),
    counted(sum("checks"), "check"),
    counted(sum("restarts"), "restart"),
  ]
    .filter(Boolean)
    .join("\u00a0· ");
}

export const Tiers = ({ tiers }: { tiers: Installation["tiers"] }) => (
  <table class="tiers">
    <thead>
      <tr>
        <th scope="col">Tier</th>
        <th scope="col">Links</th>
        <th scope="col">API keys</th>
        <th scope="col">Webhooks</th>
        <th scope="col">API</th>
      </tr>
    </thead>
    <tbody>
      {tiers.map(({ tier, links, api_keys, webhooks, api }) => (
        <tr key={tier}>
          <th scope="row">{tier}</th>
          <td>{count(links)}</td>
          <td>{count(api_keys)}</td>
          <td>{count(webhooks)}</td>
          <td>{api ? "yes" : "no"}</td>
        </tr>
      ))}
    </tbody>
  </table>
);

const count = (value: number) => value.toLocaleString("en");

export function NodeList({ nodes: { is_shared, items } }: { nodes: Nodes }) {
  if (!is_shared && items.length === 1) return <OneNode />;
  return (
    <>
      <div class="node-problems" role="status">
        {problemsOf(items).map((problem) => (
          <p key={problem} class="notice notice-warn">
            <TriangleAlert aria-hidden="true" />
            {problem}
          </p>
        ))}
      </div>
      <ul class="nodes" aria-label="Nodes">
        {items.map((node) => (
          <NodeItem key={node.id} node={node} />
        ))}
      </ul>
    </>
  );
}

const OneNode = () => (
  <p class="hint">
    This installation runs on one node. With PostgreSQL it can run on several, on as many machines:
    see <code>docs/cluster.md</code>.
  </p>
);

function NodeItem({ node }: { node: ClusterNode }) {
  const [checks, deliveries] = [workText(node, "checks"), workText(node, "deliveries")];
  return (
    <li class={node.is_live ? "" : "gone"}>
      <header>
        <h3>{node.name}</h3>
        {node.is_this && <span class="tag">this one</span>}
        <NodeState node={node} />
      </header>
      <dl class="facts">
        <Fact name="Does">{rolesText(node.roles)}</Fact>
        <Fact name="Checks">{checks ?? "none"}</Fact>
        <Fact name="Deliveries">{deliveries ?? "none"}</Fact>
        <Fact name="Version">{node.version}</Fact>
        <Fact name="Started">
          <Moment at={node.started_at} />
        </Fact>
        <Fact name="Last seen">
          <Moment at={node.seen_at} />
        </Fact>
      </dl>
    </li>
  );
}

function NodeState({ node }: { node: ClusterNode }) {
  if (!node.is_live) {
    return (
      <Pill Icon={CircleX} look="status-dead">
        Gone
      </Pill>
    );
  }
  const clock = clockText(node);
  return (
    <>
      {node.online === "offline" ? (
        <Pill Icon={WifiOff} look="status-unknown">
          Offline
        </Pill>
      ) : (
        <Pill Icon={CircleCheck} look="status-active">
          Live
        </Pill>
      )}
      {clock && (
        <Pill Icon={ClockAlert} look="status-unknown">
          {clock}
        </Pill>
      )}
    </>
  );
}

/** Problems of the installation. The backups section shows its own. */
export const Troubles = ({ troubles }: Pick<Installation, "troubles">) => (
  <div class="troubles" role="alert">
    {troubles.filter(isShown).map(({ name, message, since }) => (
      <div key={name} class="notice notice-warn">
        <TriangleAlert aria-hidden="true" />
        <div>
          <strong>{TITLES[name]}</strong>
          <p>{message}</p>
          <p class="hint">
            Since <Moment at={since} />
          </p>
        </div>
      </div>
    ))}
  </div>
);

type Trouble = Installation["troubles"][number];
type ShownTrouble = Trouble & { name: Exclude<Trouble["name"], "backup_failed"> };

const isShown = (trouble: Trouble): trouble is ShownTrouble => trouble.name !== "backup_failed";

const TITLES: Record<ShownTrouble["name"], string> = {
  disk_full: "The disk is full",
  database_damaged: "The database is damaged",
  data_folder_gone: "The data folder is missing",
  unhandled_error: "An unexpected error occurred",
};
