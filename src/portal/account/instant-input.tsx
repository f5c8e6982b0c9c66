import type { JSX } from 'preact'

/** Since when a fact counts as known. */
export type Basis = 'observed' | 'published'

export const BASES: readonly (readonly [Basis, string])[] = [
  ['observed', 'observed by this gateway'],
  ['published', 'published by its source'],
]

/** An instant in UTC as ISO 8601 writes it, whatever the language of the browser; a day is its start. */
export function InstantInput({
  label,
  name,
}: {
  readonly label: string
  readonly name: string
}): JSX.Element {
  return (
    <label>
      {label}
      <input
        name={name}
        required
        placeholder="YYYY-MM-DD or YYYY-MM-DDTHH:MM"
        pattern="\d{4}-\d{2}-\d{2}(T\d{2}:\d{2})?"
        maxLength={16}
      />
    </label>
  )
}

/** The instant of a text that `InstantInput` accepts, as the gateway takes it. */
export function toInstant(text: string): string {
  return text.length === 10 ? `${text}T00:00:00Z` : `${text}:00Z`
}
