import { type QueryKey, useMutation, useQueryClient } from "@tanstack/preact-query";
import { type ComponentChildren, createContext } from "preact";
import { useCallback, useContext, useEffect, useRef, useState } from "preact/hooks";
import { RequestFailed } from "../data/api.ts";
import { hold } from "../data/held.ts";
import { useOff } from "../data/live.ts";
import { useKeys } from "./keys.ts";

const STAYS_MS = 10_000;

type Undo = () => unknown;
type Show = (text: string, undo?: Undo, onGone?: () => void) => void;
type Shown = { text: string; undo: Undo | undefined; count: number };

const ToastContext = createContext<Show>(() => {});

/**
 * Says what was done for 10 s, with Undo (`z`) if there is a way back. A new one replaces the last. `onGone` is called
 * when it goes.
 */
export const useToast = () => useContext(ToastContext);

/** Returns why nothing can be changed now, and a wrapper for actions that then only say so. */
export function useOffline() {
  const off = useOff();
  const toast = useToast();
  const unlessOff = (run: () => unknown) => () => (off ? toast(off) : void run());
  return { off, unlessOff };
}

/** Deletes what Undo can bring back: the request is sent when the toast goes, or when the page is left. */
export function useHold() {
  const toast = useToast();
  return useCallback(
    (ids: string[], text: string, send: () => Promise<unknown>) => {
      const { carryOut, takeBack } = hold(ids, send);
      toast(text, takeBack, () => carryOut()?.catch(({ message }: Error) => toast(message)));
    },
    [toast],
  );
}

type Saving<Input, Result> = {
  change: (input: Input) => Promise<Result>;
  /** What the toast says. */
  said: string | ((result: Result, input: Input) => string);
  /** Takes the change back. */
  undo?: ((input: Input) => Promise<unknown>) | undefined;
  /** Queries to refetch. */
  renews: QueryKey[];
};

/** A change that is saved at once, with Undo if there is a way back. The toast says what no field can say. */
export function useSave<Input = void, Result = unknown>(saving: Saving<Input, Result>) {
  const { change, said, undo, renews } = saving;
  const toast = useToast();
  const client = useQueryClient();
  const renew = () => renews.map((queryKey) => client.invalidateQueries({ queryKey }));
  return useMutation({
    mutationFn: change,
    onSuccess: (result: Result, input: Input) => {
      const text = typeof said === "string" ? said : said(result, input);
      toast(text, undo && (() => undo(input).finally(renew)));
    },
    onError: (error) => {
      if (!(error instanceof RequestFailed && error.isOfFields)) toast(error.message);
    },
    onSettled: () => void renew(),
  });
}

export function Toasts({ children }: { children: ComponentChildren }) {
  const [shown, setShown] = useState<Shown>({ text: "", undo: undefined, count: 0 });
  const [isHeld, setHeld] = useState(false);
  const whenGone = useRef<(() => void) | undefined>(undefined);
  const endLast = useCallback((next?: () => void) => {
    const last = whenGone.current;
    whenGone.current = next;
    last?.();
  }, []);
  const show = useCallback<Show>(
    (text, undo, onGone) => {
      setShown(({ count }) => ({ text, undo, count: count + 1 }));
      endLast(onGone);
    },
    [endLast],
  );
  const hide = useCallback(() => {
    setShown((last) => ({ ...last, text: "", undo: undefined }));
    endLast();
  }, [endLast]);
  useEffect(() => {
    if (isHeld || !shown.text) return;
    const timer = setTimeout(hide, STAYS_MS);
    return () => clearTimeout(timer);
  }, [shown.count, shown.text, isHeld, hide]);
  const undo = useUndo(shown.undo, hide, show);
  return (
    <ToastContext.Provider value={show}>
      {children}
      <div
        role="status"
        class="toast"
        hidden={!shown.text}
        onMouseEnter={() => setHeld(true)}
        onMouseLeave={() => setHeld(false)}
        onFocusIn={() => setHeld(true)}
        onFocusOut={() => setHeld(false)}
      >
        <span>{shown.text}</span>
        {shown.undo && (
          <button type="button" onClick={undo}>
            Undo <kbd aria-hidden="true">z</kbd>
          </button>
        )}
      </div>
    </ToastContext.Provider>
  );
}

/** Takes the last action back, once. */
function useUndo(undo: Undo | undefined, hide: () => void, show: Show) {
  const latest = useRef(undo);
  latest.current = undo;
  const run = useCallback(() => {
    const way = latest.current;
    if (!way) return;
    latest.current = undefined;
    const undoing = Promise.resolve(way());
    hide();
    undoing.catch(({ message }: Error) => show(`This could not be undone. ${message}`));
  }, [hide, show]);
  useKeys({ z: run }, undo !== undefined);
  return run;
}
