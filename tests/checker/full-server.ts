import { connect, type Socket } from "node:net";

/** Listens with the shortest queue there is, and says where. In Node, since Bun's queue is always long. */
const LISTEN = `
  const server = require("node:net").createServer();
  server.listen({ port: 0, host: "127.0.0.1", backlog: 1 }, () => console.log(server.address().port));
`;
/** Linux keeps one more than it was asked for. */
const CONNECTIONS = 2;

/** A server that stands still with a full queue: no one is refused, and no one gets through any more. */
export async function startFullServer() {
  const child = Bun.spawn(["node", "-e", LISTEN], { stdout: "pipe", stderr: "ignore" });
  const { value } = await child.stdout.getReader().read();
  const port = Number(new TextDecoder().decode(value));
  child.kill("SIGSTOP");
  const sockets = Array.from({ length: CONNECTIONS }, () => waiting(port));
  await Promise.all(sockets.map(({ connected }) => connected));
  const stop = async () => {
    for (const { socket } of sockets) socket.destroy();
    child.kill("SIGKILL");
    await child.exited;
  };
  return { port, stop };
}

function waiting(port: number): { socket: Socket; connected: Promise<void> } {
  const socket = connect({ host: "127.0.0.1", port });
  socket.on("error", () => {});
  return { socket, connected: new Promise((resolve) => socket.once("connect", resolve)) };
}
