const number = new Intl.NumberFormat("en");

/** "1,204" */
export const many = (count: number) => number.format(count);

/** "1 link", "1,204 links" */
export const counted = (count: number, what: string) =>
  `${many(count)} ${count === 1 ? what : `${what}s`}`;

const UNITS: [name: string, seconds: number][] = [
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
];

/** "3 minutes", in the largest unit that it fills. */
export function lengthOf(seconds: number): string {
  const unit = UNITS.find(([, length]) => seconds >= length);
  return unit ? counted(Math.floor(seconds / unit[1]), unit[0]) : counted(seconds, "second");
}
