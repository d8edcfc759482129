/** Lets requests that came meanwhile go first: long work is done in steps with this between them. */
export const yieldToEventLoop = () => new Promise<void>((resolve) => setImmediate(resolve));
