import { CheckField } from "../ui/field.tsx";
import { Sheet } from "../ui/overlay.tsx";
import { areKeysOn, switchKeys } from "./keys.ts";
import { PLACES } from "./places.ts";

/** What the keys do, by keys with a space between them. */
type Lines = Record<string, string>;

const ANYWHERE: Lines = {
  "Ctrl+K": "Search and commands",
  "/": "Search",
  a: "Add links",
  z: "Undo",
  "?": "Show this help",
  ...Object.fromEntries(
    Object.values(PLACES).map(({ key, name }) => [`g ${key}`, `Go to ${name}`]),
  ),
};

const IN_A_LIST: Lines = {
  "j k": "Next, previous",
  Enter: "Open",
  Space: "Peek: the drawer follows the current row",
  x: "Select",
  "Shift+x": "Select a range",
  r: "Check now",
  e: "Acknowledge and go on, or take it back",
  s: "Mute",
  o: "Override",
  i: "Assign",
  t: "Tags",
  u: "Replace URL",
  p: "Put the suggestion of the drawer in its place",
  v: "Move to group",
  "#": "Delete",
  f: "Filter",
  Esc: "Close, then clear the selection, then the filter",
};

const ON_A_CAUSE: Lines = {
  r: "Check its links now",
  e: "Acknowledge its links",
  s: "Mute its links for a week",
};

const ON_A_LINK: Lines = {
  "j k": "Next, previous link of the list",
  r: "Check now",
  e: "Acknowledge, or take it back",
  s: "Mute",
  o: "Override",
  i: "Assign",
  t: "Tags",
  u: "Replace URL",
  p: "Put the suggestion in its place",
  v: "Move to group",
  "#": "Delete",
};

/** All keys, and the switch that turns them off. */
const Help = ({ onClose }: { onClose: () => void }) => (
  <Sheet title="Keyboard shortcuts" onClose={onClose}>
    <div data-first tabIndex={-1}>
      <KeyList title="Anywhere" lines={ANYWHERE} />
    </div>
    <KeyList title="In a list" lines={IN_A_LIST} />
    <KeyList title="On a cause of the overview" lines={ON_A_CAUSE} />
    <KeyList title="On a link" lines={ON_A_LINK} />
    <CheckField
      label="Use single keys"
      hint="Turn them off if you speak your input."
      defaultChecked={areKeysOn()}
      onChange={({ currentTarget }) => switchKeys(currentTarget.checked)}
    />
    <p class="hint">
      Everything in this dashboard is available in the <a href="/docs">API</a>.
    </p>
  </Sheet>
);

const KeyList = ({ title, lines }: { title: string; lines: Lines }) => (
  <section class="keys">
    <h3>{title}</h3>
    <dl>
      {Object.entries(lines).map(([keys, does]) => (
        <div key={does}>
          <dt>{does}</dt>
          <dd>
            {keys.split(" ").map((key) => (
              <kbd key={key}>{key.replace("+", " ")}</kbd>
            ))}
          </dd>
        </div>
      ))}
    </dl>
  </section>
);

export default Help;
