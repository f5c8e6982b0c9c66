import { endOfMonth } from '../../../core/time.js'
import { type DatasetState, newestOfGrains } from '../../../platform/database/versions/data-version.js'
import type { RequestContext } from '../../../platform/request/request-context.js'
import { builder } from '../../../schema-kit/builder.js'
import { datasetStateOf } from '../../../schema-kit/envelope.js'
import { instant, integer, number, shownAs, shownFields } from '../../../schema-kit/shown-fields.js'
import type { CandleFigures } from '../series-store.js'
import { toCandleStatus } from '../service.js'
import { ConsensusStatusType } from './candle-arguments-schema.js'
import { areClosed, candleGrainOf, type ReadWindows } from './candle-grains-model.js'

const NOT_IN_THIS_VERSION =
  'Always null: several exchanges have no consensus of opening, highest, lowest and closing prices. Use vwap_usd as the price of the window.'

/** A candle named like the response fields: the executor then needs no resolver. */
export function toServedCandle({ ts, vwapUsd, volumeUsd, exchangesCount, maxSourceWeight }: CandleFigures) {
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

export const CandleType = builder.objectRef<ReturnType<typeof toServedCandle>>('Candle').implement({
  description: 'The consensus of one window over several exchanges.',
  fields: (t) =>
    shownFields(t, {
      ts: instant('Start of the window. It ends at the start of the next window.'),
      open: number.orNull(NOT_IN_THIS_VERSION),
      high: number.orNull(NOT_IN_THIS_VERSION),
      low: number.orNull(NOT_IN_THIS_VERSION),
      close: number.orNull(NOT_IN_THIS_VERSION),
      vwap_usd: number.orNull(
        'Volume-weighted consensus price of the window, USD. Null with insufficient_sources.',
      ),
      volume_usd: number.orNull('Value traded on the exchanges used, USD. Null with insufficient_sources.'),
      exchanges_count: integer(
        'Number of exchanges that passed every rule: at least 3 if the status is ok, otherwise fewer. 0 if nothing is stored.',
      ),
      max_source_weight_pct: number.orNull(
        'Largest share of a single exchange in volume_usd, as a fraction from 0 to 0.5 (despite its name not a percentage). Null with insufficient_sources.',
      ),
      consensus_status: shownAs(ConsensusStatusType)(
        'ok, or insufficient_sources if fewer than 3 exchanges remained.',
      ),
    }),
})

/**
 * The state of the candles that windows of assets are read from, with the age of the newest. Without assets it is that of all
 * candles. A 503 without any candle. If the month of the last window has not ended, the answer is valid until then at most.
 */
export function candleStateOf(
  slugs: readonly string[],
  windows: ReadWindows,
  context: RequestContext,
): DatasetState {
  if (!areClosed(windows, context.now)) context.validity?.endsBy(endOfMonth(context.now))
  const grains = slugs.map((slug) => candleGrainOf(slug, windows, context))
  return newestOfGrains(datasetStateOf(context, 'candles'), grains)
}
