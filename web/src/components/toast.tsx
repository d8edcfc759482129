import { type QueryKey, useMutation, useQueryClient } from "@tanstack/preact-query";
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

type Change<Input, Result> = {
  change: (input: Input) => Promise<Result>;
  /** Text of the toast. */
  said: string | ((result: Result, input: Input) => string);
  /** Queries to refetch. */
  renews: QueryKey[];
};

/** A change from a dialog: the dialog shows errors, `onDone` closes it. */
export function useDialogChange<Input = void, Result = unknown>({
  change,
  said,
  renews,
  onDone,
}: Change<Input, Result> & { onDone: () => void }) {
  const toast = useToast();
  const client = useQueryClient();
  return useMutation({
    mutationFn: change,
    onSuccess: (result: Result, input: Input) => {
      toast(typeof said === "string" ? said : said(result, input));
      onDone();
      for (const queryKey of renews) client.invalidateQueries({ queryKey });
    },
  });
}

/** A change without a dialog: the toast shows errors. */
export function useDirectChange<Input, Result>({ change, said, renews }: Change<Input, Result>) {
  const toast = useToast();
  const client = useQueryClient();
  return useMutation({
    mutationFn: change,
    onSuccess: (result: Result, input: Input) =>
      toast(typeof said === "string" ? said : said(result, input)),
    onError: ({ message }) => toast(message),
    onSettled: () => Promise.all(renews.map((queryKey) => client.invalidateQueries({ queryKey }))),
  });
}
