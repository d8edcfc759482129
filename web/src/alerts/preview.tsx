import { useState } from "preact/hooks";
import type { Alert } from "../data/alerts.ts";
import type { Closable } from "../frame/ask.tsx";
import { Button, Seg } from "../ui/button.tsx";
import { Dialog } from "../ui/overlay.tsx";

const THEMES = [
  { value: "light", label: "Light" },
  { value: "dark", label: "Dark" },
] as const;
type Theme = (typeof THEMES)[number]["value"];

/** What a mail of the alert looks like, in both themes. */
export function MailPreview({ alert, onClose }: Closable & { alert: Alert }) {
  const isDark = matchMedia("(prefers-color-scheme: dark)").matches;
  const [theme, setTheme] = useState<Theme>(isDark ? "dark" : "light");
  return (
    <Dialog
      title="Preview"
      onClose={onClose}
      foot={
        <>
          <Seg label="Theme" value={theme} onChange={setTheme} options={THEMES} />
          <span class="gap" />
          <Button onClick={onClose}>Close</Button>
        </>
      }
    >
      <iframe
        class="mail-preview"
        title={`The message, ${theme}`}
        src={`/dashboard/api/mail/preview/${alert.id}?theme=${theme}`}
        sandbox=""
      />
    </Dialog>
  );
}
