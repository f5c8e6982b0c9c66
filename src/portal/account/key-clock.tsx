import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { formatInstant } from '../parts/format.js'
import { type Basis, InstantInput, toInstant } from './instant-input.js'

/** The instant as of which a key is answered. */
export interface KeyInstant {
  readonly as_of: string
  readonly basis: Basis
}

/** Shows the clock of a key, and moves it forward. */
export function KeyClock(props: {
  readonly label: string
  readonly clock: KeyInstant
  readonly isBusy: boolean
  readonly onAdvance: (asOf: string) => void
}): JSX.Element {
  const { label, clock, isBusy, onAdvance } = props
  const [isOpen, setOpen] = useState(false)
  const send = (event: SubmitEvent) => {
    event.preventDefault()
    onAdvance(toInstant(String(new FormData(event.currentTarget as HTMLFormElement).get('as_of'))))
    setOpen(false)
  }
  return (
    <>
      {formatInstant(clock.as_of)}, {clock.basis}
      {isOpen ? (
        <form onSubmit={send} aria-label={`Clock of ${label}`}>
          <InstantInput label="Forward to (UTC)" name="as_of" />
          <p class="actions">
            <button type="submit" disabled={isBusy}>
              Move
            </button>
            <button type="button" class="plain" onClick={() => setOpen(false)}>
              Cancel
            </button>
          </p>
        </form>
      ) : (
        <p class="actions">
          <button type="button" class="plain" onClick={() => setOpen(true)}>
            Move forward<span class="unseen"> {label}</span>
          </button>
        </p>
      )}
    </>
  )
}
