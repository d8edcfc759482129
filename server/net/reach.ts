import { connect } from "node:net";
import { networkInterfaces } from "node:os";
import type { NameServer } from "./dns-query.ts";
import { codeOf } from "./failures.ts";
import { isOutside } from "./policy.ts";

/**
 * Whether a TCP connection to the address comes about within `timeoutMs`. `fetch` has one time-out for
 * everything, so this tells a server that cannot be reached from one that is reached and silent.
 */
export async function canConnect(
  address: string,
  port: number,
  timeoutMs: number,
): Promise<boolean> {
  // A refusal is an answer: its sender can be reached.
  return (await tryToConnect(address, port, timeoutMs)) !== "nothing";
}

/**
 * Whether the server takes a TCP connection within `timeoutMs`. A refusal does not count here, since any
 * router or firewall on the way may send one. For addresses from the settings: no policy is asked.
 */
export async function answersTcp(server: NameServer, timeoutMs: number): Promise<boolean> {
  return (await tryToConnect(server.address, server.port, timeoutMs)) === "connected";
}

function tryToConnect(
  address: string,
  port: number,
  timeoutMs: number,
): Promise<"connected" | "refused" | "nothing"> {
  const socket = connect({ host: address, port });
  return new Promise<"connected" | "refused" | "nothing">((resolve) => {
    // Zero would mean for ever.
    socket.setTimeout(Math.max(1, timeoutMs), () => resolve("nothing"));
    socket.on("connect", () => resolve("connected"));
    socket.on("error", (error) =>
      resolve(codeOf(error) === "ECONNREFUSED" ? "refused" : "nothing"),
    );
  }).finally(() => socket.destroy());
}

/** Whether this machine has an address by which IPv6 leads out. */
export const hasIpv6 = (): boolean =>
  Object.values(networkInterfaces())
    .flat()
    .some((own) => own?.family === "IPv6" && isOutside(own.address));
