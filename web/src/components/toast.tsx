import { type QueryKey, useMutation, useQueryClient } from "@tanstack/preact-query";
import { type ComponentChildren, createContext } from "preact";
import { useCallback, useContext, useEffect, useState } from "preact/hooks";

const STAYS_MS = 6_000;

const SayContext = createContext<(text: string) => void>(() => {});

/** Shows a toast, which screen readers announce. */
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
  const say = useSay();
  const client = useQueryClient();
  return useMutation({
    mutationFn: change,
    onSuccess: (result: Result, input: Input) => {
      say(typeof said === "string" ? said : said(result, input));
      onDone();
      for (const queryKey of renews) client.invalidateQueries({ queryKey });
    },
  });
}

/** A change without a dialog: the toast shows errors. */
export function useDirectChange<Input, Result>({ change, said, renews }: Change<Input, Result>) {
  const say = useSay();
  const client = useQueryClient();
  return useMutation({
    mutationFn: change,
    onSuccess: (result: Result, input: Input) =>
      say(typeof said === "string" ? said : said(result, input)),
    onError: ({ message }) => say(message),
    onSettled: () => Promise.all(renews.map((queryKey) => client.invalidateQueries({ queryKey }))),
  });
}
