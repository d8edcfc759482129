/** Between steps of long work: lets the page answer its user, and tells how far the work has come. */
export type Pace = {
  /**
   * @param done the part of the work that is done, from 0 to 1
   * @throws the signal's reason once the work is to stop
   */
  rest(done: number): Promise<void>;
};

/** Characters read between two rests: a few milliseconds of work. */
export const STRIDE = 256 * 1024;

export const createPace = (signal: AbortSignal, onDone: (done: number) => void): Pace => ({
  async rest(done) {
    onDone(done);
    await new Promise((resolve) => setTimeout(resolve));
    signal.throwIfAborted();
  },
});
