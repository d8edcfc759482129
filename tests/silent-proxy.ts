import type { Socket, TCPSocketListener } from "bun";

/** Between a program and a server, until its connections fall silent without an end. */
export type SilentProxy = {
  port: number;
  /** Nothing goes either way any more on the connections that there are; new ones work. */
  fallSilent(): void;
  stop(): void;
};

type Side = { other: Socket<Side> | null; early: Buffer[]; isSilent: boolean };

export function startSilentProxy(port: number): SilentProxy {
  const sides = new Set<Side>();
  const newSide = (other: Socket<Side> | null): Side => {
    const side = { other, early: [], isSilent: false };
    sides.add(side);
    return side;
  };
  const pass = ({ data }: Socket<Side>, bytes: Buffer) => {
    if (data.isSilent) return;
    if (data.other) data.other.write(bytes);
    else data.early.push(Buffer.from(bytes));
  };
  const close = ({ data }: Socket<Side>) => {
    if (!data.isSilent) data.other?.end();
  };
  const listener: TCPSocketListener<Side> = Bun.listen<Side>({
    hostname: "127.0.0.1",
    port: 0,
    socket: {
      async open(socket) {
        socket.data = newSide(null);
        const data = newSide(socket);
        const server = { hostname: "127.0.0.1", port, data, socket: { data: pass, close } };
        socket.data.other = await Bun.connect<Side>(server);
        for (const bytes of socket.data.early) socket.data.other.write(bytes);
      },
      data: pass,
      close,
    },
  });
  return {
    port: listener.port,
    fallSilent: () => {
      for (const side of sides) side.isSilent = true;
    },
    stop: () => listener.stop(true),
  };
}
