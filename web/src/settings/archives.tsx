import { useQuery } from "@tanstack/preact-query";
import { Library } from "lucide-preact";
import type { ComponentChildren } from "preact";
import { type ArchiveUse, OWN_ACCOUNT, setArchive } from "../data/repair.ts";
import { useUser } from "../data/session.ts";
import { useOffline, useSave } from "../frame/toast.tsx";
import { REVEALED } from "../replace/lookups.tsx";
import { CheckField } from "../ui/field.tsx";
import { Loaded } from "../ui/loaded.tsx";
import { Heading } from "../ui/section.tsx";
import { Panel, Setting } from "./parts.tsx";
import type { Section } from "./settings.tsx";

export const section: Section = { part: "Account", place: 7, name: "Archives", icon: Library };

/** What archives are asked for, and what they are sent. */
export default function ArchivesSection() {
  const account = useQuery(OWN_ACCOUNT);
  return (
    <>
      <Heading title="Archives">Copies of pages at the Wayback Machine.</Heading>
      <Loaded query={account}>
        {({ archive_lookup: lookup, archive_save: save }) => (
          <Panel title="Wayback Machine">
            <Switch
              name="archive_lookup"
              label="Look for copies of dead links"
              hint={REVEALED}
              value={lookup}
              forbidden="This server does not use archives."
            />
            <Switch
              name="archive_save"
              label="Save pages while they are alive"
              hint="New links are saved after their first check that finds them alive. Everyone can then read the copies, and see when they were saved."
              value={save}
              forbidden={
                lookup === "forbidden" ? (
                  "This server does not use archives."
                ) : (
                  <>
                    The operator has to set <code>STILLUP_ARCHIVE_KEY_FILE</code> first.
                  </>
                )
              }
            />
          </Panel>
        )}
      </Loaded>
    </>
  );
}

type SwitchProps = {
  name: "archive_lookup" | "archive_save";
  label: string;
  hint: string;
  value: ArchiveUse;
  /** Why it cannot be turned on. */
  forbidden: ComponentChildren;
};

/** Saved as it changes; only owners change it. */
function Switch({ name, label, hint, value, forbidden }: SwitchProps) {
  const isOwner = useUser().role === "owner";
  const { off } = useOffline();
  const put = (isOn: boolean) => setArchive({ [name]: isOn });
  const save = useSave({
    change: put,
    said: (_, isOn) => `${label}: ${isOn ? "on" : "off"}`,
    undo: (isOn) => put(!isOn),
    renews: [["account"], ["links"]],
  });
  return (
    <Setting label={label} hint={hint}>
      {value === "forbidden" ? (
        <span class="soft">{forbidden}</span>
      ) : isOwner ? (
        <CheckField
          label={value === "on" ? "On" : "Off"}
          checked={value === "on"}
          disabled={!!off || save.isPending}
          onChange={({ currentTarget }) => save.mutate(currentTarget.checked)}
        />
      ) : (
        <>
          {value === "on" ? "On" : "Off"} <span class="soft">Only owners can change this.</span>
        </>
      )}
    </Setting>
  );
}
