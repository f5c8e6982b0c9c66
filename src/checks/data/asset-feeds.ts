import { toAssetTier } from '../../core/consensus/consensus.js'
import { pairOfAsset, VENUES } from '../../core/consensus/venue-symbols.js'
import { refreshIntervalMs } from '../../core/freshness.js'
import { didYouMean } from '../../core/suggest.js'
import { loadNearestAssets } from '../../domains/assets/search/nearest-store.js'
import { loadNewestBars } from '../../domains/market/bar-store.js'
import { type Coverage, loadCoverage } from '../../ingest/candles/coverage-store.js'
import { type LaneReport, loadLaneReports } from '../../ingest/candles/lanes/lane-report.js'
import { attachVenueSymbols } from '../../ingest/candles/venue-assets.js'
import { CONSENSUS_VENUES } from '../../ingest/datasets/market/candles-policy.js'
import type { CheckWorld } from '../check.js'
import { type Facts, type Finding, noRequestsText } from '../finding.js'
import { checkFeeds } from './check-feeds.js'

/** By exchange, when it gave the last bar of one crypto asset, and why it gives none. Throws for an unknown slug or another class. */
export async function loadAssetFeeds(world: CheckWorld, slug: string): Promise<readonly Facts[]> {
  const { database, clock } = world
  const stored = await database.prisma.asset.findUnique({ where: { slug } })
  if (stored === null) {
    const near = (await loadNearestAssets(database.prisma, [slug])).get(slug)
    throw new Error(`unknown asset ${slug}${near === undefined ? '' : didYouMean(near.slug)}`)
  }
  if (stored.assetClass !== 'crypto')
    throw new Error(`${slug} is of the class ${stored.assetClass}; exchanges give bars of crypto assets only`)
  const now = clock.now()
  const tier = toAssetTier(stored.tier)
  const [asset = stored] = await attachVenueSymbols(database, [{ ...stored, tier }])
  const coverage = await loadCoverage(database, [stored.assetId])
  const venues = VENUES.filter(
    (venue) => CONSENSUS_VENUES.includes(venue) || coverage.some((one) => one.venue === venue),
  )
  const bars = await loadNewestBars(database, stored.assetId, venues)
  const lanes = await loadLaneReports(database, now)
  const feeds = await checkFeeds(world)
  return venues.map((venue) => {
    const covered = coverage.find((one) => one.venue === venue)
    const newestBarAt = bars.get(venue) ?? null
    const isNew =
      newestBarAt !== null && now.getTime() - newestBarAt.getTime() < refreshIntervalMs(`tier_${tier}`, now)
    const pair = pairOfAsset(venue, asset)
    return {
      exchange: venue,
      pair: pair?.symbol ?? null,
      newest_bar_at: newestBarAt,
      covered_to: covered?.coveredTo ?? null,
      asked_at: covered?.askedAt ?? null,
      why_not: isNew
        ? null
        : whyNot({
            hasPair: pair !== null,
            covered,
            lane: lanes.find((one) => one.venue === venue),
            feed: feeds.find(({ check }) => check === `feed candles-${venue}`),
          }),
    }
  })
}

interface Reasons {
  readonly hasPair: boolean
  readonly covered: Coverage | undefined
  readonly lane: LaneReport | undefined
  readonly feed: Finding | undefined
}

/** Why an exchange gave no new bar of an asset. The nearest cause comes first. */
function whyNot({ hasPair, covered, lane, feed }: Reasons): string {
  if (!hasPair) return 'no symbol of the asset at this exchange is known'
  if (lane === undefined) return 'no node requests bars from it: start one with candles in SCHEDULE'
  if (lane.restUntil !== null) return `it ${noRequestsText(lane.restUntil, lane.restCause)}`
  if (covered === undefined) return 'it was not asked for the asset yet'
  if (!covered.isListed) return 'it does not list the pair; it is asked again each day'
  if (feed?.status === 'warning') return feed.message
  return 'it answered without newer bars: nothing was traded, or the bars were rejected'
}
