/**
 * Ctrl-C ends long work after the part that is under way. A second one ends it at once.
 * @returns whether it was asked for, and what gives Ctrl-C its usual meaning back
 */
export function watchForInterrupt(): { isAsked: () => boolean; end: () => void } {
  let isAsked = false;
  const ask = () => {
    if (isAsked) process.exit(INTERRUPTED);
    isAsked = true;
  };
  process.on("SIGINT", ask);
  process.on("SIGTERM", ask);
  return {
    isAsked: () => isAsked,
    end: () => {
      process.off("SIGINT", ask);
      process.off("SIGTERM", ask);
    },
  };
}

/** As shells have it after Ctrl-C: 128 and the number of its signal. The same when it was stopped by another. */
export const INTERRUPTED = 130;
