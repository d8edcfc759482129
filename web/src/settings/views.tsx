import { LayoutList, Pencil, Trash2 } from "lucide-preact";
import { useState } from "preact/hooks";
import { hrefOfView } from "../data/filter.ts";
import { useHeld } from "../data/held.ts";
import { useCanWrite } from "../data/session.ts";
import { changeView, deleteView, useViewsQuery, VIEWS, type View } from "../data/views.ts";
import { Ask, type Closable } from "../frame/ask.tsx";
import { useHold } from "../frame/toast.tsx";
import { IconButton } from "../ui/button.tsx";
import { CheckField, TextField, textsIn } from "../ui/field.tsx";
import { Empty, Loaded } from "../ui/loaded.tsx";
import { Heading } from "../ui/section.tsx";
import { Line } from "./parts.tsx";

/** Saved filters of the list of links. */
export default function ViewsSection() {
  const views = useViewsQuery();
  const held = useHeld();
  return (
    <>
      <Heading title="Views">Filters of links that were saved with “Save view”.</Heading>
      <Loaded query={views}>
        {(all) => {
          const shown = all.filter(({ id }) => !held.has(id));
          return shown.length === 0 ? (
            <Empty title="No views yet" />
          ) : (
            <ul class="panel lines" aria-label="Views">
              {shown.map((view) => (
                <ViewLine key={view.id} view={view} />
              ))}
            </ul>
          );
        }}
      </Loaded>
    </>
  );
}

function ViewLine({ view }: { view: View }) {
  const hold = useHold();
  const canWrite = useCanWrite();
  const [isEditing, setEditing] = useState(false);
  return (
    <Line
      icon={LayoutList}
      title={<a href={hrefOfView(view)}>{view.name}</a>}
      hint={view.is_shared ? "For everyone in the account" : "Only for you"}
    >
      {canWrite && (
        <>
          <IconButton icon={Pencil} label={`Edit ${view.name}`} onClick={() => setEditing(true)} />
          <IconButton
            icon={Trash2}
            label={`Delete ${view.name}`}
            onClick={() => hold([view.id], `${view.name} was deleted.`, () => deleteView(view.id))}
          />
        </>
      )}
      {isEditing && <EditView view={view} onClose={() => setEditing(false)} />}
    </Line>
  );
}

/** Changes its name and who sees it. */
function EditView({ view: now, onClose }: Closable & { view: View }) {
  // What others change while the dialog is open stays.
  const [view] = useState(now);
  const send = (form: FormData) => {
    const name = textsIn(form, "name").name.trim();
    const isShared = form.has("is_shared");
    return changeView(view.id, {
      ...(name !== view.name && { name }),
      ...(isShared !== view.is_shared && { is_shared: isShared }),
    });
  };
  return (
    <Ask
      title="Edit view"
      action="Save"
      said="The view was changed."
      renews={[VIEWS]}
      send={send}
      onClose={onClose}
    >
      <TextField
        label="Name"
        name="name"
        required
        maxLength={100}
        autoComplete="off"
        data-first
        defaultValue={view.name}
      />
      <CheckField
        label="For everyone in the account"
        name="is_shared"
        defaultChecked={view.is_shared}
      />
    </Ask>
  );
}
