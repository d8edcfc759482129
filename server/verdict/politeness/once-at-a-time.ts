/** What is to be done of which there may be others of the same key. Nobody's urgent work waits for any other. */
type Work<T> = { key: string; isUrgent?: boolean | undefined; work: () => Promise<T> };

/** Does the work of a key once for all who want it at the same time: no signal of one of them may end it. */
type OnceAtATime<T> = (wanted: Work<T>) => Promise<T>;

export function createOnceAtATime<T>(): OnceAtATime<T> {
  const running = new Map<string, Promise<T>>();
  return ({ key, isUrgent = false, work }) => {
    const name = `${isUrgent} ${key}`;
    const underWay = running.get(name);
    if (underWay) return underWay;
    const begun = work().finally(() => running.delete(name));
    running.set(name, begun);
    return begun;
  };
}
