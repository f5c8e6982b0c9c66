import type { JSX } from 'preact'
import { DataTable } from '../parts/panel.js'
import { QueryPanel } from '../parts/query-panel.js'
import {
  buildKnownFiguresQuery,
  KNOWN_FIGURES,
  type KnownFigure,
  type KnownFiguresAnswer,
  newestFigure,
} from './known-figures.js'

/** Inflation, unemployment and the policy rates of six central banks. */
export function KnownFiguresPanel(): JSX.Element {
  return (
    <QueryPanel<KnownFiguresAnswer> title="Key figures" isWide query={buildKnownFiguresQuery(KNOWN_FIGURES)}>
      {(answer) => (
        <DataTable label="Key figures" columns={['Figure', { number: 'Value' }, 'Period']}>
          {KNOWN_FIGURES.map((figure, at) => (
            <FigureRow key={figure.id} figure={figure} at={at} answer={answer} />
          ))}
        </DataTable>
      )}
    </QueryPanel>
  )
}

interface FigureRowProps {
  readonly figure: KnownFigure
  readonly at: number
  readonly answer: KnownFiguresAnswer
}

function FigureRow({ figure, at, answer }: FigureRowProps): JSX.Element {
  const newest = newestFigure(figure, at, answer)
  if (newest === null)
    return (
      <tr>
        <th scope="row">{figure.name}</th>
        <td class="quiet" colSpan={2}>
          not loaded
        </td>
      </tr>
    )
  return (
    <tr>
      <th scope="row">
        <a href={`/macro?series=${encodeURIComponent(figure.id)}`}>{figure.name}</a>
      </th>
      <td class="number">{newest.text}</td>
      <td>
        {newest.period}
        {newest.note !== null && <span class="quiet"> {newest.note}</span>}
      </td>
    </tr>
  )
}
