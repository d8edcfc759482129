import { ListFilter, LogOut, Menu as MenuIcon, Plus, Search, SunMoon } from "lucide-preact";
import { useEffect, useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { useCounts, useLargestGroups } from "../data/counts.ts";
import { hrefOfView } from "../data/filter.ts";
import { many } from "../data/format.ts";
import { useCanWrite, useSignOut, useUser } from "../data/session.ts";
import { OWN_VIEWS, useViews, useViewsQuery } from "../data/views.ts";
import { Mark } from "../ui/brand.tsx";
import { Button, IconButton, Seg } from "../ui/button.tsx";
import { choices, Menu } from "../ui/menu.tsx";
import { Sheet } from "../ui/overlay.tsx";
import { useAdd } from "./add.tsx";
import { isAt, PLACES, type Place, SETTINGS_PLACE } from "./places.ts";
import { THEME_NAMES, THEMES, useTheme } from "./theme.ts";

type SidebarProps = { onSearch: () => void; onHelp: () => void };

/** The navigation of a desktop; below 1081 px only its icons. */
export const Sidebar = ({ onSearch, onHelp }: SidebarProps) => (
  <header class="side">
    <a class="brand" href="/">
      <Mark />
      <span>Stillup</span>
    </a>
    <button type="button" class="find" onClick={onSearch} aria-keyshortcuts="Control+K">
      <Search class="i" aria-hidden="true" />
      <span>Search</span>
      <kbd aria-hidden="true">{SEARCH_KEYS}</kbd>
    </button>
    <nav aria-label="Main">
      <PlaceList places={Object.values(PLACES)} />
    </nav>
    <nav class="more" aria-label="Views and groups">
      <ViewList />
      <GroupList />
    </nav>
    <div class="foot">
      <PlaceLink place={SETTINGS_PLACE} class="set" />
      <PersonalMenu onHelp={onHelp} />
    </div>
  </header>
);

const SEARCH_KEYS = /Mac|iPhone|iPad/.test(navigator.platform) ? "⌘ K" : "Ctrl K";

const PlaceList = ({ places }: { places: Place[] }) => (
  <ul class="nav">
    {places.map((place) => (
      <li key={place.href}>
        <PlaceLink place={place} />
      </li>
    ))}
  </ul>
);

function PlaceLink({ place, ...look }: { place: Place; class?: string }) {
  const { href, name, icon: Icon, mark } = place;
  const counts = useCounts();
  const shown = counts && mark?.(counts);
  return (
    <a href={href} title={name} {...useCurrent(href)} {...look}>
      <Icon class="i" aria-hidden="true" />
      <span>{name}</span>
      {shown && <em class={shown.tone}>{shown.text}</em>}
    </a>
  );
}

/** Marks the link to the page that is shown. */
const useCurrent = (href: string) => ({
  "aria-current": isAt(useLocation().path, href) ? ("page" as const) : undefined,
});

const MOST_VIEWS = 5;

/** The views that everyone has, and the first saved ones. */
function ViewList() {
  const attention = useCounts()?.attention ?? 0;
  const views = useViews();
  const { url } = useLocation();
  const current = (href: string) => ({
    "aria-current": url === href ? ("page" as const) : undefined,
  });
  return (
    <>
      <h2>Views</h2>
      <ul class="nav small">
        {OWN_VIEWS.map(({ name, href }, n) => (
          <li key={href}>
            <a href={href} {...current(href)}>
              <ListFilter class="i" aria-hidden="true" />
              <span>{name}</span>
              {n === 0 && attention > 0 && <em class="dead">{many(attention)}</em>}
            </a>
          </li>
        ))}
        {views.slice(0, MOST_VIEWS).map((view) => (
          <li key={view.id}>
            <a href={hrefOfView(view)} {...current(hrefOfView(view))}>
              <ListFilter class="i" aria-hidden="true" />
              <span>{view.name}</span>
            </a>
          </li>
        ))}
        {views.length > MOST_VIEWS && (
          <li>
            <a href="/settings/views">
              <span>All views</span>
              <em>{many(views.length)}</em>
            </a>
          </li>
        )}
      </ul>
    </>
  );
}

const MOST_GROUPS = 8;

/** The largest groups: how many of their links are dead, or else how many there are. */
function GroupList() {
  const groups = useLargestGroups();
  const areViewsComing = useViewsQuery().isPending;
  const canWrite = useCanWrite();
  if (!groups || areViewsComing || (groups.total === 0 && !canWrite)) return null;
  return (
    <>
      <h2>
        Groups
        {canWrite && <IconButton icon={Plus} label="New group" href="/settings/groups?new" />}
      </h2>
      <ul class="nav small">
        {groups.items.slice(0, MOST_GROUPS).map(({ id, name, color, active, dead, unknown }) => (
          <li key={id}>
            <a href={`/links?group_id=${id}`}>
              <i class="gsq" style={{ background: color }} />
              <span>{name}</span>
              <em class={dead > 0 ? "dead" : ""}>{many(dead || active + dead + unknown)}</em>
            </a>
          </li>
        ))}
        {groups.total > MOST_GROUPS && (
          <li>
            <a href="/settings/groups">
              <span>All groups</span>
              <em>{many(groups.total)}</em>
            </a>
          </li>
        )}
      </ul>
    </>
  );
}

function PersonalMenu({ onHelp }: Pick<SidebarProps, "onHelp">) {
  const [theme, setTheme] = useTheme();
  const { email } = useUser();
  const signOut = useSignOut();
  return (
    <Menu
      label="Theme and sign out"
      icon={SunMoon}
      items={[
        ...choices(THEME_NAMES, theme, setTheme),
        "line",
        { label: "Keyboard shortcuts", keys: "?", onSelect: onHelp },
        { label: "API reference", href: "/docs" },
        { label: `Sign out ${email}`, onSelect: signOut },
      ]}
    />
  );
}

/** The navigation of a phone. */
export function Tabs() {
  const { open } = useAdd();
  const canWrite = useCanWrite();
  const attention = useCounts()?.attention ?? 0;
  const [isMore, setMore] = useState(false);
  const { path } = useLocation();
  // Another page closes it.
  useEffect(() => setMore(false), [path]);
  return (
    <nav class="tabs" aria-label="Main, phone">
      <Tab place={PLACES.overview} count={attention} />
      <Tab place={PLACES.links} />
      {canWrite && (
        <button type="button" class="plus" aria-label="Add" onClick={() => open()}>
          <Plus class="i" aria-hidden="true" />
        </button>
      )}
      <Tab place={PLACES.changes} />
      <button type="button" aria-haspopup="dialog" onClick={() => setMore(true)}>
        <MenuIcon class="i" aria-hidden="true" />
        More
      </button>
      {isMore && <More onClose={() => setMore(false)} />}
    </nav>
  );
}

const Tab = ({ place, count = 0 }: { place: Place; count?: number }) => (
  <a href={place.href} {...useCurrent(place.href)}>
    <place.icon class="i" aria-hidden="true" />
    {place.name}
    {count > 0 && <em>{many(count)}</em>}
  </a>
);

/** The choice of the theme, where there is room for it. */
export function ThemeSeg() {
  const [theme, setTheme] = useTheme();
  const options = THEMES.map((value) => ({ value, label: THEME_NAMES[value] }));
  return <Seg label="Theme" value={theme} onChange={setTheme} options={options} />;
}

function More({ onClose }: { onClose: () => void }) {
  const { email } = useUser();
  const signOut = useSignOut();
  return (
    <Sheet
      title="More"
      onClose={onClose}
      foot={
        <>
          <span class="email">{email}</span>
          <span class="gap" />
          <Button icon={LogOut} onClick={signOut}>
            Sign out
          </Button>
        </>
      }
    >
      <div class="more-sheet">
        <nav aria-label="More pages">
          <PlaceList places={[PLACES.sites, PLACES.sources, PLACES.alerts, SETTINGS_PLACE]} />
          <ViewList />
          <GroupList />
        </nav>
        <h2>Theme</h2>
        <ThemeSeg />
      </div>
    </Sheet>
  );
}
