import { CircleCheck, CircleX, ClockAlert, TriangleAlert, WifiOff } from "lucide-preact";
import type { ComponentChildren } from "preact";
import type { ClusterNode, Nodes } from "../lib/admin.ts";
import { clockText, problemsOf, rolesText, workText } from "../lib/nodes.ts";
import { Moment } from "./moment.tsx";

/** The processes that serve the database, and what of the work each does. */
export function NodeList({ nodes: { is_shared, items } }: { nodes: Nodes }) {
  if (!is_shared && items.length === 1) return <OneProcess />;
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

const OneProcess = () => (
  <p class="hint">
    This installation runs as one process. With PostgreSQL it can be several, on as many machines:
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

/** Told by word, shape and colour. What is wrong with a live one stands beside. */
function NodeState({ node }: { node: ClusterNode }) {
  if (!node.is_live) {
    return (
      <span class="status status-dead">
        <CircleX aria-hidden="true" />
        Gone
      </span>
    );
  }
  const clock = clockText(node);
  return (
    <>
      {node.online === "offline" ? (
        <span class="status status-unknown">
          <WifiOff aria-hidden="true" />
          Offline
        </span>
      ) : (
        <span class="status status-active">
          <CircleCheck aria-hidden="true" />
          Live
        </span>
      )}
      {clock && (
        <span class="status status-unknown">
          <ClockAlert aria-hidden="true" />
          {clock}
        </span>
      )}
    </>
  );
}

const Fact = ({ name, children }: { name: string; children: ComponentChildren }) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
);
