import { FileDown } from "lucide-preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";

type DropAnywhereProps = { onFiles: (files: File[]) => void };

/** Takes files that are dropped anywhere on the page, where the browser would else show them instead of us. */
export function DropAnywhere({ onFiles }: DropAnywhereProps) {
  const [isOver, setOver] = useState(false);
  const take = useRef(onFiles);
  take.current = onFiles;
  useLayoutEffect(() => {
    const over = (event: DragEvent) => {
      if (!event.dataTransfer?.types.includes("Files")) return;
      event.preventDefault();
      setOver(true);
    };
    const leave = (event: DragEvent) => {
      if (event.relatedTarget === null) setOver(false);
    };
    const drop = (event: DragEvent) => {
      setOver(false);
      const files = [...(event.dataTransfer?.files ?? [])];
      if (files.length === 0) return;
      event.preventDefault();
      take.current(files);
    };
    addEventListener("dragover", over);
    addEventListener("dragleave", leave);
    addEventListener("drop", drop);
    return () => {
      removeEventListener("dragover", over);
      removeEventListener("dragleave", leave);
      removeEventListener("drop", drop);
    };
  }, []);
  if (!isOver) return null;
  return (
    <div class="drop-here">
      <p>
        <FileDown aria-hidden="true" />
        Drop the file to read its links
      </p>
    </div>
  );
}
