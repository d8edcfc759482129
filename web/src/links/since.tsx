import type { LinkFilter } from "../data/links.ts";
import { Ask, type Closable } from "../frame/ask.tsx";
import { TextField, textsIn } from "../ui/field.tsx";
import { sinceName } from "./words.ts";

type DaysProps = Closable & { filter: LinkFilter; onChange: (filter: LinkFilter) => void };

/** Asks for the first and the last day, of which one may be left out. */
export default function SinceDays({ filter, onChange, onClose }: DaysProps) {
  const status = filter.status ?? "dead";
  const send = async (form: FormData) => {
    const { first, last } = textsIn(form, "first", "last");
    const momentOf = (day: string, time: string) => day && new Date(`${day}T${time}`).toISOString();
    onChange({
      ...filter,
      status,
      after: momentOf(first, "00:00"),
      before: momentOf(last, "23:59:59.999"),
    });
  };
  return (
    <Ask title={sinceName(status)} action="Show links" send={send} onClose={onClose}>
      <TextField
        label="First day"
        name="first"
        type="date"
        data-first
        defaultValue={dayOf(filter.after)}
      />
      <TextField label="Last day" name="last" type="date" defaultValue={dayOf(filter.before)} />
    </Ask>
  );
}

/** The day of a moment where the reader is, as a field has it. */
const dayOf = (iso: string) => iso && new Date(iso).toLocaleDateString("sv");
