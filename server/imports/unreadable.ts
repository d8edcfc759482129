/** A text or a file that nothing can be read from. The message says what to do. */
export class Unreadable extends Error {}
