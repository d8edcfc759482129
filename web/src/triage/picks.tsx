import { BellOff, CircleCheck, type LucideIcon, Tags, UserRound } from "lucide-preact";
import { useState } from "preact/hooks";
import type { ListedLink } from "../data/link-rows.ts";
import { useUser } from "../data/session.ts";
import {
  acknowledgement,
  isAcknowledged,
  reopen,
  type TriageChange,
  useFoundTags,
  usePeople,
} from "../data/triage.ts";
import { Button } from "../ui/button.tsx";
import { Pick } from "../ui/menu.tsx";
import { assignTo, inDays, MUTES, muteUntil, tagWith } from "./decisions.ts";
import { MuteUntil } from "./mute-all.tsx";

type TriageProps = {
  /** The links; null for all that match. */
  links: ListedLink[] | null;
  off: string | undefined;
  onChange: (change: TriageChange) => void;
  /** Then there is nothing to acknowledge. */
  isAlive?: boolean;
};

/** What can be decided about links: they are acknowledged, muted, assigned or tagged. */
export const TriagePicks = (props: TriageProps) => (
  <>
    <HandlePicks {...props} />
    <AssignPick {...props} />
    <TagPick {...props} />
  </>
);

/** What is done first. */
export const HandlePicks = (props: TriageProps) => (
  <>
    {!props.isAlive && <AcknowledgeButton {...props} />}
    <MutePick {...props} />
  </>
);

const AcknowledgeButton = ({ links, off, onChange }: TriageProps) => (
  <Button
    icon={CircleCheck}
    class="btn task-acknowledge"
    keys="E"
    off={off}
    onClick={() => onChange(acknowledgement(links))}
  >
    {isAcknowledged(links) ? "Reopen" : "Acknowledge"}
  </Button>
);

const DATE = "date";
const UNMUTE = "unmute";

function MutePick({ links, off, onChange }: TriageProps) {
  const [isAsking, setAsking] = useState(false);
  const isMuted = links?.some(({ handling }) => handling === "muted") ?? false;
  const options = [
    ...MUTES.map(({ label, days }) => ({ value: String(days), label })),
    { value: DATE, label: "Until a date…" },
    ...(isMuted || links === null ? [{ value: UNMUTE, label: "Unmute" }] : []),
  ];
  const pick = (value: string) => {
    if (value === DATE) setAsking(true);
    else onChange(value === UNMUTE ? reopen() : muteUntil(inDays(Number(value))));
  };
  return (
    <>
      <Pick
        label="Mute"
        class="btn task-mute"
        off={off}
        value={null}
        icon={BellOff}
        button="Mute"
        keys="S"
        options={options}
        onPick={pick}
      />
      {isAsking && (
        <MuteUntil
          onPick={(until) => onChange(muteUntil(until))}
          onClose={() => setAsking(false)}
        />
      )}
    </>
  );
}

const NO_ONE = "none";

type WordProps = {
  /** Shown as a word of a sentence, instead of a button. */
  word?: string;
};

export function AssignPick({ off, onChange, word }: TriageProps & WordProps) {
  const me = useUser();
  const others = usePeople().filter(({ id }) => id !== me.id);
  const options = [
    { value: me.id, label: "Me", hint: me.email },
    ...others.map((person) => ({ value: person.id, label: person.email })),
    { value: NO_ONE, label: "No one" },
  ];
  const pick = (value: string) => {
    const person = [me, ...others].find(({ id }) => id === value);
    onChange(assignTo(person ? { id: person.id, email: person.email } : null));
  };
  return (
    <Pick
      label="Assign"
      off={off}
      value={null}
      {...lookOf("assign", "Assign", UserRound, word)}
      options={options}
      onPick={pick}
    />
  );
}

/** Adds the tag, or removes it if all of the links have it. What is typed can be a new one. */
export function TagPick({ links, off, onChange, word }: TriageProps & WordProps) {
  const { typed, found, problem, onSearch } = useFoundTags();
  const isOn = (tag: string) => links?.every((link) => link.tags.includes(tag)) ?? false;
  const known = found.map(({ name }) => name);
  const options = [
    ...known.map((name) => ({ value: name, label: name, hint: isOn(name) ? "Remove" : "" })),
    ...(typed && !known.includes(typed) && !/[,;]/.test(typed)
      ? [{ value: typed, label: typed, hint: "New tag" }]
      : []),
  ];
  return (
    <Pick
      label="Tags"
      off={off}
      value={null}
      {...lookOf("tags", "Tags", Tags, word)}
      options={options}
      onSearch={onSearch}
      problem={problem}
      onPick={(tag) => onChange(tagWith(isOn(tag) ? { remove: [tag] } : { add: [tag] }))}
    />
  );
}

const lookOf = (task: string, button: string, icon: LucideIcon, word: string | undefined) =>
  word === undefined
    ? { class: `btn task-${task}`, icon, button }
    : { class: `word task-${task}`, plain: true, button: word };
