/** The places that an entry of a record stands for: `a.{com,net}/b` is `a.com/b` and `a.net/b`. */
export function placesOf(entry: string): string[] {
  const begin = entry.indexOf("{");
  if (begin < 0) return [entry];
  const end = entry.indexOf("}", begin);
  const [before, after] = [entry.slice(0, begin), entry.slice(end + 1)];
  return entry
    .slice(begin + 1, end)
    .split(",")
    .flatMap((choice) => placesOf(before + choice + after));
}
