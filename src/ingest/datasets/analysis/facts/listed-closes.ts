import { type DecimalText, decimalText } from '../../../../core/decimal.js'
import { groupBy } from '../../../../core/group-by.js'
import { addDays, type IsoDate, toIsoDate } from '../../../../core/time.js'
import { isCurrentPreferredPrice } from '../../../../domains/instruments/preferred-price-model.js'
import {
  adjustDays,
  adjustedFigure,
  adjustingActions,
  type PriceAction,
} from '../../../../domains/prices/adjustment-model.js'
import type { Queries } from '../../../../platform/database/database.js'
import type { PrismaModels } from '../../../../platform/database/prisma/prisma-models.js'
import { column, statement } from '../../../../platform/database/statement.js'
import type { Close } from './listed-inputs.js'

/** The closes of the past year, ascending and adjusted for later splits, and their currency. */
export interface ListedCloses {
  readonly currency: string
  readonly closes: readonly Close[]
}

// Plain SQL: one statement reads the closes of all assets.
const CLOSES = statement(
  'lacks array of rows',
  {
    assetId: 'int4',
    dates: '_date',
    closes: column<readonly DecimalText[]>('_text'),
    currency: 'text',
  },
  `select d.instrument_id as "assetId", array_agg(d.date order by d.date) as dates,
     array_agg(trim_scale(d.close)::text order by d.date) as closes, max(d.currency)::text as currency
   from daily_price d
   where d.instrument_id = any($1::int[]) and d.date < $2::date and d.date >= $2::date - 366
     and ${isCurrentPreferredPrice('d')}
   group by d.instrument_id having min(d.currency) = max(d.currency)`,
)

/** The splits of the year before a day. */
async function loadSplits(prisma: PrismaModels, assetIds: readonly number[], day: IsoDate) {
  const rows = await prisma.corporateAction.findMany({
    where: {
      assetId: { in: [...assetIds] },
      actionType: { in: ['split', 'reverse_split'] },
      ratio: { not: null },
      isWithdrawn: false,
      knownTo: null,
      exDate: { gt: new Date(addDays(day, -366)), lte: new Date(day) },
    },
    select: { assetId: true, actionType: true, exDate: true, ratio: true },
  })
  return rows.flatMap(({ assetId, actionType, exDate, ratio }) => {
    if ((actionType !== 'split' && actionType !== 'reverse_split') || ratio === null) return []
    const terms = { ratio: decimalText(ratio), amount: null, currency: null }
    return { assetId, actionType, exDate: toIsoDate(exDate), ...terms }
  })
}

/**
 * The closes of each asset before a day, by its key, in two statements. They are adjusted as `stock_prices` adjusts them for
 * splits. An asset with closes in two currencies is not in the map.
 */
export async function loadListedCloses(
  queries: Queries,
  assetIds: readonly number[],
  day: IsoDate,
): Promise<ReadonlyMap<number, ListedCloses>> {
  const priced = await queries.rows(CLOSES, [assetIds, day])
  const splits = groupBy(await loadSplits(queries.prisma, assetIds, day), ({ assetId }) => String(assetId))
  return new Map(
    priced.map(({ assetId, dates, closes, currency }) => {
      const newest = dates.at(-1) ?? day
      const actions = (splits.get(String(assetId)) ?? []).filter(({ exDate }) => exDate <= newest)
      return [assetId, { currency, closes: adjustCloses(dates, closes, actions) }]
    }),
  )
}

function adjustCloses(
  dates: readonly IsoDate[],
  closes: readonly DecimalText[],
  splits: readonly PriceAction[],
): readonly Close[] {
  // Most assets have no split in a year, and exact fractions are slow.
  const days = splits.length === 0 ? [] : adjustDays(dates, adjustingActions(splits, new Map(), 'splits'))
  return dates.map((date, at) => {
    const close = closes[at] as DecimalText // safe: a close per date
    return { date, close: adjustedFigure(close, days[at]?.factor ?? null) ?? Number(close) }
  })
}
