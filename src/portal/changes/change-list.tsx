import type { JSX } from 'preact'
import { formatInstant } from '../parts/format.js'
import { Badge } from '../parts/panel.js'
import { formatChangeReason } from './change-reasons.js'

export interface AnalysisChange {
  /** The slug. */
  readonly asset_id: string
  readonly ticker: string
  readonly analysis_type: string
  readonly change_type: string
  readonly changed_at: string
  readonly from_snapshot_id: string
  readonly to_snapshot_id: string
}

export interface ChangeListProps {
  readonly changes: readonly AnalysisChange[]
  /** Those of the changes that arrived while the page was open. */
  readonly added: readonly AnalysisChange[]
  /** The figures that changed in words, by the id of the later snapshot, as far as they are known. */
  readonly figures: ReadonlyMap<string, readonly string[]>
}

/** Empty while the figures are not known. */
function toText(figures: readonly string[] | undefined): string {
  if (figures === undefined) return ''
  return figures.length === 0 ? 'No figure of both analyses differs.' : figures.join(', ')
}

/** Changes of analyses, each with links to both versions. */
export function ChangeList({ changes, added, figures }: ChangeListProps): JSX.Element {
  if (changes.length === 0) return <p class="quiet">No changes of this kind are stored.</p>
  return (
    <ul class="entries">
      {changes.map((change) => (
        <li key={change.to_snapshot_id}>
          <a href={`/assets/${change.asset_id}`}>{change.ticker}</a>{' '}
          {change.analysis_type.replaceAll('_', ' ')}{' '}
          <Badge
            tone={change.change_type === 'RESTATEMENT' ? 'warn' : 'quiet'}
            text={formatChangeReason(change.change_type)}
          />{' '}
          {added.some(({ to_snapshot_id }) => to_snapshot_id === change.to_snapshot_id) && (
            <Badge tone="good" text="new" />
          )}
          <p class="changed-figures">{toText(figures.get(change.to_snapshot_id))}</p>
          <p class="quiet">
            {formatInstant(change.changed_at)}: <a href={`/snapshots/${change.from_snapshot_id}`}>before</a>,{' '}
            <a href={`/snapshots/${change.to_snapshot_id}`}>after</a>
          </p>
        </li>
      ))}
    </ul>
  )
}
