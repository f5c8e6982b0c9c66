import type { JSX } from 'preact'
import { config } from '../config.js'

export interface CurrencySelectProps {
  readonly label: string
  readonly value: string
  readonly onChange: (code: string) => void
}

/** Chooses one of the currencies that have a reference rate. */
export function CurrencySelect({ label, value, onChange }: CurrencySelectProps): JSX.Element {
  return (
    <label>
      {label}
      <select value={value} onChange={(event) => onChange(event.currentTarget.value)}>
        {config.currencies.map(({ code, name }) => (
          <option key={code} value={code}>
            {code}: {name}
          </option>
        ))}
      </select>
    </label>
  )
}
