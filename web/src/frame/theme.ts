import { useLayoutEffect, useState } from "preact/hooks";

export const THEMES = ["system", "light", "dark"] as const;
export type Theme = (typeof THEMES)[number];

/** `theme.js` reads it before the first paint. */
const KEY = "theme";

const readTheme = (): Theme =>
  THEMES.find((theme) => theme === document.documentElement.dataset.theme) ?? "system";

/** All that show it, which one change reaches. */
const shown = new Set<(theme: Theme) => void>();

/** The theme of this browser, and what changes it. */
export function useTheme(): [Theme, (theme: Theme) => void] {
  const [theme, show] = useState(readTheme);
  useLayoutEffect(() => {
    shown.add(show);
    return () => void shown.delete(show);
  }, []);
  return [theme, changeTheme];
}

function changeTheme(to: Theme) {
  if (to === "system") {
    localStorage.removeItem(KEY);
    delete document.documentElement.dataset.theme;
  } else {
    localStorage.setItem(KEY, to);
    document.documentElement.dataset.theme = to;
  }
  for (const show of shown) show(to);
}

export const THEME_NAMES: Record<Theme, string> = {
  system: "System",
  light: "Light",
  dark: "Dark",
};
