import { useMutation } from "@tanstack/preact-query";
import type { ComponentChildren } from "preact";
import { useLocation } from "preact-iso";
import { RequestFailed } from "../data/api.ts";
import { hrefOf } from "../data/changes.ts";
import { counted } from "../data/format.ts";
import { startPreview, type Wanted } from "../data/repair.ts";
import { useCanWrite } from "../data/session.ts";
import { useOffline, useToast } from "../frame/toast.tsx";
import { Button } from "../ui/button.tsx";

type GroupProps = {
  title: ComponentChildren;
  hint: ComponentChildren;
  /** Unknown before a preview; without links, there is no line unless it may get some. */
  count?: number;
  stays?: boolean;
  /** The filter by which the list shows them. */
  links?: Record<string, string>;
  wanted?: Wanted;
  children?: ComponentChildren;
};

/** Links that can be replaced together. */
export function Group({ title, hint, count, stays, links, wanted, children }: GroupProps) {
  if (count === 0 && !stays) return null;
  return (
    <li>
      <div class="repair-what">
        <p>
          <b>{title}</b>
        </p>
        <p class="hint">{hint}</p>
      </div>
      {links && !!count && <a href={hrefOf("/links", links)}>{counted(count, "link")}</a>}
      {wanted && count !== 0 && <PreviewButton wanted={wanted} />}
      {children}
    </li>
  );
}

/** Starts a preview and opens it. */
export function usePreview(onError?: (error: Error) => void) {
  const { route } = useLocation();
  return useMutation({
    mutationFn: startPreview,
    onSuccess: ({ id }) => route(hrefOf("/repair", { preview: id })),
    ...(onError && { onError }),
  });
}

function PreviewButton({ wanted }: { wanted: Wanted }) {
  const toast = useToast();
  // What is wrong with a field that is not on the page.
  const preview = usePreview((error) => {
    const fields = error instanceof RequestFailed ? Object.values(error.fields).flat() : [];
    toast(fields[0] ?? error.message);
  });
  const { off } = useOffline();
  if (!useCanWrite()) return null;
  return (
    <Button off={off} busy={preview.isPending} onClick={() => preview.mutate(wanted)}>
      Preview
    </Button>
  );
}
