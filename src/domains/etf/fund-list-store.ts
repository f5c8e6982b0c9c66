import type { Database } from '../../platform/database/database.js'
import { LIST_SOURCES } from '../instruments/model.js'
import { fundProfileOf } from './funds-model.js'
import type { Fund, FundToAsk } from './model.js'

type Models = Pick<Database, 'prisma'>

/** Every ETF of the masters with its known facts, in the order of the asset key. */
export async function loadFunds(database: Models): Promise<readonly Fund[]> {
  return (await loadListedOrFollowed(database)).map(({ fund }) => fund)
}

async function loadListedOrFollowed({ prisma }: Models) {
  const listings = await prisma.instrument.findMany({
    where: { isPrimary: true, asset: { assetClass: 'etf' } },
    select: {
      ...{ assetId: true, ticker: true, isin: true, cik: true, inactiveSince: true, source: true },
      asset: { select: { slug: true } },
    },
    orderBy: [{ assetId: 'asc' }, { instrumentId: 'asc' }],
  })
  const classes = await prisma.fundClass.findMany({
    where: { assetId: { not: null } },
    select: { assetId: true, seriesId: true, filingsAskedAt: true },
  })
  const classOf = new Map(classes.map(({ assetId, ...own }) => [assetId, own]))
  return listings.map(({ asset: { slug }, inactiveSince, source, ...listing }) => {
    const profile = fundProfileOf(slug)
    const own = classOf.get(listing.assetId)
    return {
      fund: { ...listing, slug, ...profile, seriesId: profile.seriesId ?? own?.seriesId ?? null },
      isListed: LIST_SOURCES.includes(source),
      isActive: inactiveSince === null,
      askedAt: own?.filingsAskedAt ?? null,
    }
  })
}

/**
 * The funds with a series whose filings a run asks for: all followed ones, and at most `limit` active ones that a list made.
 * Within each group those that were asked for longest ago come first.
 */
export async function loadFundsToAsk(database: Models, limit: number): Promise<readonly FundToAsk[]> {
  const all = (await loadListedOrFollowed(database)).filter(({ fund }) => fund.seriesId !== null)
  const byAge = all.toSorted((a, b) => (a.askedAt?.getTime() ?? 0) - (b.askedAt?.getTime() ?? 0))
  const listed = byAge.filter(({ isListed, isActive }) => isListed && isActive).slice(0, limit)
  return [...byAge.filter(({ isListed }) => !isListed), ...listed].map(({ fund, isListed }) => ({
    fund,
    isListed,
  }))
}

/** How many ETFs have a class in the SEC's list of funds, and for how many of them filings were asked for. */
export async function loadFilingsProgress({
  prisma,
}: Models): Promise<{ readonly all: number; readonly asked: number; readonly oldest: Date | null }> {
  const {
    _count: { _all: all, filingsAskedAt: asked },
    _min: { filingsAskedAt: oldest },
  } = await prisma.fundClass.aggregate({
    where: { assetId: { not: null }, unlistedOn: null },
    _count: { _all: true, filingsAskedAt: true },
    _min: { filingsAskedAt: true },
  })
  return { all, asked, oldest }
}
