import type { JSX } from 'preact'
import { useState } from 'preact/hooks'

export interface AddChoiceProps {
  readonly label: string
  readonly options: readonly (readonly [value: string, text: string])[]
  readonly isDisabled: boolean
  readonly onAdd: (value: string) => void
}

/** A list and a button that adds the chosen option. Without the button each key of a typed name would add another option. */
export function AddChoice({ label, options, isDisabled, onAdd }: AddChoiceProps): JSX.Element {
  const [value, setValue] = useState('')
  const chosen = options.some(([option]) => option === value) ? value : ''
  return (
    <>
      <label>
        {label}
        <select
          value={chosen}
          disabled={isDisabled}
          onChange={(event) => setValue(event.currentTarget.value)}
        >
          <option value="">Choose one</option>
          {options.map(([option, text]) => (
            <option key={option} value={option}>
              {text}
            </option>
          ))}
        </select>
      </label>
      <button
        type="button"
        class="plain"
        disabled={isDisabled || chosen === ''}
        onClick={() => onAdd(chosen)}
      >
        Add
      </button>
    </>
  )
}
