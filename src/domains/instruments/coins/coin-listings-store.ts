import type { Venue } from '../../../core/consensus/venue-symbols.js'
import { EXCHANGE_LISTING } from '../../../generated/columns.js'
import type { Known, SeriesTable, WrittenRows } from '../../../platform/bi-temporal/series-table.js'
import { SOURCE_COLUMN, storedColumns } from '../../../platform/bi-temporal/series-table.js'
import { recordSeenKeys, type SeenKeys } from '../../../platform/bi-temporal/withdraw/withdraw-unseen.js'
import { seriesWriter } from '../../../platform/bi-temporal/write-series.js'
import type { Transaction } from '../../../platform/database/database.js'
import type { CoinListing, CoinListingLine, Dollar } from './coin-listings-model.js'

const LISTINGS: SeriesTable<CoinListing> = {
  name: 'exchange_listing',
  key: storedColumns(EXCHANGE_LISTING, 'venue', 'symbol'),
  values: storedColumns(EXCHANGE_LISTING, 'ticker', 'quote', 'isTrading', 'name'),
  notes: [SOURCE_COLUMN],
  isWithdrawable: true,
}

const writeListings = seriesWriter(LISTINGS)

/** Writes the complete list of one venue. */
export class CoinListingsWriter {
  readonly #tx: Transaction
  #seen: SeenKeys<CoinListing> | null = null
  #unreadable = 0

  constructor(tx: Transaction) {
    this.#tx = tx
  }

  /** Adds and revises pairs; lines that could not be read are not counted. */
  async write(lines: readonly CoinListingLine[], known: Known): Promise<WrittenRows> {
    const pairs = lines.flatMap((line) => (line.kind === 'pair' ? line : []))
    this.#unreadable += lines.length - pairs.length
    this.#seen ??= await recordSeenKeys(this.#tx, LISTINGS, ['venue'])
    await this.#seen.note(pairs)
    return writeListings(this.#tx, pairs, known)
  }

  /** Withdraws the pairs that the list lacks and returns their number; none if a line could not be read. See `SeenKeys`. */
  async endUnlisted(known: Known): Promise<{ readonly ended: number; readonly kept: string | null }> {
    if (this.#unreadable > 0)
      return { ended: 0, kept: 'no pair is ended, because lines of the list could not be read' }
    return { ended: (await this.#seen?.withdraw(known)) ?? 0, kept: null }
  }
}

/** The pairs that the lists have now, by venue and symbol. */
export async function loadCoinListings({
  prisma,
}: Pick<Transaction, 'prisma'>): Promise<readonly CoinListing[]> {
  const rows = await prisma.exchangeListing.findMany({
    where: { knownTo: null, isWithdrawn: false },
    orderBy: [{ venue: 'asc' }, { symbol: 'asc' }],
  })
  return rows.map(({ venue, symbol, ticker, quote, isTrading, name }) => ({
    venue: venue as Venue, // only the writer above writes these columns
    symbol,
    ticker: ticker ?? '',
    quote: quote as Dollar,
    isTrading: isTrading ?? false,
    name,
  }))
}
