import type { JSX } from 'preact'
import { formatSignedPercent } from './format.js'

/** How much a value differs from an earlier one, as a fraction; null if one of them is not known. */
export function changeSince(
  earlier: number | null | undefined,
  now: number | null | undefined,
): number | null {
  return earlier == null || now == null || earlier === 0 ? null : now / earlier - 1
}

export interface ChangeProps {
  readonly fraction: number | null
  /** Why there is no fraction. */
  readonly reason?: string | null
}

/** A fraction with its sign, in the colour of its direction. */
export function Change({ fraction, reason }: ChangeProps): JSX.Element {
  if (fraction === null)
    return (
      <span class="quiet" {...(reason ? { title: reason } : {})}>
        –
      </span>
    )
  const text = formatSignedPercent(fraction)
  if (Number.parseFloat(text) === 0) return <span>{text}</span>
  return <span class={fraction > 0 ? 'up' : 'down'}>{text}</span>
}
