const UNITS = ["bytes", "kB", "MB", "GB", "TB"];

/** "1.2 GB"; decimal units, as disks are sold. */
export function sizeText(bytes: number): string {
  const power = Math.min(Math.floor(Math.log10(Math.max(bytes, 1)) / 3), UNITS.length - 1);
  const scaled = bytes / 1000 ** power;
  return `${scaled.toLocaleString("en", { maximumFractionDigits: 1 })} ${UNITS[power]}`;
}
