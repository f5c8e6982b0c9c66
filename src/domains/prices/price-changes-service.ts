import { publishFigure } from '../../core/consensus/consensus.js'
import { Decimal, toJsonNumber } from '../../core/decimal.js'
import { addDays, daysBetween, type IsoDate, toIsoDate } from '../../core/time.js'
import type { Asset } from '../../generated/prisma/client.js'
import type { RequestContext } from '../../platform/request/request-context.js'
import { missingScope } from '../../policy/decide.js'
import { getPrimaryListing } from '../instruments/service.js'
import { getConsensusHistory } from '../market/service.js'
import { adjustedFigure } from './adjustment-model.js'
import { type AdjustedPrice, findMissingActions, listPricesOfListing } from './service.js'

/** The newest price of an asset and its changes as fractions. */
export interface PriceChanges {
  readonly price: number | null
  readonly currency: string
  readonly priceDate: IsoDate | null
  readonly change1d: number | null
  readonly change7d: number | null
  /** Why a price or a change is null; null if none is. */
  readonly reason: string | null
}

/** An older close is not a current price. */
const MAX_CLOSE_AGE_DAYS = 45

/** A close counts for later days up to this many: a week and a holiday. */
const MAX_GAP_DAYS = 10

const CLOSES_SCOPE = 'instruments:read'

/**
 * The newest price of an asset and its changes: of a crypto asset over 24 hours and 7 days, of a close since the trading day
 * before and over 7 days, adjusted for splits. All assets of a page share each statement.
 */
export function getPriceChanges(asset: Asset, context: RequestContext): Promise<PriceChanges> {
  return asset.assetClass === 'crypto' ? getConsensusChanges(asset, context) : getCloseChanges(asset, context)
}

async function getConsensusChanges(asset: Asset, context: RequestContext): Promise<PriceChanges> {
  const history = await getConsensusHistory(asset, [1, 7], context)
  if (history === null) return withoutPrice('No exchange of the consensus trades the asset.')
  const { price, observedAt, earlier } = history
  const [day = null, week = null] = earlier
  return {
    price: price && toJsonNumber(price),
    currency: 'USD',
    priceDate: toIsoDate(observedAt),
    change1d: changeSince(day, price),
    change7d: changeSince(week, price),
    reason: joinReasons([
      price === null && 'The newest window has no consensus.',
      day === null && 'No consensus of 24 hours earlier is stored.',
      week === null && 'No consensus of 7 days earlier is stored.',
    ]),
  }
}

async function getCloseChanges(asset: Asset, context: RequestContext): Promise<PriceChanges> {
  const { principal, now } = context
  if (principal.kind !== 'anonymous' && !principal.scopes.has(CLOSES_SCOPE))
    return withoutPrice(missingScope(principal, CLOSES_SCOPE).message)
  const listing = await getPrimaryListing(asset.assetId, context)
  const to = toIsoDate(now)
  const range = {
    from: addDays(to, -MAX_CLOSE_AGE_DAYS),
    to,
    limit: MAX_CLOSE_AGE_DAYS + 1,
    page: 1,
    offset: 0,
  }
  const isAdjusted = findMissingActions('splits', context) === null
  const query = { ...range, adjustment: isAdjusted ? 'splits' : 'none', asOf: null } as const
  const { prices } = listing === null ? { prices: [] } : await listPricesOfListing(listing, query, context)
  const newest = prices.at(-1)
  if (newest === undefined)
    return withoutPrice(`No daily price of the last ${MAX_CLOSE_AGE_DAYS} days is stored.`)
  const { currency, date } = newest
  const earlier = prices.filter((price) => price.currency === currency && price.date < date)
  const day = isAdjusted ? closeBefore(earlier, date) : null
  const week = isAdjusted ? closeBefore(earlier, addDays(date, -6)) : null
  return {
    price: Number(newest.close),
    currency,
    priceDate: date,
    change1d: changeSince(day, toClose(newest)),
    change7d: changeSince(week, toClose(newest)),
    reason: isAdjusted
      ? joinReasons([
          day === null && 'No price of the trading day before is stored.',
          week === null && 'No price of 7 days earlier is stored.',
        ])
      : 'Splits of this share are not loaded, and one would appear as a change.',
  }
}

/** The newest close before a day; null if it is more than `MAX_GAP_DAYS` older. */
function closeBefore(prices: readonly AdjustedPrice[], day: IsoDate): Decimal | null {
  const found = prices.findLast(({ date }) => date < day)
  return found === undefined || daysBetween(found.date, day) > MAX_GAP_DAYS ? null : toClose(found)
}

function toClose({ close, factor }: AdjustedPrice): Decimal {
  return new Decimal(adjustedFigure(close, factor) ?? close)
}

function changeSince(earlier: Decimal | null, price: Decimal | null): number | null {
  if (earlier === null || price === null) return null
  return toJsonNumber(publishFigure(price.dividedBy(earlier).minus(1)))
}

function withoutPrice(reason: string): PriceChanges {
  return { price: null, currency: 'USD', priceDate: null, change1d: null, change7d: null, reason }
}

function joinReasons(reasons: readonly (string | false)[]): string | null {
  return reasons.filter(Boolean).join(' ') || null
}
