import type { AsOf } from '../../../core/as-of.js'
import { groupBy } from '../../../core/group-by.js'
import type { Figi } from '../../../core/identifiers.js'
import { type IsoDate, toIsoDate } from '../../../core/time.js'
import { ASSET, FIGI_SYMBOL, INSTRUMENT } from '../../../generated/columns.js'
import { asOfStatement } from '../../../platform/bi-temporal/as-of-statement.js'
import { seriesCloser } from '../../../platform/bi-temporal/close-rows.js'
import {
  type Known,
  type SeriesTable,
  SOURCE_COLUMN,
  storedColumns,
  type WriteCounts,
} from '../../../platform/bi-temporal/series-table.js'
import { seriesWriter } from '../../../platform/bi-temporal/write-series.js'
import type { Queries, Sql, Transaction } from '../../../platform/database/database.js'
import { only, type RowOf, selectList, without } from '../../../platform/database/statement.js'
import { LIST_SOURCES } from '../model.js'
import type { FigiSymbol } from './figi-symbols-model.js'
import { withDays } from './stored-days-model.js'

const STORED_COLUMNS = without(FIGI_SYMBOL, 'knownFrom', 'knownTo', 'source')

/** The days on which the answers have a FIGI with one ticker. */
type StoredSymbol = RowOf<typeof STORED_COLUMNS>

const TABLE: SeriesTable<StoredSymbol> = {
  name: 'figi_symbol',
  key: storedColumns(FIGI_SYMBOL, 'figi', 'ticker', 'occurrence'),
  values: storedColumns(FIGI_SYMBOL, 'name', 'validFrom', 'validTo'),
  notes: [SOURCE_COLUMN],
}

const writeSymbols = seriesWriter(TABLE)
const closeSymbols = seriesCloser(TABLE)

/** The outcome of answers, and the number of earlier periods that they ended or took back. */
export interface WrittenSymbols extends WriteCounts {
  readonly alsoChanged: number
}

/**
 * Compares the answers of a day with the stored ones. The day is that of the run, because an answer states none. A ticker
 * that differs from the stored one begins a period and ends the earlier one.
 */
export async function writeFigiSymbols(
  tx: Transaction,
  symbols: readonly FigiSymbol[],
  known: Known,
): Promise<WrittenSymbols> {
  const day = toIsoDate(known.knownAt)
  const rows = await tx.prisma.figiSymbol.findMany({
    where: { knownTo: null, figi: { in: symbols.map(({ figi }) => figi) } },
    omit: { knownFrom: true, knownTo: true, source: true },
    orderBy: { validFrom: { sort: 'asc', nulls: 'first' } },
  })
  const stored = groupBy(rows.map(withDays), ({ figi }) => figi)
  const changes = symbols.map((symbol) => compare(symbol, stored.get(symbol.figi) ?? [], day))
  const wrong = changes.flatMap(({ takenBack }) => takenBack ?? [])
  await closeSymbols(tx, wrong, known)
  const ended = changes.flatMap((change) => change.ended ?? [])
  if (ended.length > 0) await writeSymbols(tx, ended, known)
  const counts = await writeSymbols(
    tx,
    changes.map(({ current }) => current),
    known,
  )
  return { ...counts, alsoChanged: ended.length + wrong.length }
}

interface Change {
  readonly current: StoredSymbol
  readonly ended: StoredSymbol | null
  /** A period that begins on the day of the answer: two answers of one day differ, and the later one counts. */
  readonly takenBack: StoredSymbol | null
}

/** `stored` has the periods of the FIGI in order of time. */
function compare(symbol: FigiSymbol, stored: readonly StoredSymbol[], day: IsoDate): Change {
  const last = stored.at(-1)
  const isSame = last?.ticker === symbol.ticker && last.validTo === null
  if (last !== undefined && isSame)
    return { current: { ...last, name: symbol.name }, ended: null, takenBack: null }
  const isOfToday = last?.validFrom === day
  const before = isOfToday ? stored.at(-2) : last
  const isReopened = isOfToday && before?.ticker === symbol.ticker && before.validTo === day
  const current =
    before !== undefined && isReopened
      ? { ...before, name: symbol.name, validTo: null }
      : {
          ...symbol,
          occurrence: nextOccurrence(symbol, stored),
          validFrom: before === undefined ? null : day,
          validTo: null,
        }
  const ended =
    before === undefined || isReopened || before.validTo !== null ? null : { ...before, validTo: day }
  return { current, ended, takenBack: isOfToday && last !== undefined ? last : null }
}

function nextOccurrence({ ticker }: FigiSymbol, stored: readonly StoredSymbol[]): number {
  return 1 + Math.max(0, ...stored.flatMap((one) => (one.ticker === ticker ? one.occurrence : [])))
}

/** The FIGIs of all followed stocks and ETFs. The list of the SEC has the tickers of the others. */
export async function loadFigis({ prisma }: Pick<Queries, 'prisma'>): Promise<readonly Figi[]> {
  const rows = await prisma.instrument.findMany({
    where: {
      figi: { not: null },
      asset: { assetClass: { in: ['stock', 'etf'] }, source: { notIn: [...LIST_SOURCES] } },
    },
    distinct: ['figi'],
    select: { figi: true },
    orderBy: { figi: 'asc' },
  })
  return rows.flatMap(({ figi }) => (figi as Figi | null) ?? []) // verified before it is stored
}

const PERIOD_COLUMNS = {
  ...STORED_COLUMNS,
  ...only(ASSET, 'assetId', 'slug', 'assetClass'),
  ...only(INSTRUMENT, 'isin', 'cik', 'mic'),
  assetName: 'text',
  successor: 'text?',
  source: 'text',
} as const

/** A period of a ticker in the answers, with the asset that has the FIGI. */
export type FigiPeriod = RowOf<typeof PERIOD_COLUMNS>

// The successor is the ticker that the FIGI had next.
const PERIODS = asOfStatement(
  'lacks newest per key',
  PERIOD_COLUMNS,
  1,
  null,
  (known) => `select distinct on (s.ticker, s.figi, s.occurrence) ${selectList(STORED_COLUMNS, 's')},
     a.asset_id as "assetId", a.slug, a.name as "assetName", a.asset_class as "assetClass", i.isin, i.cik, i.mic, s.source, (
       select n.ticker from figi_symbol as n where n.figi = s.figi and n.valid_from = s.valid_to and ${known('n')}
       order by n.ticker limit 1
     ) as successor
   from figi_symbol as s
   join instrument as i on i.figi = s.figi
   join asset as a on a.asset_id = i.asset_id
   where s.ticker = any($1::text[]) and ${known('s')}
   order by s.ticker, s.figi, s.occurrence, i.is_primary desc, i.instrument_id`,
)

/** The periods of tickers in the answers. */
export function loadFigiPeriods(
  sql: Sql,
  tickers: readonly string[],
  asOf: AsOf | null,
): Promise<readonly FigiPeriod[]> {
  return PERIODS(sql, [tickers], asOf)
}
