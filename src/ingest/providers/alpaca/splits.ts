import { type DecimalText, decimal, decimalText } from '../../../core/decimal.js'
import { PROVIDERS } from '../../../core/providers.js'
import { type IsoDate, parseIsoDate } from '../../../core/time.js'
import type { ActionRow } from '../../../domains/stocks/model.js'
import { DuplicateRows } from '../../bodies/duplicate-rows.js'
import { isJsonObject, isList, type Json, shown, textCell } from '../../bodies/json/json-body.js'
import { onceOrNever } from '../../bodies/once-or-never.js'
import { type Read, readAll, readOn } from '../../bodies/read.js'
import { readDecimal } from '../../bodies/read-decimal.js'
import { type Page, type PagedFeed, type ParseContext, type Parsed, quoted } from '../../feed.js'
import { ALPACA_KEY, ALPACA_REQUEST, toAlpacaSymbol } from './alpaca.js'
import { nextAlpacaPage, readAlpacaPage } from './answer.js'

const ADDRESS = 'https://data.alpaca.markets/v1/corporate-actions'

export const ALPACA_SPLITS_FEED = 'alpaca-splits'

/** Actions of a page; the most that Alpaca allows. */
const PAGE_ACTIONS = 1_000

/** Kinds of the answer, by the word for them in the request. */
const KINDS = { forward_split: 'forward_splits', reverse_split: 'reverse_splits' } as const

/** A ratio such as 1 / 3 is rounded to the digits that a stored decimal may have. */
const RATIO_DIGITS = 30

/** A listing whose splits are stored. */
interface SplitListing {
  readonly assetId: number
  readonly ticker: string
  /** Days on which another source stated a split: it stays. */
  readonly statedElsewhere: { readonly splits: ReadonlySet<IsoDate> }
}

interface AlpacaSplitsRequest {
  readonly listings: readonly SplitListing[]
  readonly from: IsoDate
  readonly to: IsoDate
}

/** Splits of all securities of the United States in a range of ex-dates. */
export function alpacaSplits(asked: AlpacaSplitsRequest): PagedFeed<ActionRow> {
  const url = new URL(ADDRESS)
  const { from: start, to: end } = asked
  const query = { types: Object.keys(KINDS).join(','), start, end, limit: String(PAGE_ACTIONS), sort: 'asc' }
  url.search = new URLSearchParams(query).toString()
  return {
    id: ALPACA_SPLITS_FEED,
    provider: PROVIDERS.alpaca,
    dataset: 'corporate_actions',
    description: 'Splits of all stocks and ETFs of the United States',
    cadence: 'after each session in New York; needs ALPACA_API_KEY_ID',
    keyVariable: ALPACA_KEY,
    request: () => ({ ...ALPACA_REQUEST, url: ADDRESS }),
    requests: () => [{ ...ALPACA_REQUEST, url: url.href }],
    next: (page) => nextAlpacaPage(page, 'corporate_actions'),
    parsePages: (pages, context) => parseSplits(pages, asked, context),
  }
}

/** Splits of securities that the master does not have are absent, and so are actions of other kinds. */
function* parseSplits(
  pages: readonly Page[],
  { listings }: AlpacaSplitsRequest,
  { onAbsent }: ParseContext,
): Generator<Parsed<ActionRow>> {
  const bySymbol = new Map(listings.map((listing) => [toAlpacaSymbol(listing.ticker), listing]))
  const seen = new DuplicateRows()
  const kinds: readonly string[] = Object.values(KINDS)
  for (const { body } of pages) {
    for (const [kind, actions] of readAlpacaPage(body, 'corporate_actions').found) {
      if (!isList(actions)) {
        yield { kind: 'rejected', position: quoted(kind), reason: `it is ${shown(actions)}, not a list` }
        continue
      }
      for (const [at, action] of actions.entries()) {
        const read = kinds.includes(kind) ? readSplit(action, bySymbol) : null
        const position = `${quoted(kind)} ${at + 1}`
        if (read === null) onAbsent()
        else if ('wrong' in read) yield { kind: 'rejected', position, reason: read.wrong }
        else yield* onceOrNever(seen, read.value, { position, name: read.value.exDate, keyOf, onAbsent })
      }
    }
  }
}

function keyOf({ assetId, exDate, actionType }: ActionRow): string {
  return `${assetId} ${exDate} ${actionType}`
}

/** Null if the split is of another security, or if another source stated it. */
function readSplit(action: Json, bySymbol: ReadonlyMap<string, SplitListing>): Read<ActionRow> | null {
  if (!isJsonObject(action)) return { wrong: `it is ${shown(action)}, not an object` }
  const cell = (name: string) => textCell(action, name)
  const listing = bySymbol.get(cell('symbol'))
  if (cell('symbol') === '') return { wrong: 'symbol is missing' }
  if (listing === undefined) return null
  const { assetId, statedElsewhere } = listing
  const exDate = parseIsoDate(cell('ex_date'))
  if (exDate === null) return { wrong: `ex_date ${quoted(cell('ex_date'))} must be a day, YYYY-MM-DD` }
  if (statedElsewhere.splits.has(exDate)) return null
  const rates = readAll({ shares: readRate('new_rate', cell), before: readRate('old_rate', cell) })
  return readOn(rates, ({ shares, before }) => {
    const ratio = decimal(shares).div(before)
    if (ratio.eq(1)) return { wrong: 'new_rate equals old_rate' }
    const actionType = ratio.gt(1) ? ('split' as const) : ('reverse_split' as const)
    const text = decimalText(ratio.toSignificantDigits(RATIO_DIGITS))
    return { value: { assetId, exDate, actionType, ratio: text, valueRatio: null, description: null } }
  })
}

/** A number of shares, above zero. */
function readRate(name: string, cell: (name: string) => string): Read<DecimalText> {
  return readOn(readDecimal(cell(name)), (value) =>
    decimal(value).gt(0) ? { value } : { wrong: `${name} ${quoted(value)} must be above zero` },
  )
}
