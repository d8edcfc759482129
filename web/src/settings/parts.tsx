import type { QueryKey } from "@tanstack/preact-query";
import { type LucideIcon, Pencil, Plus, Trash2, TriangleAlert } from "lucide-preact";
import type { ComponentChildren, ComponentProps, ComponentType } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { startUpper } from "../data/format.ts";
import { useHeld } from "../data/held.ts";
import { useCanWrite } from "../data/session.ts";
import type { Closable } from "../frame/ask.tsx";
import { useHold, useSave } from "../frame/toast.tsx";
import { Button, IconButton } from "../ui/button.tsx";
import { Form } from "../ui/field.tsx";
import { Loaded } from "../ui/loaded.tsx";
import { Fact, Heading, type HeadingProps, Section } from "../ui/section.tsx";

type GrowingProps = HeadingProps & {
  /** The name of a new entry. */
  action: string;
  /** The form of a new entry. */
  New: ComponentType<Closable>;
};

/** A heading below which a new entry can be filled in, also asked for by `?new` in the address. */
export function GrowingHeading({ title, action, children, New }: GrowingProps) {
  const canWrite = useCanWrite();
  const { path, query, route } = useLocation();
  const [isAdding, setAdding] = useState(false);
  const isAsked = "new" in query;
  useEffect(() => {
    if (!isAsked) return;
    setAdding(true);
    route(path, true);
  }, [isAsked]);
  const add = canWrite && !isAdding && (
    <Button primary icon={Plus} onClick={() => setAdding(true)}>
      {action}
    </Button>
  );
  return (
    <>
      <Heading title={title} action={add}>
        {children}
      </Heading>
      {canWrite && isAdding && <New onClose={() => setAdding(false)} />}
    </>
  );
}

/** A titled panel of a section. */
export const Panel = ({ children, ...section }: ComponentProps<typeof Section>) => (
  <Section {...section}>
    <div class="panel setting-rows">{children}</div>
  </Section>
);

type SettingProps = { label: string; hint?: ComponentChildren; children: ComponentChildren };

/** A row of a panel: what it is on the left, its value or control on the right. */
export const Setting = ({ label, hint, children }: SettingProps) => (
  <div class="setting">
    <div>
      <p>{label}</p>
      {hint && <p class="hint">{hint}</p>}
    </div>
    <div class="setting-value">{children}</div>
  </div>
);

/** Names and values in columns. */
export const Known = ({ facts }: { facts: [name: string, value: ComponentChildren][] }) => (
  <dl class="known">
    {facts.map(([name, value]) => (
      <Fact key={name} name={name}>
        {value}
      </Fact>
    ))}
  </dl>
);

type LineProps = {
  icon?: LucideIcon;
  title: ComponentChildren;
  hint: ComponentChildren;
  /** Its buttons. */
  children?: ComponentChildren;
};

/** An entry of a list. */
export const Line = ({ icon: Icon, title, hint, children }: LineProps) => (
  <li>
    {Icon && <Icon class="i" aria-hidden="true" />}
    <div class="what">
      <p>{title}</p>
      <p class="hint">{hint}</p>
    </div>
    {children}
  </li>
);

type ListProps<T> = {
  label: string;
  query: ComponentProps<typeof Loaded<unknown>>["query"] & Partial<Pages>;
  items: readonly T[] | undefined;
  /** Instead of an empty list. */
  none?: ComponentChildren;
  /** A line after all others. */
  last?: ComponentChildren;
  children: (item: T) => ComponentChildren;
};

/** The entries of a section, without those whose deletion can still be undone. */
export function List<T extends { id: string }>(props: ListProps<T>) {
  const { label, query, items = [], none, last, children } = props;
  const held = useHeld();
  const shown = items.filter(({ id }) => !held.has(id));
  return (
    <>
      <Loaded query={query}>
        {() =>
          shown.length === 0 && none ? (
            none
          ) : (
            <ul class="panel lines" aria-label={label}>
              {shown.map(children)}
              {last}
            </ul>
          )
        }
      </Loaded>
      <ShowMore query={query} />
    </>
  );
}

type ChangeProps = {
  id: string;
  name: string;
  edit: (onClose: () => void) => ComponentChildren;
  remove: () => Promise<unknown>;
};

/** For those who may: the form of an entry, and its deletion, which can be undone for a while. */
export function Change({ id, name, edit, remove }: ChangeProps) {
  const hold = useHold();
  const [isEditing, setEditing] = useState(false);
  if (!useCanWrite()) return null;
  return (
    <>
      <IconButton icon={Pencil} label={`Edit ${name}`} onClick={() => setEditing(true)} />
      <IconButton
        icon={Trash2}
        label={`Delete ${name}`}
        onClick={() => hold([id], `${name} was deleted.`, remove)}
      />
      {isEditing && edit(() => setEditing(false))}
    </>
  );
}

/** The form of an entry below it, whose fields are saved one by one. */
export const InPlace = ({ onClose, children }: Closable & { children: ComponentChildren }) => (
  <div class="in-place">
    {children}
    <p class="form-foot">
      <Button onClick={onClose}>Done</Button>
    </p>
  </div>
);

/** What is wrong, in a box of its own. */
export const Trouble = ({ children }: { children: ComponentChildren }) => (
  <div class="failed">
    <TriangleAlert class="i" aria-hidden="true" />
    <p>{children}</p>
  </div>
);

type FieldSaving<T> = {
  /** The values before the change, for Undo. */
  current: T;
  send: (change: Partial<T>) => Promise<unknown>;
  said: string;
  renews: QueryKey[];
};

/** Saves single fields of a record as they change, and sends no others. */
export function useFieldSave<T extends object>({ current, send, ...saving }: FieldSaving<T>) {
  const save = useSave<{ before: Partial<T>; after: Partial<T> }>({
    ...saving,
    change: ({ after }) => send(after),
    undo: ({ before }) => send(before),
  });
  return (after: Partial<T>) => {
    const names = Object.keys(after) as (keyof T)[];
    const before = Object.fromEntries(names.map((name) => [name, current[name]])) as Partial<T>;
    return save.mutateAsync({ before, after });
  };
}

type Pages = { hasNextPage: boolean; isFetchingNextPage: boolean; fetchNextPage: () => unknown };

/** Continues a list of pages. */
export const ShowMore = ({ query }: { query: Partial<Pages> }) =>
  query.hasNextPage ? (
    <p class="form-foot">
      <Button busy={query.isFetchingNextPage ?? false} onClick={() => query.fetchNextPage?.()}>
        Show more
      </Button>
    </p>
  ) : null;

type NewEntryProps = Closable & {
  action: string;
  creation: { isPending: boolean; error: Error | null };
  onSubmit: (form: FormData) => void;
  children: ComponentChildren;
};

/** The form of a new entry, above its list. */
export function NewEntry({ action, creation, onSubmit, onClose, children }: NewEntryProps) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => box.current?.querySelector("input")?.focus(), []);
  return (
    <div class="panel in-place" ref={box}>
      <Form error={creation.error} onSubmit={onSubmit}>
        {children}
        <p class="form-foot">
          <Button type="submit" primary busy={creation.isPending}>
            {action}
          </Button>
          <Button onClick={onClose}>Cancel</Button>
        </p>
      </Form>
    </div>
  );
}

/** Choices from words in lower case. */
export const optionsOf = <T extends string>(values: readonly T[]) =>
  values.map((value) => ({ value, label: startUpper(value) }));
