import { useQuery } from "@tanstack/preact-query";
import { X } from "lucide-preact";
import { counted, many } from "../data/format.ts";
import { useHeld } from "../data/held.ts";
import { countsOptions, DEAD, forgetPattern, PATTERNS, type Pattern } from "../data/repair.ts";
import { useCanWrite } from "../data/session.ts";
import { useHold, useOffline } from "../frame/toast.tsx";
import { Button, IconButton } from "../ui/button.tsx";
import { Form, TextField, textsIn } from "../ui/field.tsx";
import { Loaded } from "../ui/loaded.tsx";
import { Moment } from "../ui/moment.tsx";
import { Section } from "../ui/section.tsx";
import { Group, usePreview } from "./group.tsx";
import { FromTo } from "./preview.tsx";

/** Rules that were learned, each with the dead links under its old prefix, and one to type. */
export function Patterns() {
  const patterns = useQuery(PATTERNS);
  const held = useHeld();
  const canWrite = useCanWrite();
  const shown = patterns.data?.items.filter(({ id }) => !held.has(id)) ?? [];
  const counts = useQuery({
    ...countsOptions(shown.map(underPrefix)),
    enabled: shown.length > 0,
  });
  if (shown.length === 0 && !canWrite && !patterns.error) return null;
  return (
    <Section title="By pattern" hint="Learned from links that moved and from what was replaced">
      <Loaded query={patterns}>
        {() =>
          shown.length > 0 && (
            <ul class="panel repair-groups">
              {shown.map((pattern, n) => (
                <PatternGroup key={pattern.id} pattern={pattern} count={counts.data?.[n]} />
              ))}
            </ul>
          )
        }
      </Loaded>
      {canWrite && <Prefixes />}
    </Section>
  );
}

const underPrefix = ({ from }: Pattern) => ({ ...DEAD, search: from, search_in: "url" });

type PatternProps = { pattern: Pattern; count: number | undefined };

function PatternGroup({ pattern, count }: PatternProps) {
  const { id, from, to, pairs, tried, failed, rests_until: rests } = pattern;
  const hold = useHold();
  const { off } = useOffline();
  const canWrite = useCanWrite();
  const forget = () => hold([id], "1 pattern deleted", () => forgetPattern(id));
  return (
    <Group
      title={<FromTo from={from} to={to} />}
      hint={
        <>
          {counted(pairs, "link")} moved like this.
          {tried > 0 && ` ${many(failed)} of ${counted(tried, "URL")} tried since failed.`}
          {rests && (
            <>
              {" "}
              Paused until <Moment at={rests} day />.
            </>
          )}
        </>
      }
      {...(count !== undefined && { count })}
      stays
      links={{ ...DEAD, search: from }}
      wanted={{ from, to, filter: DEAD }}
    >
      {canWrite && (
        <IconButton icon={X} label={`Delete the pattern of ${from}`} off={off} onClick={forget} />
      )}
    </Group>
  );
}

/** A rule to type, for links whose neighbors are all dead as well. */
function Prefixes() {
  const preview = usePreview();
  const { off } = useOffline();
  return (
    <Form
      class="repair-prefixes"
      error={preview.error}
      onSubmit={(form) => preview.mutate({ ...textsIn(form, "from", "to"), filter: DEAD })}
    >
      <TextField label="Old prefix" name="from" required placeholder="https://docs.old.example/" />
      <TextField label="New prefix" name="to" required placeholder="https://docs.new.example/v2/" />
      <Button type="submit" off={off} busy={preview.isPending}>
        Preview
      </Button>
    </Form>
  );
}
