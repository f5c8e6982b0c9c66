import type { JSX } from 'preact'
import { useMemo } from 'preact/hooks'
import { formatInstant } from '../parts/format.js'
import { IsoDayInput } from '../parts/iso-day-input.js'
import type { Observation } from './series-query.js'

/** The list names this many of the newest instants; the date reaches all others. */
const MAX_LISTED = 50

/** No gateway has known values for longer. */
const FIRST_DAY = '2000-01-01'

export interface VintageChoiceProps {
  readonly observations: readonly Observation[]
  readonly asOf: string | null
  readonly onAsOf: (asOf: string | null) => void
}

/** Chooses an instant at which the series changed, or the beginning of any day. */
export function VintageChoice({ observations, asOf, onAsOf }: VintageChoiceProps): JSX.Element {
  const changes = useMemo(() => listChanges(observations), [observations])
  const listed = asOf === null || changes.includes(asOf) ? changes : [asOf, ...changes]
  return (
    <div class="row">
      <label>
        Compare with values as of
        <select value={asOf ?? ''} onChange={(event) => onAsOf(event.currentTarget.value || null)}>
          <option value="">No comparison</option>
          {listed.map((instant) => (
            <option key={instant} value={instant}>
              {formatInstant(instant)}
            </option>
          ))}
        </select>
      </label>
      <IsoDayInput
        label="Or as of a day, 00:00 UTC"
        day={asOf === null || changes.includes(asOf) ? '' : asOf.slice(0, 10)}
        first={FIRST_DAY}
        onDay={(day) => onAsOf(day === '' ? null : `${day}T00:00:00.000Z`)}
      />
    </div>
  )
}

/** When observations became known or changed, newest first, without the newest instant: the present values are of it. */
function listChanges(observations: readonly Observation[]): readonly string[] {
  const instants = observations.flatMap(({ revisions }) => revisions.map(({ known_from }) => known_from))
  return [...new Set(instants)]
    .sort()
    .reverse()
    .slice(1, 1 + MAX_LISTED)
}
