import { getDomain } from "tldts";
import { type NameServer, queryServer, type RecordType } from "./dns-query.ts";

/** Lower case, without the last dot: the domain's name servers, and what the host is an alias of. */
export type HostNames = { nameServers: string[]; aliases: string[] };

/** Asks the servers in turn, until one of them knows who serves the host's names. */
export async function askForNames(
  servers: NameServer[],
  host: string,
  timeoutMs: number,
): Promise<HostNames | null> {
  const domain = getDomain(host);
  if (!domain) return null;
  const ask = (name: string, type: RecordType) => firstAnswer(servers, name, type, timeoutMs);
  const [served, found] = await Promise.all([ask(domain, "NS"), ask(host, "A")]);
  if (!served && !found) return null;
  return { nameServers: bare(served?.values), aliases: bare(found?.aliases) };
}

async function firstAnswer(
  servers: NameServer[],
  name: string,
  type: RecordType,
  timeoutMs: number,
) {
  for (const server of servers) {
    const answer = await queryServer(server, name, type, timeoutMs);
    if (typeof answer === "object" && answer.rcode === "NOERROR") return answer;
  }
  return null;
}

const bare = (names: string[] = []) => names.map((name) => name.toLowerCase().replace(/\.$/, ""));
