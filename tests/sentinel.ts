import { type AddressInfo, createServer, type Server } from "node:net";

/** A server that takes connections, and can go away and come back under the same address. */
export async function startSentinel() {
  let server = await listen(0);
  const { port } = server.address() as AddressInfo;
  return {
    address: `127.0.0.1:${port}`,
    stop: () => new Promise<unknown>((resolve) => server.close(resolve)),
    start: async () => {
      server = await listen(port);
    },
  };
}

const listen = (port: number) =>
  new Promise<Server>((resolve, reject) => {
    const server = createServer((socket) => socket.end());
    server.on("error", reject);
    server.listen(port, "127.0.0.1", () => resolve(server));
  });
