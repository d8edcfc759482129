import { useEffect, useState } from "preact/hooks";
import { lengthText } from "../lib/length.ts";

const TICK_MS = 1000;
/** So long a check takes as a rule, with the looks that confirm it. */
const USUAL_S = 30;

/**
 * A check that is under way, with the seconds passing. Its place is kept while there is none, so that nothing
 * below moves.
 */
export const CheckProgress = ({ isRunning }: { isRunning: boolean }) => (
  <div class="check-progress">{isRunning && <Running />}</div>
);

function Running() {
  const [seconds, setSeconds] = useState(0);
  useEffect(() => {
    const began = performance.now();
    const look = () => setSeconds(Math.floor((performance.now() - began) / 1000));
    const timer = setInterval(look, TICK_MS);
    return () => clearInterval(timer);
  }, []);
  return (
    <>
      <progress aria-label="Check under way" />
      <p>
        <span role="status">Checking</span>
        <span>
          : asked {seconds === 0 ? "just now" : `${lengthText(seconds * 1000)} ago`};{" "}
          {seconds < USUAL_S
            ? "up to three looks"
            : "it takes longer while others are before it or its site wants patience"}
        </span>
      </p>
    </>
  );
}
