/**
 * Tokens of the dashboard (`web/src/styles/tokens.css`) in a notation that all mail programs know, in light and dark.
 * Lines, which are transparent there, are as they look on a panel.
 */
export const COLORS = {
  paper: { light: "#f8f7f4", dark: "#11100d" },
  panel: { light: "#fffefe", dark: "#191815" },
  line: { light: "#e8e7e6", dark: "#312f2c" },
  ink: { light: "#221d18", dark: "#eeede8" },
  soft: { light: "#635e57", dark: "#aca9a2" },
  dead: { light: "#c32517", dark: "#fb806b" },
  "dead-back": { light: "#fdefea", dark: "#371c16" },
  alive: { light: "#147361", dark: "#66cdb2" },
  "alive-back": { light: "#e9f7f2", dark: "#152823" },
  mark: { light: "#0c6b5e", dark: "#0c6b5e" },
};
