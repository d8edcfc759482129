/** @param field holds the text; it is selected where the browser has no clipboard (plain http on a LAN) */
export async function copyFrom(field: HTMLTextAreaElement): Promise<boolean> {
  if (navigator.clipboard) {
    const copied = await navigator.clipboard.writeText(field.value).then(
      () => true,
      () => false,
    );
    if (copied) return true;
  }
  field.select();
  return document.execCommand("copy");
}
