import type { AsOf } from '../../../core/as-of.js'
import type { Cik, Ticker } from '../../../core/identifiers.js'
import { type IsoDate, toIsoDate } from '../../../core/time.js'
import { LISTED_SYMBOL } from '../../../generated/columns.js'
import { asOfStatement } from '../../../platform/bi-temporal/as-of-statement.js'
import { seriesCloser } from '../../../platform/bi-temporal/close-rows.js'
import {
  type Known,
  type SeriesTable,
  SOURCE_COLUMN,
  storedColumns,
  type WriteCounts,
} from '../../../platform/bi-temporal/series-table.js'
import type { Wholeness } from '../../../platform/bi-temporal/withdraw/wholeness.js'
import { seriesWriter } from '../../../platform/bi-temporal/write-series.js'
import type { Sql, Transaction } from '../../../platform/database/database.js'
import { type RowOf, selectList, without } from '../../../platform/database/statement.js'
import { assertNotCutOff } from '../cut-list.js'
import { type ListedLine, type ListedSymbol, tickerOfList } from './listed-symbols-model.js'
import { withDays } from './stored-days-model.js'

const STORED_COLUMNS = without(LISTED_SYMBOL, 'knownFrom', 'knownTo', 'source')

/** The days on which the lists have a ticker with one holder and exchange. */
type StoredPeriod = RowOf<typeof STORED_COLUMNS>

const TABLE: SeriesTable<StoredPeriod> = {
  name: 'listed_symbol',
  key: storedColumns(LISTED_SYMBOL, 'ticker', 'cik', 'exchange', 'occurrence'),
  values: storedColumns(LISTED_SYMBOL, 'name', 'validFrom', 'validTo'),
  notes: [SOURCE_COLUMN],
}

const writePeriods = seriesWriter(TABLE)
const closePeriods = seriesCloser(TABLE)

/** A ticker that the lists have now, and its holder. */
type OpenPeriod = StoredPeriod & { readonly ticker: Ticker; readonly cik: Cik }

async function loadOpenPeriods({ prisma }: Transaction): Promise<readonly OpenPeriod[]> {
  const rows = await prisma.listedSymbol.findMany({
    where: { knownTo: null, validTo: null },
    omit: { knownFrom: true, knownTo: true, source: true },
    orderBy: [{ ticker: 'asc' }, { cik: 'asc' }, { exchange: 'asc' }],
  })
  // The casts are safe: both are checked before they are stored.
  return rows.map((row) => ({ ...withDays(row), ticker: row.ticker as Ticker, cik: row.cik as Cik }))
}

const keyText = ({ ticker, cik, exchange }: Pick<StoredPeriod, 'ticker' | 'cik' | 'exchange'>) =>
  `${ticker} ${cik} ${exchange}`

/** The periods that ended, or the reason why none did. */
export interface EndedPeriods {
  readonly ended: number
  /** Null if nothing speaks against it. */
  readonly kept: string | null
}

/** Writes one list. The day of the run is the day of the list, because the list does not state it. */
export class ListedSymbolsWriter {
  readonly #tx: Transaction
  /** The place of each ticker in the list, by its key. */
  readonly #seen = new Map<string, number>()
  #isFirstList: boolean | null = null
  #hasUnreadableLines = false

  constructor(tx: Transaction) {
    this.#tx = tx
  }

  /**
   * Begins a period for each ticker that the stored lists do not have with this holder and exchange. Its first day is that of
   * the list; null in the first list of all, because the ticker may be older.
   */
  async write(lines: readonly ListedLine[], known: Known): Promise<WriteCounts> {
    const listed = lines.filter((line) => line.kind === 'listed')
    this.#hasUnreadableLines ||= listed.length < lines.length
    this.#isFirstList ??= (await this.#tx.prisma.listedSymbol.findFirst()) === null
    const stored = await this.#tx.prisma.listedSymbol.findMany({
      where: { knownTo: null, ticker: { in: listed.map(({ ticker }) => ticker) } },
      omit: { knownFrom: true, knownTo: true, source: true },
      orderBy: { occurrence: 'asc' },
    })
    // The last period of a key replaces the earlier ones.
    const byKey = new Map(stored.map((row) => [keyText(row), withDays(row)]))
    const day = toIsoDate(known.knownAt)
    const begin = this.#isFirstList ? null : day
    for (const line of listed) this.#seen.set(keyText(line), this.#seen.get(keyText(line)) ?? this.#seen.size)
    const rows = listed.map((line) => continuePeriod(line, byKey.get(keyText(line)), { day, begin }))
    return rows.length === 0 ? { added: 0, revised: 0, unchanged: 0 } : writePeriods(this.#tx, rows, known)
  }

  /**
   * Ends the periods of tickers that the list no longer has. Lines that could not be read keep all of them. Throws
   * `TooManyWithdrawn` if more than a tenth would end, unless the operator says that the list is complete.
   */
  async endUnlisted(known: Known, { isSaid }: Wholeness): Promise<EndedPeriods> {
    const open = await loadOpenPeriods(this.#tx)
    const missing = open.filter((row) => !this.#seen.has(keyText(row)))
    if (missing.length === 0) return { ended: 0, kept: null }
    if (this.#hasUnreadableLines) {
      const kept = `lines of the list could not be read, so tickers that it lacks are kept: ${missing.length}`
      return { ended: 0, kept }
    }
    const sizes = { listed: this.#seen.size, stored: open.length, missing: missing.length }
    if (!isSaid) assertNotCutOff({ what: 'tickers', ...sizes })
    const day = toIsoDate(known.knownAt)
    // A period that begins and ends within one day was an error of an earlier list of that day.
    await closePeriods(
      this.#tx,
      missing.filter(({ validFrom }) => validFrom === day),
      known,
    )
    const ended = missing.flatMap((row) => (row.validFrom === day ? [] : { ...row, validTo: day }))
    if (ended.length > 0) await writePeriods(this.#tx, ended, known)
    return { ended: missing.length, kept: null }
  }

  /** The tickers that the lists have now, each with its holder, in the order of this list. */
  async listNow(): Promise<readonly OpenPeriod[]> {
    const placeOf = (holder: StoredPeriod) => this.#seen.get(keyText(holder)) ?? this.#seen.size
    return (await loadOpenPeriods(this.#tx)).toSorted((a, b) => placeOf(a) - placeOf(b))
  }
}

/** The open period, also one that an earlier list of the same day ended. Otherwise the next one. */
function continuePeriod(
  { ticker, cik, exchange, name }: ListedSymbol,
  latest: StoredPeriod | undefined,
  { day, begin }: { readonly day: IsoDate; readonly begin: IsoDate | null },
): StoredPeriod {
  const isOpen = latest !== undefined && (latest.validTo === null || latest.validTo === day)
  const { occurrence, validFrom } = isOpen
    ? latest
    : { occurrence: (latest?.occurrence ?? 0) + 1, validFrom: begin }
  return { ticker, cik, exchange, occurrence, name, validFrom, validTo: null }
}

const PERIOD_COLUMNS = {
  ...STORED_COLUMNS,
  requested: 'text',
  successor: 'text?',
  source: 'text',
} as const

/** A period of a ticker in the lists, with the ticker as it was requested. */
export type ListedPeriod = RowOf<typeof PERIOD_COLUMNS>

// A company that gave up one ticker and took another with the
// same list changed the ticker; with several the choice is unclear.
const PERIODS = asOfStatement(
  'lacks aggregate of a join',
  PERIOD_COLUMNS,
  2,
  null,
  (known) => `select requested.ticker as requested, ${selectList(STORED_COLUMNS, 's')}, s.source, case when (
       select count(*) from listed_symbol as e where e.cik = s.cik and e.valid_to = s.valid_to and ${known('e')}
     ) = 1 then (
       select case when count(*) = 1 then min(n.ticker) end from listed_symbol as n
       where n.cik = s.cik and n.valid_from = s.valid_to and n.ticker <> s.ticker and ${known('n')}
     ) end as successor
   from unnest($1::text[], $2::text[]) as requested(ticker, listed)
   join listed_symbol as s on s.ticker = requested.listed and ${known('s')}
   order by s.valid_to desc nulls first, s.cik, s.exchange, s.occurrence`,
)

/** The periods of tickers in the lists, the latest first. */
export function loadListedPeriods(
  sql: Sql,
  tickers: readonly string[],
  asOf: AsOf | null,
): Promise<readonly ListedPeriod[]> {
  return PERIODS(sql, [tickers, tickers.map(tickerOfList)], asOf)
}
