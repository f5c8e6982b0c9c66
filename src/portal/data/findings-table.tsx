import type { JSX } from 'preact'
import { formatDay, formatPercent } from '../parts/format.js'
import { DataTable } from '../parts/panel.js'
import type { DatasetRow } from './datasets-table.js'

/** The days for which sources of a dataset contradict each other. Nothing without any. */
export function FindingsTable({
  datasets,
}: {
  readonly datasets: readonly DatasetRow[]
}): JSX.Element | null {
  const found = datasets.flatMap(({ title, findings }) => findings.map((finding) => ({ title, ...finding })))
  const total = datasets.reduce((sum, { findings_total }) => sum + findings_total, 0)
  if (found.length === 0) return null
  return (
    <>
      <h3>Findings</h3>
      <p class="quiet">
        Days of the last 90 for which two sources state figures that differ by more than 0.5 %. The gateway
        keeps both and serves the first one. <a href="/docs/guides/methodology#adjusted-prices">Which one</a>
      </p>
      <DataTable
        label="Findings"
        caption={total > found.length ? `The newest ${found.length} of ${total}` : undefined}
        columns={['Dataset', 'Subject', 'Day', 'Sources', { number: 'Difference' }]}
      >
        {found.map(({ title, subject, date, sources, difference }) => (
          <tr key={`${title} ${subject} ${date} ${sources.join(' ')}`}>
            <td>{title}</td>
            <th scope="row">{subject}</th>
            <td>{formatDay(date)}</td>
            <td>{sources.join(', ')}</td>
            <td class="number">{formatPercent(difference)}</td>
          </tr>
        ))}
      </DataTable>
    </>
  )
}
