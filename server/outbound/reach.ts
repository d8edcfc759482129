import { connect } from "node:net";

/**
 * Whether a TCP connection to the address comes about within `timeoutMs`. `fetch` has one time-out for
 * everything, so this tells a server that cannot be reached from one that is reached and silent.
 */
export function canConnect(address: string, port: number, timeoutMs: number): Promise<boolean> {
  const socket = connect({ host: address, port });
  return new Promise<boolean>((resolve) => {
    // Zero would mean for ever.
    socket.setTimeout(Math.max(1, timeoutMs), () => resolve(false));
    socket.on("connect", () => resolve(true));
    // A refusal is an answer: whoever sends it can be reached.
    socket.on("error", (error) => resolve("code" in error && error.code === "ECONNREFUSED"));
  }).finally(() => socket.destroy());
}
