import {
  type Control,
  type Finding,
  type Need,
  needs,
  type Seen,
  type Signal,
  suspected,
} from "../probe/finding.ts";
import { barrierOn, behindBarrier } from "./barriers.ts";
import { quoted } from "./phrases.ts";

/**
 * A death that rests on a comparison alone: only if an address that must exist shows something else, since the page may
 * stand before the whole site.
 *
 * @param death the finding without a control, with its signals
 * @param options `hasWords` if the page also has weak words of an error page, which are enough where nothing can be compared
 */
export function unlessSameAtControl(
  seen: Seen,
  death: Finding,
  { hasWords = false } = {},
): Finding | Need {
  const { control } = seen.facts;
  if (control === undefined) return needs("control");
  if (control === null || control.shows === "nothing") {
    return hasWords ? death : suspected("soft404_suspected", [...death.signals, NO_CONTROL]);
  }
  const signals = [...death.signals, signalOf(control)];
  return control.shows === "same"
    ? behindBarrier(seen, barrierOn(seen.answer.page), signals)
    : { ...death, signals };
}

/** Makes a suspicion count as a lasting failure (class C4). */
const NO_CONTROL: Signal = {
  rule: "no_control",
  text: "The site offers no page that could show whether it answers so for pages that exist.",
};

const signalOf = ({ url, shows }: Control): Signal =>
  shows === "same"
    ? {
        rule: "control_same",
        text: `A page that the site itself offers shows the same: ${quoted(url)}.`,
      }
    : {
        rule: "control_differs",
        text: `A page that the site itself offers shows something else: ${quoted(url)}.`,
      };
