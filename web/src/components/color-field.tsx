import { useId, useState } from "preact/hooks";
import { GROUP_COLORS } from "../lib/groups.ts";

type ColorFieldProps = { name: string; initial: string; problem: string | undefined };

const WHOLE = /^#[0-9a-f]{6}$/i;

/** A colour: one of a few that go together, or any other by eye or by its code. */
export function ColorField({ name, initial, problem }: ColorFieldProps) {
  const [color, setColor] = useState(initial);
  const id = useId();
  return (
    <fieldset class="color-field">
      <legend>Colour</legend>
      <div class="group-colors">
        {GROUP_COLORS.map((each) => (
          <input
            key={each.color}
            type="radio"
            name={`${name}-chosen`}
            aria-label={each.name}
            title={each.name}
            checked={each.color === color.toUpperCase()}
            style={{ "--group": each.color }}
            onChange={() => setColor(each.color)}
          />
        ))}
      </div>
      <div class="own-color">
        <input
          type="color"
          aria-label="Own colour"
          title="Own colour"
          value={WHOLE.test(color) ? color.toLowerCase() : "#000000"}
          onInput={({ currentTarget }) => setColor(currentTarget.value.toUpperCase())}
        />
        <input
          type="text"
          class="code"
          name={name}
          aria-label="Colour code"
          aria-invalid={problem !== undefined}
          aria-describedby={id}
          spellcheck={false}
          maxLength={7}
          value={color}
          onInput={({ currentTarget }) => setColor(currentTarget.value)}
        />
      </div>
      <div id={id} class="about">
        {problem && <p class="field-problem">Colour {problem}</p>}
      </div>
    </fieldset>
  );
}
