import { readFile } from "node:fs/promises";

const HOSTS_FILE = "/etc/hosts";

/** The addresses that the system's hosts file gives a name, hosts(5); none when there is no file. */
export async function readHosts(name: string): Promise<string[]> {
  const text = await readFile(HOSTS_FILE, "utf8").catch(() => "");
  return findInHosts(text, name);
}

/** The addresses that the text of a hosts file gives a name, in its order. */
export function findInHosts(text: string, name: string): string[] {
  const wanted = name.toLowerCase().replace(/\.$/, "");
  return text.split("\n").flatMap((line) => {
    const [address, ...names] = line.replace(/#.*/, "").trim().toLowerCase().split(/\s+/);
    return address && names.includes(wanted) ? [address] : [];
  });
}
