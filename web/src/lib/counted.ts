/** "1 link", "12,345 links". */
export const counted = (count: number, one: string) =>
  `${count.toLocaleString("en")} ${count === 1 ? one : `${one}s`}`;
