/** How far something is, on the terminal's last line; nothing when nobody watches. */
export function startPercentage(what: string) {
  const { stderr } = process;
  const clear = () => void (stderr.isTTY && stderr.write("\r\x1b[K"));
  const tell = (part: number) => {
    clear();
    if (stderr.isTTY) stderr.write(part < 1 ? `${what}: ${Math.floor(part * 100)} %` : "verifying");
  };
  return { tell, clear };
}
