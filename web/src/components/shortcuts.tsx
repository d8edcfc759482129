import { areKeysOn, PLACES_BY_KEY, switchKeys } from "../lib/shortcuts.ts";
import { Dialog } from "./dialog.tsx";

const KEYS = [
  { keys: ["/"], does: "Search in links" },
  { keys: ["n"], does: "Add links" },
  { keys: ["x"], does: "Select the link that has the focus" },
  { keys: ["Esc"], does: "Close, or clear the selection" },
  { keys: ["?"], does: "Show this help" },
];

/** What the keyboard can do, and where to read more. */
export const Shortcuts = ({ onClose }: { onClose: () => void }) => (
  <Dialog title="Keyboard and help" onClose={onClose}>
    <dl class="shortcuts">
      {KEYS.map(({ keys, does }) => (
        <Shortcut key={does} keys={keys} does={does} />
      ))}
      {Object.entries(PLACES_BY_KEY).map(([key, { name }]) => (
        <Shortcut key={key} keys={["g", key]} does={`Go to ${name}`} />
      ))}
    </dl>
    <label class="choice">
      <input
        type="checkbox"
        defaultChecked={areKeysOn()}
        onChange={(event) => switchKeys(event.currentTarget.checked)}
      />
      Use these keys
    </label>
    <p class="hint">
      Everything here can be done by programs too: see the <a href="/docs">API reference</a>.
    </p>
    <footer>
      <button type="button" onClick={onClose}>
        Close
      </button>
    </footer>
  </Dialog>
);

const Shortcut = ({ keys, does }: { keys: string[]; does: string }) => (
  <div>
    <dt>
      {keys.map((key, i) => (
        <span key={key}>
          {i > 0 && " then "}
          <kbd>{key}</kbd>
        </span>
      ))}
    </dt>
    <dd>{does}</dd>
  </div>
);
