import { keepPreviousData, useQuery } from "@tanstack/preact-query";
import { CircleHelp, LogOut, Plus, RefreshCw, Search, SunMoon } from "lucide-preact";
import { useEffect, useId, useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { api, unwrap } from "../data/api.ts";
import { useCounts } from "../data/counts.ts";
import { shownHost } from "../data/display-url.ts";
import { hrefOfView } from "../data/filter.ts";
import { counted } from "../data/format.ts";
import { useSettled } from "../data/found.ts";
import { useCanWrite, useSignOut } from "../data/session.ts";
import { OWN_VIEWS, useViews } from "../data/views.ts";
import type { Shape } from "../data/words.ts";
import { useModal } from "../ui/overlay.tsx";
import { State } from "../ui/state.tsx";
import { Url } from "../ui/url.tsx";
import { useAdd } from "./add.tsx";
import { type Command, pageCommands } from "./keys.ts";
import { PLACES, REPAIR_PLACE, SETTINGS_PLACE, useSections as useSettings } from "./places.ts";
import { THEME_NAMES, THEMES, useTheme } from "./theme.ts";
import { useToast } from "./toast.tsx";

/** One line of the list: a command, a link or a place. */
type Option = Command & { id: string; link?: { status: Shape; url: string }; color?: string };

type Section = { title: string; options: Option[] };

/** Commands, links and places in one list; the field keeps the focus, and the arrow keys choose. */
export default function Palette({ onClose, onHelp }: { onClose: () => void; onHelp: () => void }) {
  const id = useId();
  const dialog = useModal("input");
  const [text, setText] = useState("");
  const [at, setAt] = useState(0);
  const sections = useSections(text, onHelp);
  const options = sections.flatMap((section) => section.options);
  const current = options[Math.min(at, options.length - 1)];
  const choose = ({ onSelect }: Option) => {
    // The page takes the focus back before the command moves it.
    dialog.current?.close();
    onClose();
    onSelect();
  };
  const press = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) setAt((Math.min(at, options.length - 1) + step + options.length) % options.length);
    else if (event.key === "Enter" && current) choose(current);
    else return;
    event.preventDefault();
  };
  useEffect(() => {
    if (current) document.getElementById(current.id)?.scrollIntoView({ block: "nearest" });
  }, [current?.id]);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes it as well.
    <dialog
      ref={dialog}
      class="palette"
      aria-label="Search and commands"
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onClick={({ target, currentTarget }) => target === currentTarget && onClose()}
    >
      <label class="pal-in">
        <Search class="i" aria-hidden="true" />
        <input
          type="text"
          role="combobox"
          aria-label="Search and commands"
          aria-expanded="true"
          aria-autocomplete="list"
          aria-controls={id}
          aria-activedescendant={current?.id}
          placeholder="Search links, sites, groups and commands"
          autoComplete="off"
          spellcheck={false}
          value={text}
          onInput={({ currentTarget }) => {
            setText(currentTarget.value);
            setAt(0);
          }}
          onKeyDown={press}
        />
        <kbd aria-hidden="true">Esc</kbd>
      </label>
      <div id={id} class="pal-list" role="listbox" aria-label="Results">
        {sections.map((section) => (
          <Options key={section.title} {...section} current={current} onChoose={choose} />
        ))}
      </div>
      <p role="status" class={options.length > 0 ? "unseen" : "hint"}>
        {options.length > 0 ? counted(options.length, "result") : "Nothing matches."}
      </p>
    </dialog>
  );
}

type OptionsProps = Section & { current: Option | undefined; onChoose: (option: Option) => void };

const Options = ({ title, options, current, onChoose }: OptionsProps) => (
  <>
    <h3 role="presentation">{title}</h3>
    <div role="group" aria-label={title}>
      {options.map((option) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the field handles the keys.
        <div
          key={option.id}
          id={option.id}
          role="option"
          class={option === current ? "on" : undefined}
          aria-selected={option === current}
          onClick={() => onChoose(option)}
        >
          <Line {...option} />
        </div>
      ))}
    </div>
  </>
);

const Line = ({ label, icon: Icon, link, color, hint, keys }: Option) => (
  <>
    {Icon && <Icon class="i" aria-hidden="true" />}
    {color && <i class="gsq" style={{ background: color }} />}
    {link ? (
      <>
        <State status={link.status} />
        <span data-room>
          <Url url={link.url} />
        </span>
      </>
    ) : (
      <span>{label}</span>
    )}
    {hint && <em>{hint}</em>}
    {keys && <kbd aria-hidden="true">{keys}</kbd>}
  </>
);

/** What matches the text, in the order of the list. Without a text: commands and pages. */
function useSections(text: string, onHelp: () => void): Section[] {
  const found = useFound(text.trim());
  const commands = useAllCommands(onHelp).filter(({ label }) => isMatch(label, text));
  const places = usePages().filter(({ label }) => isMatch(label, text));
  const sections = [
    { title: "Commands", options: withIds("command", commands) },
    { title: "Links", options: found?.links ?? [] },
    { title: "Go to", options: [...(found?.places ?? []), ...withIds("page", places)] },
  ];
  return sections.filter(({ options }) => options.length > 0);
}

const withIds = (kind: string, commands: Command[]): Option[] =>
  commands.map((command) => ({ ...command, id: `${kind}-${command.label}` }));

/** Each word that was typed begins a word of the label. */
function isMatch(label: string, text: string): boolean {
  const words = label.toLowerCase().split(/[\s./-]+/);
  const typed = text.toLowerCase().split(/\s+/).filter(Boolean);
  return typed.every((part) => words.some((word) => word.startsWith(part)));
}

/** Those of the page first. */
function useAllCommands(onHelp: () => void): Command[] {
  const signOut = useSignOut();
  const { route } = useLocation();
  const { open } = useAdd();
  const canWrite = useCanWrite();
  const dead = useCounts()?.dead ?? 0;
  const toast = useToast();
  const [, setTheme] = useTheme();
  const checkDead = () =>
    unwrap(api.links.check.post({ status: "dead" })).then(
      () => toast(`Checking ${counted(dead, "dead link")}.`),
      ({ message }: Error) => toast(message),
    );
  const check = { label: "Check all dead links now", icon: RefreshCw, onSelect: checkDead };
  return [
    ...pageCommands(),
    ...(canWrite && dead > 0 ? [{ ...check, hint: counted(dead, "link") }] : []),
    ...(canWrite ? [{ label: "Add links", icon: Plus, keys: "a", onSelect: () => open() }] : []),
    ...(canWrite
      ? [{ label: "New source", icon: Plus, onSelect: () => route("/sources?new") }]
      : []),
    ...THEMES.map((theme) => ({
      label: `Theme: ${THEME_NAMES[theme].toLowerCase()}`,
      icon: SunMoon,
      onSelect: () => setTheme(theme),
    })),
    { label: "Keyboard shortcuts", icon: CircleHelp, keys: "?", onSelect: onHelp },
    { label: "Sign out", icon: LogOut, onSelect: signOut },
  ];
}

function usePages(): Command[] {
  const { route } = useLocation();
  const { name, href, icon } = SETTINGS_PLACE;
  const views = useViews();
  const sections = useSettings();
  return [
    ...Object.values(PLACES).map((place) => ({
      label: place.name,
      icon: place.icon,
      keys: `g ${place.key}`,
      onSelect: () => route(place.href),
    })),
    ...[...OWN_VIEWS, ...views.map((view) => ({ name: view.name, href: hrefOfView(view) }))].map(
      (view) => ({
        label: view.name,
        icon: PLACES.links.icon,
        onSelect: () => route(view.href),
      }),
    ),
    ...[REPAIR_PLACE, SETTINGS_PLACE].map((place) => ({
      label: place.name,
      icon: place.icon,
      onSelect: () => route(place.href),
    })),
    ...sections.map(({ path, name: section }) => ({
      label: `${name}: ${section}`,
      icon,
      onSelect: () => route(`${href}/${path}`),
    })),
  ];
}

const MOST_FOUND = 5;

/** Links, sources, sites and groups that contain the text; those of the text before until the server has answered. */
function useFound(text: string) {
  const { route } = useLocation();
  const search = useSettled(text);
  const page = { page: 1, per_page: MOST_FOUND };
  const { data } = useQuery({
    queryKey: ["links", "found", search],
    queryFn: () =>
      Promise.all([
        unwrap(api.links.get({ query: { ...page, search, sort: "dead_first" } })),
        unwrap(api.sites.get({ query: { ...page, search, sort: "-links" } })),
        unwrap(api.sources.get({ query: { ...page, search } })),
        unwrap(api.groups.get({ query: { ...page, search, sort: "name" } })),
      ]),
    enabled: search !== "",
    placeholderData: keepPreviousData,
  });
  if (!text) return null;
  const [links, sites, sources, groups] = data ?? [];
  return {
    links: (links?.items ?? []).map(({ id, status, url }) => ({
      id: `link-${id}`,
      label: url,
      link: { status, url },
      onSelect: () => route(`/links/${id}`),
    })),
    places: [
      ...(sources?.items ?? []).map(({ id, name, counts }) => ({
        id: `source-${id}`,
        label: name,
        icon: PLACES.sources.icon,
        hint: counted(counts.links, "link"),
        onSelect: () => route(`/sources/${id}`),
      })),
      ...(sites?.items ?? []).map(({ site, links: count, dead }) => ({
        id: `site-${site}`,
        label: shownHost(site),
        icon: PLACES.sites.icon,
        hint: dead > 0 ? `${counted(count, "link")}, ${dead} dead` : counted(count, "link"),
        onSelect: () => route(`/links?site=${encodeURIComponent(site)}`),
      })),
      ...(groups?.items ?? []).map(({ id, name, color, link_count }) => ({
        id: `group-${id}`,
        label: name,
        color,
        hint: counted(link_count, "link"),
        onSelect: () => route(`/links?group_id=${id}`),
      })),
    ],
  };
}
