import { EventEmitter } from "node:events";
import { connect } from "node:net";

/** Loaded into the program before its own files: throws what the environment says on a signal. */
const thrown = new Error("uncaught on purpose");
const reject = () => void Promise.reject(thrown);
const ways: Record<string, () => void> = {
  signal: () => {
    throw thrown;
  },
  timer: () =>
    setTimeout(() => {
      throw thrown;
    }),
  emitter: () => new EventEmitter().emit("error", thrown),
  socket: () => connect(1, "127.0.0.1"),
  rejection: reject,
  rejections: () => Array.from({ length: 30 }, reject),
};

const way = ways[process.env.TEST_THROWS ?? ""];
if (way) process.on("SIGUSR2", way);
