import type { JSX } from 'preact'
import { useMemo, useState } from 'preact/hooks'
import { restGet, useQuery } from '../client/use-query.js'
import { useParameter } from '../location.js'
import { ApiCalls } from '../parts/api-calls.js'
import { Choice } from '../parts/choice.js'
import { formatQuantity } from '../parts/format.js'
import { LoadedView, Panel } from '../parts/panel.js'
import { type AnalysisChange, ChangeList } from './change-list.js'
import { type AnalysisContent, describeDifference } from './describe-difference.js'
import { LiveLine } from './live-line.js'
import { useLiveChanges } from './use-live-changes.js'

const PAGE_SIZE = 20

const CHANGES = `query Changes($analysis_type: AiAnalysisType, $change_type: ChangeType, $cursor: String) {
  ai_analysis_changes(
    analysis_type: $analysis_type, change_type: $change_type, cursor: $cursor, limit: ${PAGE_SIZE}
  ) {
    items {
      asset_id ticker analysis_type change_type changed_at
      from_snapshot_id to_snapshot_id
    }
    next_cursor
    total_count
  }
}`

/** The contents of the same page. A tier may not see old ones, so they are a request of their own. */
const CONTENTS = `query ChangedContents($analysis_type: AiAnalysisType, $change_type: ChangeType, $cursor: String) {
  ai_analysis_changes(
    analysis_type: $analysis_type, change_type: $change_type, cursor: $cursor, limit: ${PAGE_SIZE}
  ) {
    items { to_snapshot_id from_snapshot { content } to_snapshot { content } }
  }
}`

interface Contents {
  readonly ai_analysis_changes: {
    readonly items: readonly {
      readonly to_snapshot_id: string
      readonly from_snapshot: { readonly content: AnalysisContent } | null
      readonly to_snapshot: { readonly content: AnalysisContent } | null
    }[]
  }
}

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
    readonly items: readonly AnalysisChange[]
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
        <p>Each entry compares an analysis with the one before it, and says which figures changed and why.</p>
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
  const contents = useQuery<Contents>({ document: CONTENTS, variables, rest: [] }).loaded
  const figures = useMemo(
    () => (contents.state === 'ready' ? listFigures(contents.answer) : NO_FIGURES),
    [contents],
  )
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
              <p class="quiet">{formatQuantity(total_count + missingFrom(items, added).length, 'change')}.</p>
            )}
            <ChangeList
              changes={cursors.length > 0 ? items : [...missingFrom(items, added), ...items]}
              added={added}
              figures={figures}
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

const NO_FIGURES: ReadonlyMap<string, readonly string[]> = new Map()

/** The figures that changed, by the id of the later snapshot. */
function listFigures({ ai_analysis_changes: { items } }: Contents): ReadonlyMap<string, readonly string[]> {
  return new Map(
    items.map(({ to_snapshot_id, from_snapshot, to_snapshot }) => [
      to_snapshot_id,
      describeDifference(from_snapshot?.content ?? {}, to_snapshot?.content ?? {}),
    ]),
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
function missingFrom(
  items: readonly AnalysisChange[],
  added: readonly AnalysisChange[],
): readonly AnalysisChange[] {
  const known = new Set(items.map(({ to_snapshot_id }) => to_snapshot_id))
  return added.filter(({ to_snapshot_id }) => !known.has(to_snapshot_id))
}
