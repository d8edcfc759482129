/** What others wrote must not move the terminal's cursor. */
export const plain = (line: string) => line.replace(/\p{Cc}/gu, " ");
