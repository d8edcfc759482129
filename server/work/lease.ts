import { newId } from "../lib/ids.ts";
import type { Nodes } from "./nodes.ts";

/** How long a claimed link stays locked: after that it is due again, and not shown as checking. */
export const LEASE_MS = 120_000;

/** How long a claimed delivery stays locked: after that its attempt counts as interrupted. */
export const DELIVERY_LEASE_MS = 60_000;

/** Names a claim. The name begins with the id of the node that holds it. */
export const newLease = ({ id }: Pick<Nodes, "id">): string => `${id}.${newId()}`;

/** Pattern of all leases of a node, for `like`. */
export const leasesOf = (id: string): string => `${id}.%`;
