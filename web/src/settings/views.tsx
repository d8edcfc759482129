import { LayoutList } from "lucide-preact";
import { useState } from "preact/hooks";
import { hrefOfView } from "../data/filter.ts";
import { changeView, deleteView, useViewsQuery, VIEWS, type View } from "../data/views.ts";
import { Ask, type Closable } from "../frame/ask.tsx";
import { CheckField, TextField, textsIn } from "../ui/field.tsx";
import { Empty } from "../ui/loaded.tsx";
import { Heading } from "../ui/section.tsx";
import { Change, Line, List } from "./parts.tsx";
import type { Section } from "./settings.tsx";

export const section: Section = { part: "Account", place: 3, name: "Views", icon: LayoutList };

/** Saved filters of the list of links. */
export default function ViewsSection() {
  const views = useViewsQuery();
  return (
    <>
      <Heading title="Views">Filters of links that were saved with “Save view”.</Heading>
      <List label="Views" query={views} items={views.data} none={<Empty title="No views yet" />}>
        {(view) => <ViewLine key={view.id} view={view} />}
      </List>
    </>
  );
}

const ViewLine = ({ view }: { view: View }) => (
  <Line
    icon={LayoutList}
    title={<a href={hrefOfView(view)}>{view.name}</a>}
    hint={view.is_shared ? "For everyone in the account" : "Only for you"}
  >
    <Change
      id={view.id}
      name={view.name}
      edit={(onClose) => <EditView view={view} onClose={onClose} />}
      remove={() => deleteView(view.id)}
    />
  </Line>
);

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
