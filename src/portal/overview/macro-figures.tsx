import type { JSX } from 'preact'
import { useQuery } from '../client/use-query.js'
import {
  buildKnownFiguresQuery,
  EURO_INFLATION,
  type KnownFiguresAnswer,
  newestFigure,
  US_INFLATION,
  US_POLICY_RATE,
} from '../macro/known-figures.js'
import { BriefPanel } from './brief-panel.js'
import { FigureTable } from './figure-table.js'

const FIGURES = [US_INFLATION, EURO_INFLATION, US_POLICY_RATE]

/** Inflation in the United States and the euro area, and a policy rate. */
export function MacroFigures(): JSX.Element {
  const state = useQuery<KnownFiguresAnswer>(buildKnownFiguresQuery(FIGURES))
  return (
    <BriefPanel title="Macro" path="/macro" state={state} className="macro">
      {(answer) => (
        <FigureTable
          label="Macro figures"
          rows={FIGURES.map((figure, at) => {
            const newest = newestFigure(figure, at, answer)
            return {
              key: figure.id,
              name: <a href={`/macro?series=${encodeURIComponent(figure.id)}`}>{figure.name}</a>,
              value: newest?.text ?? '–',
              note: <span class="quiet">{newest?.period ?? 'not loaded'}</span>,
            }
          })}
        />
      )}
    </BriefPanel>
  )
}
