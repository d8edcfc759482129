import { useEffect } from "preact/hooks";

/** What the browser's tab says. */
export const useTitle = (title: string) =>
  useEffect(() => {
    document.title = `${title} · Stillup`;
  }, [title]);
