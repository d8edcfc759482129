const number = new Intl.NumberFormat("en");

/** "1,204" */
export const many = (count: number) => number.format(count);

/** "1 link", "12,345 links". */
export const counted = (count: number, one: string, more = `${one}s`) =>
  `${many(count)} ${count === 1 ? one : more}`;
