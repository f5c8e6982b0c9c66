import { PROVIDERS } from '../../../core/providers.js'
import type { CommodityPriceRow } from '../../../domains/commodities/model.js'
import { csvRecords } from '../../bodies/csv/csv.js'
import { MonthlyPrices, monthText } from '../../bodies/monthly-prices.js'
import { withoutContradicted } from '../../bodies/without-contradicted.js'
import { BrokenBody, type Feed, type ParseContext, type Parsed, quoted } from '../../feed.js'

/** Gold by month, as a table of two columns. */
export const worldBankCommodities: Feed<CommodityPriceRow> = {
  id: 'worldbank-commodities',
  provider: PROVIDERS.worldBank,
  dataset: 'commodities',
  description: 'Monthly prices of gold, USD per troy ounce, from a table of the World Bank',
  cadence: 'by file only',
  fileNames: ['monthly.csv (columns Date, Price: gold)'],
  parse: (body, context) => withoutContradicted(parseGold(body, context), monthText),
}

const GOLD = { symbol: 'XAU', exponent: 0 } as const

/** The first year of the World Bank's prices; earlier months of a table come from other sources. */
const FIRST_MONTH = '1960-01'

function* parseGold(body: Uint8Array, context: ParseContext): Generator<Parsed<CommodityPriceRow>> {
  const [header, ...records] = [...csvRecords(body, context.onRead)]
  if (header?.cells.join() !== 'Date,Price') {
    const begin = quoted((header?.cells ?? []).slice(0, 3).join())
    throw new BrokenBody(`the first line must be Date,Price, not ${begin}`)
  }
  if (records.length === 0) throw new BrokenBody('the table has no rows')
  const prices = new MonthlyPrices(context)
  let before = 0
  for (const { line, cells } of records) {
    const position = `line ${line}`
    const [date = '', text = ''] = cells
    const month = cells.length === 2 ? prices.month(date) : { wrong: `has ${cells.length} cells, not 2` }
    if (/^1[6-9]\d\d-(0[1-9]|1[0-2])$/.test(date) && date < FIRST_MONTH) before += 1
    else if ('wrong' in month) yield { kind: 'rejected', position, reason: month.wrong }
    else {
      const price = prices.read({ position, month: month.value, text, ...GOLD })
      if (price === null) context.onAbsent()
      else yield price
    }
  }
  if (before > 0) {
    context.onAbsent(before - 1)
    const reason = `${before} months before 1960 are left out: the World Bank's prices begin in 1960`
    yield { kind: 'rejected', position: 'the table', reason }
  }
}
