import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { formatChangeReason } from '../changes/change-reasons.js'
import { restGet } from '../client/use-query.js'
import { formatFigure, formatInstant, formatQuantity } from '../parts/format.js'
import { DataTable } from '../parts/panel.js'
import { QueryPanel } from '../parts/query-panel.js'
import type { Analysis } from './analysis.js'

const DIFF = `query AnalysisDiff($slug: String!, $type: AiAnalysisType!, $earlier: String!, $later: String!) {
  ai_analysis_diff(asset_id: $slug, analysis_type: $type, from_snapshot: $earlier, to_snapshot: $later) {
    change_type_summary text_changed
    from_snapshot { generated_at }
    to_snapshot { generated_at }
    changes { field before after change_type }
  }
}`

interface Diff {
  readonly change_type_summary: string
  readonly text_changed: boolean
  readonly from_snapshot: { readonly generated_at: string }
  readonly to_snapshot: { readonly generated_at: string }
  readonly changes: readonly {
    readonly field: string
    readonly before: unknown
    readonly after: unknown
    readonly change_type: string
  }[]
}

export interface AnalysisDiffPanelProps {
  readonly slug: string
  readonly type: string
  /** At least two, the newest first. */
  readonly analyses: readonly Analysis[]
}

/** What differs between two analyses that the visitor chooses; at first between the two newest. */
export function AnalysisDiffPanel({ slug, type, analyses }: AnalysisDiffPanelProps): JSX.Element {
  const [earlier, setEarlier] = useState(analyses[1]?.snapshot_id ?? '')
  const [later, setLater] = useState(analyses[0]?.snapshot_id ?? '')
  return (
    <QueryPanel<{ readonly ai_analysis_diff: Diff }>
      title="Difference between two analyses"
      isWide
      controls={
        <div class="row">
          <AnalysisSelect
            label="First analysis"
            analyses={analyses}
            value={earlier}
            other={later}
            onChange={setEarlier}
          />
          <AnalysisSelect
            label="Second analysis"
            analyses={analyses}
            value={later}
            other={earlier}
            onChange={setLater}
          />
        </div>
      }
      query={{
        document: DIFF,
        variables: { slug, type, earlier, later },
        rest: [
          restGet(`/v1/assets/${slug}/ai-analysis/history/diff`, {
            analysis_type: type,
            from_snapshot: earlier,
            to_snapshot: later,
          }),
        ],
      }}
    >
      {({ ai_analysis_diff }) => <Changes diff={ai_analysis_diff} />}
    </QueryPanel>
  )
}

interface AnalysisSelectProps {
  readonly label: string
  readonly analyses: readonly Analysis[]
  readonly value: string
  /** The other analysis of the pair, which cannot be chosen again. */
  readonly other: string
  readonly onChange: (snapshotId: string) => void
}

function AnalysisSelect({ label, analyses, value, other, onChange }: AnalysisSelectProps): JSX.Element {
  return (
    <label>
      {label}
      <select value={value} onChange={(event) => onChange(event.currentTarget.value)}>
        {analyses.map(({ snapshot_id, generated_at }) => (
          <option key={snapshot_id} value={snapshot_id} disabled={snapshot_id === other}>
            {formatInstant(generated_at)}
          </option>
        ))}
      </select>
    </label>
  )
}

function Changes({ diff }: { readonly diff: Diff }): JSX.Element {
  const { changes, text_changed } = diff
  const earlier = formatInstant(diff.from_snapshot.generated_at)
  const later = formatInstant(diff.to_snapshot.generated_at)
  const text = text_changed ? 'The text changed too.' : 'The text is the same.'
  return (
    <>
      <p>
        {changes.length === 0
          ? `No figure differs between ${earlier} and ${later}.`
          : `The analyses of ${earlier} and ${later} differ in ${formatQuantity(changes.length, 'figure')}. Main reason: ${formatChangeReason(diff.change_type_summary)}.`}{' '}
        {text}
      </p>
      {changes.length > 0 && (
        <DataTable
          label="Changed figures"
          columns={['Figure', { number: 'Earlier' }, { number: 'Later' }, 'Reason']}
          isStacked
        >
          {changes.map(({ field, before, after, change_type }) => (
            <tr key={field}>
              <th scope="row">{toFigureName(field)}</th>
              <td class="number" data-name="Earlier">
                {formatValue(before)}
              </td>
              <td class="number" data-name="Later">
                {formatValue(after)}
              </td>
              <td data-name="Reason">{formatChangeReason(change_type)}</td>
            </tr>
          ))}
        </DataTable>
      )}
    </>
  )
}

/** `signals.return_7d.value` becomes `return 7d`. */
function toFigureName(field: string): string {
  return field
    .replace(/^(signals|aaoifi)\./, '')
    .replace(/\.value$/, '')
    .replace(/\.threshold$/, ' (threshold)')
    .replaceAll('_', ' ')
}

function formatValue(value: unknown): string {
  if (value === null) return '–'
  if (typeof value === 'number') return formatFigure(value)
  return typeof value === 'boolean' ? (value ? 'yes' : 'no') : String(value)
}
