/** Whether stories run at full size, as `npm run test:long` asks for. */
export const IS_LONG = process.env.STILLUP_TEST_LONG === "1";

/** @returns a size for `npm test`, or for `npm run test:long` */
export const sized = (usual: number, full: number): number => (IS_LONG ? full : usual);
