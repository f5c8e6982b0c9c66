import type { CompatBody, CompatRequest, TranslatedCall } from '../compat-interface.js'
import { jsonBody } from '../json-body.js'
import { type BarRange, parseBarRange, symbolOf, timeOf } from './history.js'

interface AnalysisChange {
  readonly analysis_type: string
  readonly change_type: string
  readonly changed_at: string
  readonly to_snapshot_id: string
}

interface Dividend {
  readonly ex_date: string
  readonly amount: number
  readonly currency: string
}

interface Action {
  readonly ex_date: string
  readonly action_type: string
  readonly ratio: number | null
  readonly description: string | null
}

interface AssetEvent {
  readonly event_hk: string
  readonly event_date: string | null
  readonly event_title: string | null
}

const LIMIT = '100'
const words = (name: string) => name.replaceAll('_', ' ')

/** Marks on bars: dividends of a stock, changes of the analyses of a crypto asset. The newest 100. */
export function translateMarks({ query, now }: CompatRequest): TranslatedCall | CompatBody {
  const symbol = symbolOf(query)
  const range = parseBarRange(query, now)
  if (symbol.kind === 'crypto')
    return {
      operation: 'ai_analysis_changes',
      args: {
        asset_id: symbol.asset,
        since: new Date(Math.max(range.from, 0) * 1000).toISOString(),
        limit: LIMIT,
      },
      toBody: (answer) =>
        toMarks(
          (answer as { readonly items: readonly AnalysisChange[] }).items.map((change) => ({
            id: change.to_snapshot_id,
            time: timeOf(change.changed_at),
            text: `${words(change.analysis_type)}: ${words(change.change_type)}`,
            label: 'A',
          })),
          range,
        ),
    }
  if (symbol.kind !== 'stock') return toMarks([], range)
  const { ticker, mic } = symbol
  return {
    operation: 'dividends',
    args: { ticker, limit: LIMIT, ...(mic === null ? {} : { mic }) },
    toBody: (answer) =>
      toMarks(
        (answer as { readonly data: readonly Dividend[] }).data.map(({ ex_date, amount, currency }) => ({
          id: `dividend-${ex_date}-${amount}`,
          time: timeOf(ex_date),
          text: `Dividend ${amount} ${currency}`,
          label: 'D',
        })),
        range,
      ),
  }
}

/** Marks on the axis of time: corporate actions of a stock, events of a crypto asset. The newest 100. */
export function translateTimescaleMarks({ query, now }: CompatRequest): TranslatedCall | CompatBody {
  const symbol = symbolOf(query)
  const range = parseBarRange(query, now)
  if (symbol.kind === 'crypto' && symbol.assetId !== null) return markEvents(symbol.assetId, range)
  return symbol.kind === 'stock' ? markActions(symbol, range) : jsonBody([])
}

function markEvents(assetId: string, range: BarRange): TranslatedCall {
  return {
    operation: 'star_fact_events',
    args: { asset_id: assetId, to: new Date(range.to * 1000).toISOString().slice(0, 10), limit: LIMIT },
    toBody: (answer) =>
      toTimescaleMarks(
        (answer as { readonly data: readonly AssetEvent[] }).data.flatMap(
          ({ event_hk, event_date, event_title }) =>
            event_date === null
              ? []
              : [{ id: event_hk, time: timeOf(event_date), label: 'E', tooltip: [event_title ?? 'Event'] }],
        ),
        range,
      ),
  }
}

function markActions(
  { ticker, mic }: { readonly ticker: string; readonly mic: string | null },
  range: BarRange,
): TranslatedCall {
  return {
    operation: 'corporate_actions',
    args: { ticker, limit: LIMIT, ...(mic === null ? {} : { mic }) },
    toBody: (answer) =>
      toTimescaleMarks(
        (answer as { readonly data: readonly Action[] }).data.map(
          ({ ex_date, action_type, ratio, description }) => ({
            id: `${action_type}-${ex_date}`,
            time: timeOf(ex_date),
            label: action_type.charAt(0).toUpperCase(),
            tooltip: [
              ratio === null ? words(action_type) : `${words(action_type)} ${ratio}`,
              ...(description === null ? [] : [description]),
            ],
          }),
        ),
        range,
      ),
  }
}

interface TimescaleMark {
  readonly id: string
  readonly time: number
  /** One letter. */
  readonly label: string
  readonly tooltip: readonly string[]
}

function toTimescaleMarks(marks: readonly TimescaleMark[], range: BarRange): CompatBody {
  return jsonBody(marks.filter(({ time }) => isIn(time, range)).map((mark) => ({ ...mark, color: COLOR })))
}

interface Mark {
  readonly id: string
  readonly time: number
  readonly text: string
  readonly label: string
}

const COLOR = 'blue'
const isIn = (time: number, { from, to }: BarRange) => time >= from && time <= to

/** One list per property. */
function toMarks(marks: readonly Mark[], range: BarRange): CompatBody {
  const shown = marks.filter(({ time }) => isIn(time, range))
  return jsonBody({
    id: shown.map(({ id }) => id),
    time: shown.map(({ time }) => time),
    color: shown.map(() => COLOR),
    text: shown.map(({ text }) => text),
    label: shown.map(({ label }) => label),
    labelFontColor: shown.map(() => 'white'),
    minSize: shown.map(() => 20),
  })
}
