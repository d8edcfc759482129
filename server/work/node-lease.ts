import { newId } from "../lib/ids.ts";
import type { Nodes } from "./nodes.ts";

/** The name of a claim, by which others know whose it is. */
export const newLease = ({ id }: Pick<Nodes, "id">): string => `${id}.${newId()}`;

/** What the names of a node's claims begin with, for `like`. */
export const leasesOf = (id: string): string => `${id}.%`;
