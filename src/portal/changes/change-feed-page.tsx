import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { restGet, useQuery } from '../client/use-query.js'
import { useParameter } from '../location.js'
import { ApiCalls } from '../parts/api-calls.js'
import { Choice } from '../parts/choice.js'
import { LoadedView, Panel } from '../parts/panel.js'
import { type Change, ChangeList } from './change-list.js'
import { LiveLine } from './live-line.js'
import { useLiveChanges } from './use-live-changes.js'

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

/** What changed in the analyses, newest first, and live. */
export function ChangeFeedPage(): JSX.Element {
  return (
    <>
      <div class="intro">
        <h1>Changes</h1>
        <p>Each entry compares an analysis with the one before it, and says what made it change.</p>
      </div>
      <ChangeFeed />
    </>
  )
}

function ChangeFeed(): JSX.Element {
  const [analysisType, setAnalysisType] = useChoice('type', ANALYSIS_TYPES)
  const [changeType, setChangeType] = useChoice('change', CHANGE_TYPES)
  /** The cursors of the pages before the shown one and of the shown one; the first page has none. */
  const [cursors, setCursors] = useState<readonly string[]>([])
  const type = analysisType === 'all' ? null : analysisType
  const variables = {
    analysis_type: type,
    change_type: changeType === 'all' ? null : changeType,
    cursor: cursors.at(-1) ?? null,
  }
  const query = {
    document: CHANGES,
    variables,
    rest: [restGet('/v1/ai-analysis/changes', { ...variables, limit: PAGE_SIZE })],
  }
  const { loaded, reload } = useQuery<Changes>(query)
  const live = useLiveChanges(type, reload)
  const added = live.changes.filter(({ change_type }) => changeType === 'all' || change_type === changeType)
  const filter = (set: () => void) => {
    setCursors([])
    set()
  }
  return (
    <Panel title="Changes of analyses" isWide>
      <Choice
        label="Type of analysis"
        options={ANALYSIS_TYPES}
        value={analysisType}
        onChange={(value) => filter(() => setAnalysisType(value))}
      />
      <Choice
        label="Type of change"
        options={CHANGE_TYPES}
        value={changeType}
        onChange={(value) => filter(() => setChangeType(value))}
      />
      <LoadedView loaded={loaded} reload={reload}>
        {({ ai_analysis_changes: { items, next_cursor, total_count } }) => (
          <>
            <LiveLine live={live} hidden={cursors.length > 0 ? added.length : 0} />
            {total_count !== null && (
              <p class="quiet">{formatCount(total_count + missingFrom(items, added).length)}.</p>
            )}
            <ChangeList
              changes={cursors.length > 0 ? items : [...missingFrom(items, added), ...items]}
              added={added}
            />
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
      </LoadedView>
      <ApiCalls query={query} />
    </Panel>
  )
}

/** A choice that the address bar keeps; one that does not exist counts as `all`. */
function useChoice<Value extends string>(
  name: string,
  options: readonly (readonly [Value | 'all', string])[],
): readonly [Value | 'all', (value: Value | 'all') => void] {
  const [text, setText] = useParameter(name, 'all')
  return [options.find(([value]) => value === text)?.[0] ?? 'all', setText]
}

/** The live changes that a page does not contain. */
function missingFrom(items: readonly Change[], added: readonly Change[]): readonly Change[] {
  const known = new Set(items.map(({ to_snapshot_id }) => to_snapshot_id))
  return added.filter(({ to_snapshot_id }) => !known.has(to_snapshot_id))
}

function formatCount(count: number): string {
  return `${count} ${count === 1 ? 'change' : 'changes'}`
}
