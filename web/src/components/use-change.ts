import { type QueryKey, useMutation, useQueryClient } from "@tanstack/preact-query";
import { useToast } from "./toast.tsx";

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
