import { useEffect, useState } from "preact/hooks";

/** A picture for the camera of a phone. Its place is kept while the drawing of it is loaded. */
export function QrCode({ text, label }: { text: string; label: string }) {
  const [drawn, setDrawn] = useState<{ size: number; path: string } | null>(null);
  useEffect(() => {
    let isWanted = true;
    import("uqr").then(({ encode }) => {
      const { size, data } = encode(text, { ecc: "M", border: 3 });
      if (isWanted) setDrawn({ size, path: pathOf(data) });
    });
    return () => {
      isWanted = false;
    };
  }, [text]);
  return (
    <div class="qr">
      {drawn && (
        <svg viewBox={`0 0 ${drawn.size} ${drawn.size}`} role="img" aria-label={label}>
          <path d={drawn.path} />
        </svg>
      )}
    </div>
  );
}

/** A square for each dark module. */
const pathOf = (rows: boolean[][]) =>
  rows.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : ""))).join("");
