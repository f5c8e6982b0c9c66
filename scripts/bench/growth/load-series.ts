import { consensus } from '../../../src/core/consensus/consensus.js'
import { Decimal } from '../../../src/core/decimal.js'
import { packSources } from '../../../src/domains/market/compact/packed-sources-model.js'
import { candleRow } from '../../../src/ingest/datasets/market/roll-up.js'
import type { Database } from '../../../src/platform/database/database.js'
import { CURRENCIES, currencyCode, DAY_MS, END, HOUR_MS, MICS, REVISED_EACH, type Scale } from './scale.js'

/** Asset 1 is the first with a tier and a price. The other classes of the catalogue follow the assets with candles. */
const ASSETS = `
  insert into asset (asset_id, slug, ticker, name, asset_class, tier, last_updated, source)
  select id, 'asset-' || id, 'A' || id, 'Asset number ' || id,
    case when id <= $2::int then 'crypto' else (array['stock', 'etf', 'commodity'])[1 + id % 3] end::asset_class,
    case when id <= $2::int then 1 + id % 3 end, $3::timestamptz, 'bench'
  from generate_series(1, $1::int) as id`

const LISTINGS = `
  insert into instrument (instrument_id, asset_id, ticker, mic, currency, is_primary, source)
  select id, id, 'A' || id, ($2::text[])[1 + id % cardinality($2::text[])], 'USD', true, 'bench'
  from generate_series(1, $1::int) as id`

const SUPPLIES = `
  insert into asset_supply (asset_id, supply, source, observed_at, known_from)
  select id, 1000000 * id, 'bench', $2::timestamptz, $2::timestamptz from generate_series(1, $1::int) as id`

const VERSIONS = `
  insert into asset_version (asset_id, ticker, name, tier, known_from, source)
  select asset_id, ticker, name, tier, last_updated, source from asset where asset_class = 'crypto'`

export async function fillAssets(database: Database, { assets, series }: Scale): Promise<void> {
  await database.rows(ASSETS, [assets, series, END])
  await database.rows(LISTINGS, [assets, MICS])
  await database.rows(SUPPLIES, [series, END])
  await database.rows(VERSIONS)
}

/**
 * Writes the windows by time, all assets of a window together, like ingestion. A window is known five minutes after its
 * end. One in `REVISED_EACH` is revised a day later, which leaves a closed row.
 */
const CANDLES = `
  insert into candle (asset_id, timeframe, ts, vwap_usd, volume_usd, exchanges_count, max_source_weight,
    methodology_version, sources, source, known_from, known_to)
  select asset_id, $5::timeframe, ts, asset_id * 10 + round((20 * random())::numeric, 12),
    round((1e7 * random())::numeric, 6), 4, round((0.25 + 0.25 * random())::numeric, 10),
    'vwap-consensus-1', ($6::bytea[])[1 + (place + asset_id) % cardinality($6::bytea[])], 'bench',
    ts + $3::interval + version.known_after, ts + $3::interval + version.replaced_after
  from generate_series($1::timestamptz, $2::timestamptz, $3::interval) with ordinality as series(ts, place)
  cross join generate_series(1, $4::int) as asset_id
  cross join (values (true, interval '5 minutes', interval '1 day'), (true, interval '1 day', null),
    (false, interval '5 minutes', null)) as version(is_of_revised, known_after, replaced_after)
  where version.is_of_revised = ((place + asset_id) % ${REVISED_EACH} = 0)`

/** Sources of four venues, as the consensus makes them. */
const SOURCES = Array.from({ length: 200 }, (_, place) => {
  const inputs = ['binance', 'bitstamp', 'coinbase', 'kraken'].map((venue, at) => ({
    venue,
    vwapUsd: new Decimal(1_000 + place + at).dividedBy(7),
    volumeUsd: new Decimal(1_000_000 + 1_000 * place * (1 + at)).dividedBy(3),
  }))
  const window = { timeframe: '1h', ts: END } as const
  return packSources(candleRow(1, window, consensus(inputs, 1)).sources)
})

/** Two connections, one for each core. Parts that are filled at the same time rarely share a partition. */
export async function fillCandles(database: Database, { series, hours }: Scale): Promise<void> {
  const parts = [
    ...yearsOf(hours * HOUR_MS).map(([from, to]) => ({ from, to, lengthMs: HOUR_MS, timeframe: '1h' })),
    ...yearsOf(Math.floor(hours / 24) * DAY_MS).map(([from, to]) => ({
      from,
      to,
      lengthMs: DAY_MS,
      timeframe: '1d',
    })),
  ]
  const work = async () => {
    for (let part = parts.shift(); part !== undefined; part = parts.shift()) {
      const { from, to, lengthMs, timeframe } = part
      const last = new Date(to.getTime() - lengthMs)
      await database.rows(CANDLES, [from, last, `${lengthMs} milliseconds`, series, timeframe, SOURCES])
    }
  }
  await Promise.all([work(), work()])
}

/** The span that ends at `END`, split by year like the partitions. */
function yearsOf(spanMs: number): readonly (readonly [from: Date, to: Date])[] {
  const parts: [Date, Date][] = []
  for (let from = new Date(END.getTime() - spanMs); from < END; ) {
    const newYear = new Date(Date.UTC(from.getUTCFullYear() + 1, 0, 1))
    const to = newYear < END ? newYear : END
    parts.push([from, to])
    from = to
  }
  return parts
}

/** Writes day by day, all currencies together. Rates are known at 15:00; one in `REVISED_EACH` is revised a day later. */
const RATES = `
  insert into forex_rate (quote, date, rate, known_from, known_to, source)
  select quote, day::date, 1 + round(random()::numeric, 8), day + version.known_after, day + version.replaced_after,
    'bench'
  from generate_series($1::timestamptz, $2::timestamptz, interval '1 day') with ordinality as series(day, place)
  cross join unnest($3::text[]) with ordinality as currency(quote, number)
  cross join (values (true, interval '15 hours', interval '39 hours'), (true, interval '39 hours', null),
    (false, interval '15 hours', null)) as version(is_of_revised, known_after, replaced_after)
  where version.is_of_revised = ((place + number) % ${REVISED_EACH} = 0)`

/** Every day is a publication day, because weekends would only make the table shorter. */
export async function fillRates(database: Database, { forexDays }: Scale): Promise<void> {
  const day = (daysBefore: number) => new Date(END.getTime() - daysBefore * DAY_MS)
  const quotes = Array.from({ length: CURRENCIES }, (_, index) => currencyCode(index))
  await database.rows(RATES, [day(forexDays), day(1), quotes])
}
