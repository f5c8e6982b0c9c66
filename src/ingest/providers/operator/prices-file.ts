import type { DecimalText } from '../../../core/decimal.js'
import { groupBy } from '../../../core/group-by.js'
import type { DailyPrice, PricedListing } from '../../../domains/prices/model.js'
import { DuplicateRows } from '../../bodies/duplicate-rows.js'
import { onceOrNever } from '../../bodies/once-or-never.js'
import {
  readConsistentPrice,
  readPriceDay,
  readSharePrice,
  readShareVolume,
} from '../../bodies/price-cells.js'
import { type Read, readAll, readOn } from '../../bodies/read.js'
import { quoted, type StreamFeed } from '../../feed.js'
import { type OwnColumn, ownColumn, readColumns, type TableRow, type TableTexts } from './columns.js'
import { OPERATOR_FEED } from './keyed-lines.js'
import { type ByTicker, tickerColumns } from './listing-cells.js'
import { readTableStream } from './table.js'

const LISTING = tickerColumns<PricedListing>({ hasMic: true })

const VALUES = {
  date: {
    name: 'date',
    text: '',
    isRequired: true,
    read: (row, now) => readPriceDay(row.cell('date') ?? '', now),
  } satisfies OwnColumn<DailyPrice['date'], Date>,
  open: optionalFigure('open', readSharePrice),
  high: optionalFigure('high', readSharePrice),
  low: optionalFigure('low', readSharePrice),
  close: {
    name: 'close',
    text: 'price of one share on that day as traded, not adjusted for later splits',
    isRequired: true,
    read: (row) => readSharePrice('close', row.cell('close') ?? ''),
  } satisfies OwnColumn<DecimalText>,
  volume: optionalFigure('volume', readShareVolume, 'in shares'),
  currency: ownColumn('currency', '', readCurrency, true),
}

const COLUMNS = { ...LISTING, ...VALUES }

export const PRICES_TABLE: TableTexts = {
  columns: COLUMNS,
  notes: [
    'a price that differs from that of an earlier file is a revision; an empty cell of open, high, low or volume keeps the earlier value if close and currency are the earlier ones, and otherwise means that the value is unknown',
  ],
}

/** The operator's table of daily prices, of any length. `source` is the provider of the rows. */
export function pricesFile(
  listings: readonly PricedListing[],
  source: string = OPERATOR_FEED.provider.id,
): StreamFeed<DailyPrice> {
  const byTicker = groupBy(listings, ({ ticker }) => ticker)
  return {
    ...OPERATOR_FEED,
    id: 'prices',
    dataset: 'prices',
    description: 'Daily prices of stocks and ETFs, from a CSV file',
    parseStream: async function* (chunks, { now, onAbsent }) {
      const seen = new DuplicateRows()
      for await (const row of readTableStream(chunks, COLUMNS)) {
        if ('kind' in row) {
          yield row
          continue
        }
        const read = readPrice(row, { byTicker, source, now })
        const position = `line ${row.line}`
        if ('wrong' in read) yield { kind: 'rejected', position, reason: read.wrong }
        else yield* onceOrNever(seen, read.value, { position, name: read.value.date, keyOf, onAbsent })
      }
    },
  }
}

function keyOf({ instrumentId, date }: DailyPrice): string {
  return `${instrumentId} ${date}`
}

interface FileWorld {
  readonly byTicker: ByTicker<PricedListing>
  readonly source: string
  readonly now: Date
}

function readPrice(row: TableRow, { byTicker, source, now }: FileWorld): Read<DailyPrice> {
  const read = readAll({
    listing: LISTING.listing.read(row, byTicker),
    values: readColumns(VALUES, row, now),
  })
  return readOn(read, ({ listing, values }) =>
    readConsistentPrice({ instrumentId: listing.instrumentId, source, ...values }),
  )
}

function optionalFigure(
  name: string,
  read: (name: string, cell: string) => Read<DecimalText>,
  text = '',
): OwnColumn<DecimalText | null> {
  const readCell = (cell: string) => (cell === '' ? { value: null } : read(name, cell))
  return { name, text, isRequired: false, read: (row) => readCell(row.cell(name) ?? '') }
}

function readCurrency(cell: string): Read<string> {
  return /^[A-Z]{3}$/.test(cell)
    ? { value: cell }
    : { wrong: `${quoted(cell)} must be a code of three capital letters, such as USD` }
}
