import { Server as ServerIcon } from "lucide-preact";
import { counted, lengthText, many, percent, sizeText } from "../data/format.ts";
import { useSession } from "../data/session.ts";
import { Loaded, Together } from "../ui/loaded.tsx";
import { Moment } from "../ui/moment.tsx";
import { Heading } from "../ui/section.tsx";
import { processesText } from "./installation-words.ts";
import { MailPanel } from "./mail-server.tsx";
import { Known, Panel, Trouble } from "./parts.tsx";
import {
  type ClusterNode,
  type Installation,
  type Nodes,
  useInstallation,
  useNodes,
} from "./queries.ts";
import type { Section } from "./settings.tsx";
import { ProviderPanel } from "./single-sign-on.tsx";

export const section: Section = {
  part: "Server",
  place: 3,
  name: "Installation",
  icon: ServerIcon,
};

/** What an administrator needs to know of the server. */
export default function InstallationSection() {
  const state = useInstallation();
  const nodes = useNodes();
  const session = useSession();
  return (
    <Together>
      <Heading title="Installation">This server, its nodes and what it is connected to.</Heading>
      {state.data && <Troubles troubles={state.data.troubles} />}
      <Panel title="Server">
        <Loaded query={state}>{(known) => <Server state={known} />}</Loaded>
      </Panel>
      <Panel title="Nodes">
        <Loaded query={nodes}>{(known) => <NodeList nodes={known} />}</Loaded>
      </Panel>
      {session.data?.sends_mail && <MailPanel />}
      {session.data?.oidc && <ProviderPanel />}
    </Together>
  );
}

const DAY_MS = 86_400_000;

/** How often the registries of domains are asked: weekly, or less often with more domains than fit into a week. */
function registriesText(lateMs: number | null): string {
  if (lateMs === null) return "Not asked";
  const isLate = lateMs >= DAY_MS;
  return isLate ? `Asked every ${counted(Math.round(lateMs / DAY_MS) + 7, "day")}` : "Asked weekly";
}

const Server = ({ state: { checker, database, ...state } }: { state: Installation }) => (
  <Known
    facts={[
      ["Version", state.version],
      ["Started", <Moment key="started" at={state.started_at} />],
      ["Checker", checker.is_running ? "Running" : "Not running"],
      ["Checks today", many(checker.checks_today)],
      ["Checks at once", `${many(checker.at_once)} at most`],
      ["History kept", counted(checker.history_days, "day")],
      ["Registries", registriesText(checker.registries_late_ms)],
      ["Database", ENGINES[database.engine]],
      ["Size", sizeText(database.bytes)],
      ["Schema", <code key="schema">{database.migration.split(".")[0]}</code>],
      ["Accounts", many(database.accounts)],
      ["Links", many(database.links)],
      ["Messages waiting", many(database.deliveries_waiting)],
      ...(checker.processes
        ? [[PROCESSES[database.engine], processesText(checker.processes)] as [string, string]]
        : []),
    ]}
  />
);

const ENGINES = { sqlite: "SQLite", postgres: "PostgreSQL" };

/** With PostgreSQL, other nodes may have processes of their own. */
const PROCESSES = { sqlite: "Checker processes", postgres: "Checker processes of this node" };

/** Problems of the installation. The backups section shows its own. */
const Troubles = ({ troubles }: Pick<Installation, "troubles">) => (
  <div role="alert">
    {troubles.filter(isShown).map(({ name, message, since }) => (
      <Trouble key={name}>
        <b>{TITLES[name]}</b> {message}{" "}
        <span class="soft">
          Since <Moment at={since} />
        </span>
      </Trouble>
    ))}
  </div>
);

type KnownTrouble = Installation["troubles"][number];
type ShownTrouble = KnownTrouble & { name: Exclude<KnownTrouble["name"], "backup_failed"> };

const isShown = (trouble: KnownTrouble): trouble is ShownTrouble =>
  trouble.name !== "backup_failed";

const TITLES: Record<ShownTrouble["name"], string> = {
  disk_full: "The disk is full.",
  database_damaged: "The database is damaged.",
  data_folder_gone: "The data folder is missing.",
  unhandled_error: "An unexpected error occurred.",
  mail_settings: "Nodes have different mail servers.",
  oidc_settings: "Nodes have different single sign-on.",
  oidc_roles: "A group at the provider would remove the last owner or administrator.",
  mail_server: "The mail server does not work.",
  archive_key: "The archive refuses the key.",
};

/** A smaller difference of the clock is not shown. */
const CLOCK_OFF_MS = 1000;
/** Interval at which nodes look for work. */
const ON_TIME_MS = 2000;

/** The nodes that share the database, and what is wrong with them together. */
function NodeList({ nodes: { is_shared, items } }: { nodes: Nodes }) {
  if (!is_shared && items.length === 1) return <OneNode />;
  return (
    <>
      <div role="status">
        {problemsOf(items).map((problem) => (
          <Trouble key={problem}>{problem}</Trouble>
        ))}
      </div>
      <ul class="lines" aria-label="Nodes">
        {items.map((node) => (
          <NodeLine key={node.id} node={node} />
        ))}
      </ul>
    </>
  );
}

const OneNode = () => (
  <p class="in-place">
    <span>
      This installation runs on one node. With PostgreSQL it can run on several machines: see{" "}
      <code>docs/cluster.md</code>.
    </span>
  </p>
);

function NodeLine({ node }: { node: ClusterNode }) {
  const [checks, deliveries] = [workText(node, "checks"), workText(node, "deliveries")];
  return (
    <li>
      <div class="what">
        <h3>
          {node.name}
          {node.is_this && <span class="chip">This one</span>} <NodeState node={node} />
        </h3>
        <Known
          facts={[
            ["Does", rolesText(node.roles)],
            ["Checks", checks ?? "None"],
            ["Messages", deliveries ?? "None"],
            ["Version", node.version],
            ["Started", <Moment key="started" at={node.started_at} />],
            ["Last seen", <Moment key="seen" at={node.seen_at} />],
          ]}
        />
      </div>
    </li>
  );
}

function NodeState({ node }: { node: ClusterNode }) {
  if (!node.is_live) return <span class="tagq d">Gone</span>;
  const clock = clockText(node);
  const isOffline = node.online === "offline";
  return (
    <>
      <span class={isOffline ? "tagq w" : "tagq"}>{isOffline ? "Offline" : "Online"}</span>
      {clock && <span class="tagq w">{clock}</span>}
    </>
  );
}

const ROLES: Record<string, string> = {
  api: "API",
  checker: "checks",
  delivery: "messages",
};

/** "API, checks", or "Everything". */
function rolesText(roles: string[]): string {
  const isAll = Object.keys(ROLES).every((role) => roles.includes(role));
  return isAll ? "Everything" : roles.map((role) => ROLES[role] ?? role).join(", ");
}

/** Null if the clock is right. */
function clockText({ clock_off_ms: ms }: ClusterNode): string | null {
  if (Math.abs(ms) < CLOCK_OFF_MS) return null;
  return `Clock ${lengthText(Math.abs(ms))} ${ms > 0 ? "ahead" : "behind"}`;
}

/** "34%, on time"; null if the node has no share. */
function workText(node: ClusterNode, work: "checks" | "deliveries"): string | null {
  const share = node.share[work];
  const lag = node.lag_ms[work];
  if (!node.is_live || (share === 0 && lag === null)) return null;
  if (lag === null) return percent(share);
  return `${percent(share)}, ${lag < ON_TIME_MS ? "on time" : `${lengthText(lag)} late`}`;
}

/** Problems of live nodes, each with what to do. */
function problemsOf(nodes: ClusterNode[]): string[] {
  const live = nodes.filter((node) => node.is_live);
  return [...versionsProblem(live), ...missingRoles(live)];
}

function versionsProblem(live: ClusterNode[]): string[] {
  const versions = [...new Set(live.map(({ version }) => version))].sort((a, b) =>
    a.localeCompare(b, "en", { numeric: true }),
  );
  if (versions.length < 2) return [];
  const list = `${versions.slice(0, -1).join(", ")} and ${versions.at(-1)}`;
  return [`The nodes run different versions: ${list}. Upgrade the older ones next.`];
}

function missingRoles(live: ClusterNode[]): string[] {
  const has = (role: string) => live.some(({ roles }) => roles.includes(role));
  return [
    ...(has("checker") ? [] : ["No node checks links. Start one with STILLUP_ROLE=checker."]),
    ...(has("delivery") ? [] : ["No node sends messages. Start one with STILLUP_ROLE=delivery."]),
  ];
}
