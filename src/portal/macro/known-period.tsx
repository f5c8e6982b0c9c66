import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { formatFigure } from '../parts/format.js'
import { KnownVersions } from '../parts/known/known-versions.js'
import type { Observation, ObservationRevision } from './series-query.js'

/** The value of a revision as text. */
export function revisionText({ value, is_withdrawn }: ObservationRevision): string {
  return is_withdrawn ? 'withdrawn' : formatFigure(value)
}

/** What was known when of one period: at first of the newest that was revised, else of the newest. */
export function KnownPeriod({
  observations,
}: {
  readonly observations: readonly Observation[]
}): JSX.Element {
  const [chosen, setChosen] = useState('')
  const newestFirst = [...observations].reverse()
  const shown =
    newestFirst.find(({ period }) => period === chosen) ??
    newestFirst.find(({ revisions }) => revisions.length > 1) ??
    newestFirst[0]
  return (
    <>
      <h3>What was known when</h3>
      <div class="row">
        <label>
          Period
          <select value={shown?.period} onChange={(event) => setChosen(event.currentTarget.value)}>
            {newestFirst.map(({ period }) => (
              <option key={period}>{period}</option>
            ))}
          </select>
        </label>
      </div>
      {shown !== undefined && (
        <KnownVersions
          what={`the value of ${shown.period}`}
          versions={shown.revisions.map((revision) => ({
            ...revision,
            text: revisionText(revision),
            published_from: null,
          }))}
          hasRule={false}
        />
      )}
    </>
  )
}
