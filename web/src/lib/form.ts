/** The named texts of a submitted form. Older browsers end the lines of a textarea with CR LF. */
export function textsOf<const Name extends string>(
  event: SubmitEvent,
  names: Name[],
): Record<Name, string> {
  const form = new FormData(event.currentTarget as HTMLFormElement);
  const entries = names.map((name) => [
    name,
    String(form.get(name) ?? "").replaceAll("\r\n", "\n"),
  ]);
  return Object.fromEntries(entries) as Record<Name, string>;
}
