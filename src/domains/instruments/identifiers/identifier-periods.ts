import { groupBy } from '../../../core/group-by.js'
import type { IsoDate } from '../../../core/time.js'
import type { FormerTicker, IdentifierRow } from '../model.js'

/** An identifier of which an instrument may have several periods. */
export interface NumberedIdentifier extends IdentifierRow {
  /** 1 for the first period in which the instrument has the identifier, 2 for the second. */
  readonly occurrence: number
}

/** The tickers of an instrument in order of time. Each begins on the day on which the previous one ended. */
export function buildTickerChain(
  assetId: number,
  ticker: string,
  former: readonly FormerTicker[],
): readonly IdentifierRow[] {
  const inOrder = former.toSorted((a, b) => (a.to < b.to ? -1 : 1))
  const scheme = 'ticker' as const
  const ended = inOrder.map((one, at) => {
    const before = inOrder[at - 1]?.to ?? null
    return {
      assetId,
      scheme,
      value: one.ticker,
      validFrom: before === one.to ? null : before,
      validTo: one.to,
    }
  })
  return [...ended, { assetId, scheme, value: ticker, validFrom: inOrder.at(-1)?.to ?? null, validTo: null }]
}

/**
 * The stored former tickers of an instrument with those that a source gives. Given ones replace the stored ones of the same
 * ticker. The current ticker only gets an end: the instrument may have had it before.
 */
export function mergeFormerTickers(
  stored: readonly Pick<IdentifierRow, 'value' | 'validTo'>[],
  given: readonly FormerTicker[],
): readonly FormerTicker[] {
  const current = new Set(stored.flatMap(({ value, validTo }) => (validTo === null ? value : [])))
  const replaced = new Set(given.flatMap(({ ticker }) => (current.has(ticker) ? [] : ticker)))
  const kept = stored.flatMap(({ value, validTo }) =>
    validTo === null || replaced.has(value) ? [] : { ticker: value, to: validTo },
  )
  const isKept = (one: FormerTicker) => kept.some(({ ticker, to }) => ticker === one.ticker && to === one.to)
  return [...kept, ...given.filter((one) => !isKept(one))]
}

/** Numbers the periods of each identifier in order of time; the one without an end is the last. */
export function numberOccurrences(rows: readonly IdentifierRow[]): readonly NumberedIdentifier[] {
  const ofIdentifier = groupBy(rows, ({ assetId, scheme, value }) => `${assetId} ${scheme} ${value}`)
  return [...ofIdentifier.values()].flatMap((own) =>
    own.toSorted(byEnd).map((row, at) => ({ ...row, occurrence: at + 1 })),
  )
}

function byEnd({ validTo: a }: IdentifierRow, { validTo: b }: IdentifierRow): number {
  if (a === b) return 0
  if (a === null || b === null) return a === null ? 1 : -1
  return a < b ? -1 : 1
}

/** A CIK and the one that took its place on a day. */
export interface CikChange {
  readonly assetId: number
  readonly formerCik: string
  readonly cik: string
  readonly day: IsoDate
}

/** The periods of both CIKs. */
export function toCikRows({ assetId, formerCik, cik, day }: CikChange): readonly IdentifierRow[] {
  return [
    { assetId, scheme: 'cik', value: formerCik, validFrom: null, validTo: day },
    { assetId, scheme: 'cik', value: cik, validFrom: day, validTo: null },
  ]
}
