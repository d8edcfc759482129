import { type ComponentChildren, createContext } from "preact";
import { useCallback, useContext, useEffect, useState } from "preact/hooks";

const STAYS_MS = 6_000;

const SayContext = createContext<(text: string) => void>(() => {});

/** Tells the result of something done, to the eye and to a screen reader. */
export const useSay = () => useContext(SayContext);

export function Saying({ children }: { children: ComponentChildren }) {
  const [said, setSaid] = useState({ text: "", count: 0 });
  const say = useCallback(
    (text: string) => setSaid(({ count }) => ({ text, count: count + 1 })),
    [],
  );
  useEffect(() => {
    const timer = setTimeout(() => setSaid((last) => ({ ...last, text: "" })), STAYS_MS);
    return () => clearTimeout(timer);
  }, [said.count]);
  return (
    <SayContext.Provider value={say}>
      {children}
      <div role="status" class="said">
        {said.text && <p>{said.text}</p>}
      </div>
    </SayContext.Provider>
  );
}
