/**
 * Trouble that comes again and again is told once when it begins, and once when it is over.
 * @returns what is to hear how each attempt went: null where it went well
 */
export function noteSpells(
  begins: (error: unknown) => void,
  ends = () => {},
): (error: unknown) => void {
  let isOn = false;
  return (error) => {
    const wasOn = isOn;
    isOn = error !== null;
    if (isOn && !wasOn) begins(error);
    if (!isOn && wasOn) ends();
  };
}
