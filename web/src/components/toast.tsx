import { type ComponentChildren, createContext } from "preact";
import { useCallback, useContext, useEffect, useState } from "preact/hooks";

const STAYS_MS = 6_000;

const ToastContext = createContext<(text: string) => void>(() => {});

/** Shows a toast, which screen readers announce. */
export const useToast = () => useContext(ToastContext);

export function Toasts({ children }: { children: ComponentChildren }) {
  const [shown, setShown] = useState({ text: "", count: 0 });
  const toast = useCallback(
    (text: string) => setShown(({ count }) => ({ text, count: count + 1 })),
    [],
  );
  useEffect(() => {
    const timer = setTimeout(() => setShown((last) => ({ ...last, text: "" })), STAYS_MS);
    return () => clearTimeout(timer);
  }, [shown.count]);
  return (
    <ToastContext.Provider value={toast}>
      {children}
      <div role="status" class="toast">
        {shown.text && <p>{shown.text}</p>}
      </div>
    </ToastContext.Provider>
  );
}
