import { diffWords } from "diff";
import { many } from "../data/format.ts";
import { reasonWords } from "../data/words.ts";
import { Moment } from "../ui/moment.tsx";
import { Sheet } from "../ui/overlay.tsx";
import type { Raw } from "./queries.ts";

type Response = NonNullable<Raw["alive"]>;

const ROWS: { name: string; of: (response: Response) => string | null }[] = [
  { name: "Result", of: resultOf },
  { name: "Final URL", of: ({ final_url: url }) => url },
  { name: "Words", of: ({ words }) => (words === null ? null : many(words)) },
];

/** "200", or "200, says “not found”". */
function resultOf({ reason, status_code: code }: Response): string {
  const words = reasonWords(reason, code);
  return words.includes(String(code)) ? words : `${code}, ${words}`;
}

const TEXTS: { name: string; of: (response: Response) => string }[] = [
  { name: "Title", of: ({ title }) => title ?? "" },
  { name: "Headings", of: ({ headings }) => headings.join("\n") },
  { name: "Text", of: ({ visible_text: text }) => text ?? "" },
];

/** Only what differs between the two: in a table, and word by word in texts. */
export default function Comparison({
  alive,
  dead,
  onClose,
}: {
  alive: Response;
  dead: Response;
  onClose: () => void;
}) {
  const differs = ({ of }: { of: (response: Response) => string | null }) => of(alive) !== of(dead);
  const texts = TEXTS.filter(differs);
  const same = [...ROWS, ...TEXTS].filter((each) => !differs(each) && each.of(alive));
  return (
    <Sheet title="Compare with last alive check" onClose={onClose}>
      <div class="raw">
        <table class="comparison">
          <thead>
            <tr>
              <td />
              <th scope="col">
                Alive <Moment at={alive.checked_at} day />
              </th>
              <th scope="col">
                Dead <Moment at={dead.checked_at} day />
              </th>
            </tr>
          </thead>
          <tbody>
            {ROWS.filter(differs).map(({ name, of }) => (
              <tr key={name}>
                <th scope="row">{name}</th>
                <td>{of(alive) ?? "–"}</td>
                <td>{of(dead) ?? "–"}</td>
              </tr>
            ))}
          </tbody>
        </table>
        {texts.length > 0 && (
          <p class="hint">
            <del>Words that vanished</del> and <ins>words that came</ins>
          </p>
        )}
        {texts.map(({ name, of }) => (
          <section key={name}>
            <h3>{name}</h3>
            <p class="words">
              <Words before={of(alive)} after={of(dead)} />
            </p>
          </section>
        ))}
        {same.length > 0 && (
          <p class="hint">
            The same in both: {same.map(({ name }) => lowerFirst(name)).join(", ")}.
          </p>
        )}
        {[alive, dead].some(({ visible_text: text }) => isCut(text)) && (
          <p class="hint">Only the beginning of the text is stored.</p>
        )}
      </div>
    </Sheet>
  );
}

const lowerFirst = (text: string) => text[0]!.toLowerCase() + text.slice(1);

/** Whether the page has more of it, or just as much: no more is stored. */
const isCut = (text: string | null) => text !== null && text.length >= 4096;
/** Texts that have nothing in common take long to compare, and show nothing. */
const LONGEST_MS = 300;

function Words({ before, after }: { before: string; after: string }) {
  const changes = changesOf(before, after);
  return (
    <>
      {changes.map(({ value, added, removed }, index) => {
        if (removed) return <del key={index}>{value}</del>;
        if (added) return <ins key={index}>{value}</ins>;
        return <span key={index}>{shortened(value, index > 0, index < changes.length - 1)}</span>;
      })}
    </>
  );
}

function changesOf(before: string, after: string) {
  const changes = diffWords(before, after, { timeout: LONGEST_MS }) ?? [
    { value: before, removed: true, added: false },
    { value: after, removed: false, added: true },
  ];
  const lastSame = changes.findLastIndex(({ added, removed }) => !added && !removed);
  if (lastSame === -1) return changes;
  // What a cut text lacks at its end may still be on the page.
  return changes.filter(
    ({ added, removed }, index) =>
      index <= lastSame || !((added && isCut(before)) || (removed && isCut(after))),
  );
}

/** Words around a change that show where it is. */
const AROUND = 12;

/** Leaves out the middle of what both have. @param isAfter whether a change comes before it */
function shortened(text: string, isAfter: boolean, isBefore: boolean): string {
  const words = text.split(/(?<=\s)(?=\S)/);
  const [first, last] = [isAfter ? AROUND : 0, isBefore ? AROUND : 0];
  if (words.length <= first + last + 1) return text;
  return `${words.slice(0, first).join("")}… ${words.slice(words.length - last).join("")}`.trimEnd();
}
