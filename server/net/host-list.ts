import { isIPv4 } from "node:net";
import ipaddr from "ipaddr.js";
import leven from "leven";
import { SettingProblem } from "../lib/settings.ts";

export type Address = ipaddr.IPv4 | ipaddr.IPv6;

const RANGES = ["external", "private", "loopback"] as const;
export type Range = (typeof RANGES)[number];

/** What an operator's comma list of hosts opens or closes. */
export type HostList = {
  ranges: Set<Range>;
  /** Networks; a single address is one of /32 or /128. */
  networks: [Address, number][];
  /** Lower-case host names in which `*` stands for any run of characters. */
  patterns: string[];
};

const PATTERN = /^[a-z0-9*_-]+(\.[a-z0-9*_-]+)*$/;
const ONLY_DIGITS_AND_DOTS = /^[\d.]+$/;

/** Reads `external, 10.0.0.0/8, *.corp.example`. Throws an Error that names the entry it cannot read. */
export function parseHostList(text: string): HostList {
  const list: HostList = { ranges: new Set(), networks: [], patterns: [] };
  for (const part of text.split(",")) {
    const entry = part.trim().toLowerCase();
    if (entry) addEntry(list, entry);
  }
  return list;
}

/** Whether a pattern of the list covers the name. A trailing dot does not matter. */
export function namesHost(list: HostList, host: string): boolean {
  const name = host.toLowerCase().replace(/\.$/, "");
  return list.patterns.some((pattern) => globToRegExp(pattern).test(name));
}

/** Whether a network of the list holds the address. */
export const holdsAddress = (list: HostList, address: Address) =>
  list.networks.some((network) => isInside(address, network));

/** Whether the list names this very address and not only a network around it. */
export const namesAddress = (list: HostList, address: Address) =>
  list.networks.some(
    ([base, bits]) => bits === base.toByteArray().length * 8 && isInside(address, [base, bits]),
  );

/** Like `match`, but two families never match instead of throwing. */
export const isInside = (address: Address, [base, bits]: [Address, number]) =>
  address.kind() === base.kind() && address.match(base, bits);

/** The address that a text spells exactly, or null. Shorthand such as `127.1` and zones are refused. */
export function parseAddress(text: string): Address | null {
  if (isIPv4(text)) return new ipaddr.IPv4(text.split(".").map(Number));
  // Names, of which there are most, are told by this before anything that takes time.
  if (!text.includes(":") || text.includes("%") || !ipaddr.IPv6.isValid(text)) return null;
  return ipaddr.IPv6.parse(text);
}

function addEntry(list: HostList, entry: string): void {
  const range = RANGES.find((name) => name === entry);
  if (range) {
    list.ranges.add(range);
    return;
  }
  const meant = misspelled(entry);
  if (meant) {
    throw new SettingProblem(
      `"${entry}" is not a keyword; did you mean "${meant}"? If a host has this name, enter its address.`,
    );
  }
  const network = parseNetwork(entry);
  if (network) list.networks.push(network);
  else if (PATTERN.test(entry) && !ONLY_DIGITS_AND_DOTS.test(entry)) list.patterns.push(entry);
  else
    throw new Error(
      `"${entry}" is not external, private, loopback, an address, a network or a host name.`,
    );
}

const MOST_EDITS = 2;
const SINGLE_LABEL = /^[a-z0-9_-]+$/;

/**
 * The keyword that an entry almost is. Taken for a host name, such an entry would open or block nothing,
 * and no error would show it.
 */
function misspelled(entry: string): Range | undefined {
  if (!SINGLE_LABEL.test(entry)) return undefined;
  const [nearest] = RANGES.map((name) => ({ name, edits: leven(entry, name) })).sort(
    (a, b) => a.edits - b.edits,
  );
  return nearest && nearest.edits <= MOST_EDITS ? nearest.name : undefined;
}

function parseNetwork(entry: string): [Address, number] | null {
  const [text = "", bits, ...rest] = entry.split("/");
  const address = parseAddress(text);
  if (!address || rest.length > 0) return null;
  const width = address.toByteArray().length * 8;
  if (bits === undefined) return [address, width];
  return /^\d{1,3}$/.test(bits) && Number(bits) <= width ? [address, Number(bits)] : null;
}

const globToRegExp = (pattern: string) =>
  new RegExp(`^${pattern.replace(/[.]/g, "\\.").replace(/\*+/g, ".*")}$`);
