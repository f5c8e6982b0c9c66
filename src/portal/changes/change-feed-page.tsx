import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { restGet } from '../client/use-query.js'
import { Choice } from '../parts/choice.js'
import { QueryPanel } from '../parts/query-panel.js'
import { type Change, ChangeList } from './change-list.js'

const PAGE_SIZE = 25

const CHANGES = `query Changes($analysis_type: AiAnalysisType, $change_type: ChangeType, $cursor: String) {
  ai_analysis_changes(
    analysis_type: $analysis_type, change_type: $change_type, cursor: $cursor, limit: ${PAGE_SIZE}
  ) {
    items {
      asset_id ticker analysis_type change_type changed_at cosine_similarity
      from_snapshot_id to_snapshot_id
    }
    next_cursor
    total_count
  }
}`

const ANALYSIS_TYPES = [
  ['all', 'All analyses'],
  ['market_context', 'Market context'],
  ['regime', 'Regime'],
  ['halal_analysis', 'Halal analysis'],
] as const

const CHANGE_TYPES = [
  ['all', 'All changes'],
  ['RESTATEMENT', 'Restatements'],
  ['METHODOLOGY_CHANGE', 'New methods'],
  ['MODEL_UPGRADE', 'New models'],
  ['DATA_REFRESH', 'New data'],
] as const

interface Changes {
  readonly ai_analysis_changes: {
    readonly items: readonly Change[]
    readonly next_cursor: string | null
    readonly total_count: number | null
  }
}

/** What changed in the analyses, newest first. */
export function ChangeFeedPage(): JSX.Element {
  const [analysisType, setAnalysisType] = useState<(typeof ANALYSIS_TYPES)[number][0]>('all')
  const [changeType, setChangeType] = useState<(typeof CHANGE_TYPES)[number][0]>('all')
  /** The cursors of the pages before the shown one and of the shown one; the first page has none. */
  const [cursors, setCursors] = useState<readonly string[]>([])
  const variables = {
    analysis_type: analysisType === 'all' ? null : analysisType,
    change_type: changeType === 'all' ? null : changeType,
    cursor: cursors.at(-1) ?? null,
  }
  return (
    <>
      <div class="intro">
        <h1>Changes</h1>
        <p>Each entry compares an analysis with the one before it, and says what made it change.</p>
      </div>
      <QueryPanel<Changes>
        title="Changes of analyses"
        isWide
        query={{
          document: CHANGES,
          variables,
          rest: [restGet('/v1/ai-analysis/changes', { ...variables, limit: PAGE_SIZE })],
        }}
        controls={
          <>
            <Choice
              label="Type of analysis"
              options={ANALYSIS_TYPES}
              value={analysisType}
              onChange={(value) => {
                setCursors([])
                setAnalysisType(value)
              }}
            />
            <Choice
              label="Type of change"
              options={CHANGE_TYPES}
              value={changeType}
              onChange={(value) => {
                setCursors([])
                setChangeType(value)
              }}
            />
          </>
        }
      >
        {({ ai_analysis_changes: { items, next_cursor, total_count } }) => (
          <>
            {total_count !== null && <p class="quiet">{total_count} changes.</p>}
            <ChangeList changes={items} />
            <p class="actions">
              {cursors.length > 0 && (
                <button type="button" class="plain small" onClick={() => setCursors(cursors.slice(0, -1))}>
                  Newer
                </button>
              )}
              {next_cursor !== null && (
                <button
                  type="button"
                  class="plain small"
                  onClick={() => setCursors([...cursors, next_cursor])}
                >
                  Older
                </button>
              )}
            </p>
          </>
        )}
      </QueryPanel>
    </>
  )
}
