const ofDay = { hour: "2-digit", minute: "2-digit" } as const;
const ofYear = { day: "numeric", month: "short", ...ofDay } as const;

const today = new Intl.DateTimeFormat("en-GB", ofDay);
const thisYear = new Intl.DateTimeFormat("en-GB", ofYear);
const before = new Intl.DateTimeFormat("en-GB", { year: "numeric", ...ofYear });

/** "today, 14:05", "29 Dec, 14:05" or "29 Dec 2029, 14:05", in the reader's own time: what now leaves open. */
export function shortTime(iso: string, now: number): string {
  const moment = new Date(iso);
  const present = new Date(now);
  if (moment.toDateString() === present.toDateString()) return `today, ${today.format(moment)}`;
  const isThisYear = moment.getFullYear() === present.getFullYear();
  return (isThisYear ? thisYear : before).format(moment);
}
