import type { JSX } from 'preact'
import { daysAgo } from './days-ago.js'

export interface IsoDayInputProps {
  readonly label: string
  /** As `2026-11-22`; empty for none. */
  readonly day: string
  /** The first day that may be chosen. */
  readonly first: string
  /** Receives a day from the first one to today, or an empty text. A text that is no such day is ignored. */
  readonly onDay: (day: string) => void
}

/** A day as ISO 8601 writes it, whatever the language of the browser. */
export function IsoDayInput({ label, day, first, onDay }: IsoDayInputProps): JSX.Element {
  return (
    <label>
      {label}
      <input
        inputMode="numeric"
        placeholder="YYYY-MM-DD"
        pattern="\d{4}-\d{2}-\d{2}"
        maxLength={10}
        defaultValue={day}
        onInput={(event) => {
          const text = event.currentTarget.value
          if (text === '' || isDayFrom(first, text)) onDay(text)
        }}
      />
    </label>
  )
}

function isDayFrom(first: string, text: string): boolean {
  const isDay = /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text))
  return isDay && text >= first && text <= daysAgo(0)
}
