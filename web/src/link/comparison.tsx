import { many } from "../data/format.ts";
import { reasonWords } from "../data/words.ts";
import { Moment } from "../ui/moment.tsx";
import { Sheet } from "../ui/overlay.tsx";
import { differenceOf, isCut } from "./difference.ts";
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
            <del>Removed words</del> and <ins>added words</ins>
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

const TAGS = { both: "span", removed: "del", added: "ins" } as const;

const Words = ({ before, after }: { before: string; after: string }) => (
  <>
    {differenceOf(before, after).map(({ kind, text }, index) => {
      const Tag = TAGS[kind];
      return <Tag key={index}>{text}</Tag>;
    })}
  </>
);
