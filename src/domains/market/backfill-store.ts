import { endOfDay } from '../../core/time.js'
import type { Transaction } from '../../platform/database/database.js'
import type { PrismaModels } from '../../platform/database/prisma/prisma-models.js'
import { unpackSources } from './compact/packed-sources-model.js'
import { STORED_TIMEFRAMES, type StoredSource, TIMEFRAME_OF, type Timeframe } from './model.js'

/**
 * By asset, the venues that need no backfill for that UTC day, in two statements: those in its day candle of that source, and
 * those whose bars were requested by an earlier backfill, with or without a result.
 */
export async function loadDoneVenues(
  prisma: PrismaModels,
  assetIds: readonly number[],
  day: Date,
  source: string,
): Promise<ReadonlyMap<number, ReadonlySet<string>>> {
  const assetId = { in: [...assetIds] }
  const backfills = await prisma.candleBackfill.findMany({ where: { assetId, day } })
  const candles = await prisma.candle.findMany({
    where: { assetId, timeframe: 'day', ts: day, knownTo: null, source },
    select: { assetId: true, sources: true },
  })
  const done = new Map(backfills.map(({ assetId, venues }) => [assetId, new Set(venues)]))
  for (const { assetId, sources } of candles) {
    const used = unpackSources(sources).map(({ venue }) => venue)
    done.set(assetId, new Set([...(done.get(assetId) ?? []), ...used]))
  }
  return done
}

/** Adds these venues to those that need no backfill for that UTC day. */
export async function recordDoneVenues(
  tx: Transaction,
  assetId: number,
  day: Date,
  venues: readonly string[],
): Promise<void> {
  await tx.rows(
    `insert into candle_backfill (asset_id, day, venues)
     values ($1, ($2::timestamptz at time zone 'UTC')::date, $3::text[])
     on conflict (asset_id, day) do update
     set venues = array(select distinct unnest(candle_backfill.venues || excluded.venues) order by 1)`,
    [assetId, day, venues],
  )
}

/** A current candle with the venues it was computed from. */
export interface StoredCandle {
  readonly timeframe: Timeframe
  /** Start of the window, UTC. */
  readonly ts: Date
  /** Provider of the row. */
  readonly source: string
  readonly sources: readonly StoredSource[]
}

/** The current candles of an asset that start on that UTC day: the hours and the day. */
export async function loadCandlesOfDay(
  prisma: PrismaModels,
  assetId: number,
  day: Date,
): Promise<readonly StoredCandle[]> {
  const rows = await prisma.candle.findMany({
    where: {
      assetId,
      timeframe: { in: Object.values(STORED_TIMEFRAMES) },
      ts: { gte: day, lt: endOfDay(day) },
      knownTo: null,
    },
    select: { timeframe: true, ts: true, source: true, sources: true },
  })
  return rows.map(({ timeframe, sources, ...candle }) => ({
    ...candle,
    timeframe: TIMEFRAME_OF[timeframe],
    sources: unpackSources(sources),
  }))
}
