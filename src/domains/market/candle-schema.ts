import { builder } from '../../schema-kit/builder.js'
import { ConsensusStatusType } from './candle-arguments-schema.js'
import type { CandleFigures } from './series-store.js'
import { toCandleStatus } from './service.js'

const NOT_IN_THIS_VERSION =
  'Always null in this version: exchanges have extremes of their own, and no consensus of them is defined; vwap_usd is the price of the window.'

/** A candle under the names of the answer: executors read members of a field's own name without a resolver. */
export function servedCandle({ ts, vwapUsd, volumeUsd, exchangesCount, maxSourceWeight }: CandleFigures) {
  return {
    ts,
    open: null,
    high: null,
    low: null,
    close: null,
    vwap_usd: vwapUsd,
    volume_usd: volumeUsd,
    exchanges_count: exchangesCount,
    max_source_weight_pct: maxSourceWeight,
    consensus_status: toCandleStatus(vwapUsd),
  }
}

export const CandleType = builder.objectRef<ReturnType<typeof servedCandle>>('Candle').implement({
  description: 'The consensus of one window over several exchanges.',
  fields: (t) => {
    const none = { type: 'Float', nullable: true, description: NOT_IN_THIS_VERSION } as const
    return {
      ts: t.expose('ts', {
        type: 'DateTime',
        description: 'Start of the window; it ends where the next begins.',
      }),
      open: t.expose('open', none),
      high: t.expose('high', none),
      low: t.expose('low', none),
      close: t.expose('close', none),
      vwap_usd: t.exposeFloat('vwap_usd', {
        nullable: true,
        description: 'Volume-weighted consensus price of the window, USD. Null with insufficient_sources.',
      }),
      volume_usd: t.exposeFloat('volume_usd', {
        nullable: true,
        description: 'Value traded at the exchanges used, USD. Null with insufficient_sources.',
      }),
      exchanges_count: t.exposeInt('exchanges_count', {
        description:
          'Exchanges that passed every rule: at least 3 when ok, fewer otherwise, 0 where nothing is stored.',
      }),
      max_source_weight_pct: t.exposeFloat('max_source_weight_pct', {
        nullable: true,
        description:
          'Largest share of one exchange in volume_usd: a fraction from 0 to 0.5, not a percentage. Null with insufficient_sources.',
      }),
      consensus_status: t.expose('consensus_status', {
        type: ConsensusStatusType,
        description: 'ok, or insufficient_sources when fewer than 3 exchanges were left.',
      }),
    }
  },
})
