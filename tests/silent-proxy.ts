import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** Between a program and a server, until connections fall silent without an end. */
export type SilentProxy = {
  port: number;
  /** Nothing passes either way on open connections that fit; new ones work. */
  fallSilent(fits?: (connection: ProxiedConnection) => boolean): void;
  /** The same on all connections, also those that are opened from now on. */
  cutOff(): void;
  /** Closes all connections, and those that are opened from now on as soon as they are accepted. */
  turnAway(): void;
  /** Everything passes again, first what was held back. */
  flow(): void;
  stop(): void;
};

export type ProxiedConnection = {
  /** What the program has sent, as far as it is short. */
  sent: string;
  /** In the order in which they were opened, from 0. */
  index: number;
};

type Pair = ProxiedConnection & { client: Socket; server: Socket; isSilent: boolean };

const KEPT_CHARACTERS = 4096;

/** @param port of the server on this machine */
export async function startSilentProxy(port: number): Promise<SilentProxy> {
  const pairs = new Set<Pair>();
  let isCutOff = false;
  let turnsAway = false;
  let opened = 0;

  const listener = createServer((client) => {
    if (turnsAway) {
      client.on("error", () => {});
      client.destroy();
      return;
    }
    const server = connect(port, "127.0.0.1");
    const pair = { client, server, sent: "", index: opened++, isSilent: false };
    pairs.add(pair);
    client.on("data", (bytes) => {
      if (pair.sent.length < KEPT_CHARACTERS) pair.sent += bytes.toString("latin1");
    });
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const) {
      from.on("error", () => {});
      from.on("close", () => {
        if (from === client) pairs.delete(pair);
        if (!pair.isSilent) to.destroy();
      });
    }
    if (isCutOff) silence(pair);
    else pass(pair);
  });
  await new Promise<void>((resolve) => {
    listener.listen(0, "127.0.0.1", resolve);
  });

  function pass(pair: Pair) {
    pair.isSilent = false;
    pair.client.pipe(pair.server);
    pair.server.pipe(pair.client);
  }

  function silence(pair: Pair) {
    pair.isSilent = true;
    for (const socket of [pair.client, pair.server]) socket.unpipe().pause();
  }

  function closeAll() {
    for (const { client, server } of pairs) {
      client.destroy();
      server.destroy();
    }
  }

  return {
    port: (listener.address() as AddressInfo).port,
    fallSilent(fits = () => true) {
      for (const pair of pairs) if (fits(pair)) silence(pair);
    },
    cutOff() {
      isCutOff = true;
      for (const pair of pairs) silence(pair);
    },
    turnAway() {
      turnsAway = true;
      closeAll();
    },
    flow() {
      isCutOff = false;
      turnsAway = false;
      for (const pair of pairs) if (pair.isSilent) pass(pair);
    },
    stop() {
      listener.close();
      closeAll();
    },
  };
}
