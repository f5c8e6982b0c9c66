import type { JSX } from 'preact'
import { formatChangeReason } from '../changes/change-reasons.js'
import { useQuery } from '../client/use-query.js'
import { formatClockTime, formatDay } from '../parts/format.js'
import { BriefPanel } from './brief-panel.js'

const CHANGES = `query NewestChanges {
  ai_analysis_changes(limit: 4) {
    items { asset_id ticker analysis_type change_type changed_at to_snapshot_id }
  }
}`

interface ChangesAnswer {
  readonly ai_analysis_changes: {
    readonly items: readonly {
      readonly asset_id: string
      readonly ticker: string
      readonly analysis_type: string
      readonly change_type: string
      readonly changed_at: string
      readonly to_snapshot_id: string
    }[]
  }
}

/** The newest changes of analyses. */
export function NewestChanges(): JSX.Element {
  const state = useQuery<ChangesAnswer>({ document: CHANGES, variables: {}, rest: [] })
  return (
    <BriefPanel title="What changed" path="/changes" state={state} className="changes">
      {({ ai_analysis_changes: { items } }) => (
        <>
          <ul class="plain-list">
            {items.map(({ ticker, analysis_type, change_type, to_snapshot_id }) => (
              <li key={to_snapshot_id}>
                <a href={`/snapshots/${to_snapshot_id}`}>
                  {ticker} {analysis_type.replaceAll('_', ' ')}
                </a>{' '}
                <span class="quiet">{formatChangeReason(change_type)}</span>
              </li>
            ))}
          </ul>
          {items[0] !== undefined && (
            <p class="quiet small">
              Newest of {formatDay(items[0].changed_at)}, {formatClockTime(items[0].changed_at)}
            </p>
          )}
        </>
      )}
    </BriefPanel>
  )
}
