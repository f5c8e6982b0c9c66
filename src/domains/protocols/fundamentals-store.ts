import type { DayRange } from '../../core/day-range.js'
import { Decimal, type DecimalText, decimalText, roundSignificant } from '../../core/decimal.js'
import type { IsoDate } from '../../core/time.js'
import { ASSET_FUNDAMENTALS } from '../../generated/columns.js'
import { asOfStatement } from '../../platform/bi-temporal/as-of-statement.js'
import {
  type Known,
  type SeriesTable,
  SOURCE_COLUMN,
  storedColumn,
  storedColumns,
} from '../../platform/bi-temporal/series-table.js'
import { seriesWriter } from '../../platform/bi-temporal/write-series.js'
import type { Sql, Transaction } from '../../platform/database/database.js'
import { type RowOf, selectList, statement } from '../../platform/database/statement.js'
import { ASSET_PROTOCOLS } from './asset-protocols-model.js'
import { FUNDAMENTALS_COLUMNS, type FundamentalsFigures, PROTOCOL_FUNDAMENTALS_VERSION } from './model.js'

const INPUT_COLUMNS = {
  assetId: 'int4',
  snapshotDate: 'date',
  fees: 'numeric?',
  revenue: 'numeric?',
  marketCap: 'numeric?',
  priceSource: 'text?',
  supplySource: 'text?',
} as const

// Plain SQL: one statement sums the protocols and reads the prices and supplies of all assets and days.
const INPUTS = statement(
  'lacks aggregate of a join',
  INPUT_COLUMNS,
  `with summed as (
     select a.asset_id, e.snapshot_date, sum(e.total_30d_usd) filter (where e.measure = 'fees') as fees,
       sum(e.total_30d_usd) filter (where e.measure = 'revenue') as revenue
     from unnest($2::text[], $3::text[]) as of(slug, protocol_id)
     join asset as a on a.slug = of.slug and a.asset_class = 'crypto'
     join protocol_economics as e on e.protocol_id = of.protocol_id and e.known_to is null
       and e.snapshot_date = any($1::date[])
     group by a.asset_id, e.snapshot_date
   )
   select s.asset_id as "assetId", s.snapshot_date as "snapshotDate", trim_scale(s.fees) as fees,
     trim_scale(s.revenue) as revenue, trim_scale(price.vwap_usd * supply.supply) as "marketCap",
     price.source as "priceSource", supply.source as "supplySource"
   from summed as s
   left join asset_supply as supply on supply.asset_id = s.asset_id and supply.known_to is null
   left join lateral (
     select c.vwap_usd, c.source from candle as c
     where supply.supply is not null and c.asset_id = s.asset_id and c.timeframe = '1d' and c.known_to is null
       and c.vwap_usd is not null and c.ts < s.snapshot_date and c.ts >= s.snapshot_date - 7
     order by c.ts desc limit 1
   ) as price on true
   where s.fees is not null or s.revenue is not null`,
)

type Inputs = RowOf<typeof INPUT_COLUMNS>

interface FundamentalsRow extends Pick<Inputs, 'assetId' | 'snapshotDate' | 'priceSource' | 'supplySource'> {
  readonly fees: DecimalText | null
  readonly revenue: DecimalText | null
  readonly feesAnnualized: DecimalText | null
  readonly revenueAnnualized: DecimalText | null
  readonly psRatio: DecimalText | null
  readonly prRatio: DecimalText | null
}

const FUNDAMENTALS: SeriesTable<FundamentalsRow> = {
  name: 'asset_fundamentals',
  key: storedColumns(ASSET_FUNDAMENTALS, 'assetId', 'snapshotDate'),
  values: [
    storedColumn(ASSET_FUNDAMENTALS, 'fees30dUsd', ({ fees }) => fees),
    storedColumn(ASSET_FUNDAMENTALS, 'revenue30dUsd', ({ revenue }) => revenue),
    ...storedColumns(
      ASSET_FUNDAMENTALS,
      'feesAnnualized',
      'revenueAnnualized',
      'psRatio',
      'prRatio',
      'priceSource',
      'supplySource',
    ),
    { name: 'methodology_version', type: 'text', ofKnown: () => PROTOCOL_FUNDAMENTALS_VERSION },
  ],
  notes: [SOURCE_COLUMN],
}

const writeRows = seriesWriter(FUNDAMENTALS)

const OF_ASSETS = Object.entries(ASSET_PROTOCOLS).flatMap(([slug, ids]) =>
  ids.map((protocolId) => ({ slug, protocolId })),
)

/** Computes the fundamentals of all assets on these days from stored data, and returns the number of changed rows. */
export async function deriveFundamentals(
  tx: Transaction,
  days: readonly IsoDate[],
  known: Known,
): Promise<number> {
  const inputs = await tx.rows(INPUTS, [
    days,
    OF_ASSETS.map(({ slug }) => slug),
    OF_ASSETS.map(({ protocolId }) => protocolId),
  ])
  if (inputs.length === 0) return 0
  const { added, revised } = await writeRows(tx, inputs.map(computeFundamentals), known)
  return added + revised
}

const MONTHS_OF_YEAR = 12

/** More precise than a JSON number, and within the precision of the column. */
const RATIO_DIGITS = 18

/** Implements `PROTOCOL_FUNDAMENTALS_METHOD`. */
function computeFundamentals({
  fees,
  revenue,
  marketCap,
  priceSource,
  supplySource,
  ...of
}: Inputs): FundamentalsRow {
  const cap = numberOf(marketCap)
  const [paid, kept] = [numberOf(fees), numberOf(revenue)]
  const [paidOfYear, keptOfYear] = [paid, kept].map((sum) => sum?.times(MONTHS_OF_YEAR) ?? null)
  return {
    ...of,
    fees: textOf(paid),
    revenue: textOf(kept),
    feesAnnualized: textOf(paidOfYear),
    revenueAnnualized: textOf(keptOfYear),
    psRatio: textOf(ratioOf(cap, paidOfYear)),
    prRatio: textOf(ratioOf(cap, keptOfYear)),
    priceSource: cap === null ? null : priceSource,
    supplySource: cap === null ? null : supplySource,
  }
}

/** A larger ratio is meaningless and does not fit the column. */
const MAX_RATIO = 1e30

/** Null without a cap or a figure, if the figure is not above zero, and if it is so small that the ratio exceeds `MAX_RATIO`. */
function ratioOf(cap: Decimal | null, figure: Decimal | null | undefined): Decimal | null {
  if (cap === null || figure == null || figure.lessThanOrEqualTo(0)) return null
  const ratio = roundSignificant(cap.dividedBy(figure), RATIO_DIGITS)
  return ratio.greaterThan(MAX_RATIO) ? null : ratio
}

function numberOf(text: string | null): Decimal | null {
  // Uses `Decimal` directly: sums and products have more digits than the parser of outside figures accepts.
  return text === null ? null : roundSignificant(new Decimal(text), 30)
}

function textOf(value: Decimal | null | undefined): DecimalText | null {
  return value == null ? null : decimalText(value.toDecimalPlaces(30))
}

// Plain SQL: one statement reads the newest days of several assets.
const selectDays = asOfStatement(
  'lacks page per key',
  FUNDAMENTALS_COLUMNS,
  4,
  null,
  (known) => `
  select newest.* from unnest($1::int[]) as requested(asset_id)
  cross join lateral (
    select ${selectList(FUNDAMENTALS_COLUMNS, 'f')} from asset_fundamentals as f
    where f.asset_id = requested.asset_id and f.snapshot_date between $2::date and $3::date and ${known('f')}
    order by f.snapshot_date desc limit $4::int
  ) as newest
  order by newest."assetId", newest."snapshotDate"`,
)

/** The newest days of each asset within a range, oldest first, in one statement. */
export function loadFundamentals(
  sql: Sql,
  assetIds: readonly number[],
  { from, to, limit, asOf }: DayRange,
): Promise<readonly FundamentalsFigures[]> {
  return selectDays(sql, [assetIds, from, to, limit], asOf)
}
