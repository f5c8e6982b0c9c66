import type { JSX } from 'preact'
import { formatInstant, formatPercent } from '../parts/format.js'
import { Badge } from '../parts/panel.js'
import { formatChangeReason } from './change-reasons.js'

export interface Change {
  /** The slug. */
  readonly asset_id: string
  readonly ticker: string
  readonly analysis_type: string
  readonly change_type: string
  readonly changed_at: string
  readonly cosine_similarity: number | null
  readonly from_snapshot_id: string
  readonly to_snapshot_id: string
}

export interface ChangeListProps {
  readonly changes: readonly Change[]
  /** Those of the changes that arrived while the page was open. */
  readonly added: readonly Change[]
}

/** Changes of analyses, each with links to both versions. */
export function ChangeList({ changes, added }: ChangeListProps): JSX.Element {
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
          <p>
            {formatInstant(change.changed_at)}: <a href={`/snapshots/${change.from_snapshot_id}`}>before</a>,{' '}
            <a href={`/snapshots/${change.to_snapshot_id}`}>after</a>
            {change.cosine_similarity !== null && (
              <>, {formatPercent(change.cosine_similarity, 0)} of the words are the same</>
            )}
          </p>
        </li>
      ))}
    </ul>
  )
}
