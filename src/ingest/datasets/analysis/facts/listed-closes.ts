import type { DecimalText } from '../../../../core/decimal.js'
import { groupBy } from '../../../../core/group-by.js'
import type { IsoDate } from '../../../../core/time.js'
import {
  adjustDays,
  adjustedFigure,
  adjustingActions,
  type PriceAction,
} from '../../../../domains/prices/adjustment-model.js'
import type { Sql } from '../../../../platform/database/database.js'
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
   where d.instrument_id = any($1::int[]) and d.known_to is null and d.date < $2::date and d.date >= $2::date - 366
   group by d.instrument_id having min(d.currency) = max(d.currency)`,
)

const SPLITS = statement(
  {
    assetId: 'int4',
    actionType: column<'split' | 'reverse_split'>('text'),
    exDate: 'date',
    ratio: column<DecimalText>('text'),
  },
  `select c.asset_id as "assetId", c.action_type::text as "actionType", c.ex_date as "exDate",
     trim_scale(c.ratio)::text as ratio
   from corporate_action c
   where c.asset_id = any($1::int[]) and c.action_type in ('split', 'reverse_split') and c.ratio is not null
     and not c.is_withdrawn and c.known_to is null and c.ex_date > $2::date - 366 and c.ex_date <= $2::date`,
)

/**
 * The closes of each asset before a day, by its key, in two statements. They are adjusted as `stock_prices` adjusts them for
 * splits. An asset with closes in two currencies is not in the map.
 */
export async function loadListedCloses(
  sql: Sql,
  assetIds: readonly number[],
  day: IsoDate,
): Promise<ReadonlyMap<number, ListedCloses>> {
  const priced = await sql.rows(CLOSES, [assetIds, day])
  const splits = groupBy(await sql.rows(SPLITS, [assetIds, day]), ({ assetId }) => String(assetId))
  return new Map(
    priced.map(({ assetId, dates, closes, currency }) => {
      const newest = dates.at(-1) ?? day
      const actions = (splits.get(String(assetId)) ?? [])
        .filter(({ exDate }) => exDate <= newest)
        .map(toAction)
      return [assetId, { currency, closes: adjustCloses(dates, closes, actions) }]
    }),
  )
}

function toAction({
  actionType,
  exDate,
  ratio,
}: Pick<PriceAction, 'actionType' | 'exDate' | 'ratio'>): PriceAction {
  return { actionType, exDate, ratio, amount: null, currency: null }
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
