import type { JSX } from 'preact'

export interface ChoiceProps<Value extends string> {
  readonly label: string
  readonly options: readonly (readonly [value: Value, text: string])[]
  readonly value: Value
  readonly onChange: (value: Value) => void
}

/** A row of buttons of which one is pressed. */
export function Choice<Value extends string>(props: ChoiceProps<Value>): JSX.Element {
  const { label, options, value, onChange } = props
  return (
    <fieldset class="choices">
      <legend class="unseen">{label}</legend>
      {options.map(([option, text]) => (
        <button type="button" key={option} aria-pressed={option === value} onClick={() => onChange(option)}>
          {text}
        </button>
      ))}
    </fieldset>
  )
}
