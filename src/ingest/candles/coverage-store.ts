import { VENUE_COVERAGE } from '../../generated/columns.js'
import type { Database, Sql, Transaction } from '../../platform/database/database.js'
import { arraysOf, type RowOf, statement, without } from '../../platform/database/statement.js'

const COVERAGE = without(VENUE_COVERAGE, 'newestBarAt')

/** How far the bars of an asset at a venue are loaded. */
export type Coverage = RowOf<typeof COVERAGE>

/** The coverage of these assets at every venue that was ever asked. */
export function loadCoverage(
  { prisma }: Pick<Database, 'prisma'>,
  assetIds: readonly number[],
): Promise<readonly Coverage[]> {
  return prisma.venueCoverage.findMany({
    where: { assetId: { in: [...assetIds] } },
    omit: { newestBarAt: true },
  })
}

const WRITE = statement(
  'bulk',
  { written: 'int4' },
  `with written as (
     insert into venue_coverage as c (asset_id, venue, is_listed, covered_to, asked_at)
     select * from unnest($1::int[], $2::text[], $3::bool[], $4::timestamptz[], $5::timestamptz[])
     on conflict (asset_id, venue) do update set is_listed = excluded.is_listed,
       covered_to = greatest(c.covered_to, excluded.covered_to), asked_at = excluded.asked_at
     returning 1
   ) select count(*)::int as written from written`,
)

/** Stores how far bars are loaded now; the end of the coverage never moves back. */
export async function writeCoverage(tx: Transaction, rows: readonly Coverage[]): Promise<void> {
  if (rows.length === 0) return
  await tx.rows(WRITE, arraysOf(rows, 'assetId', 'venue', 'isListed', 'coveredTo', 'askedAt'))
}

/** Notes the newest bar of an asset at each venue whose coverage is stored; an older one changes nothing. */
export async function noteNewestBars(
  tx: Transaction,
  assetId: number,
  newest: ReadonlyMap<string, Date>,
): Promise<void> {
  if (newest.size === 0) return
  await tx.rows(
    `update venue_coverage as c set newest_bar_at = n.ts from unnest($2::text[], $3::timestamptz[]) as n(venue, ts)
     where c.asset_id = $1 and c.venue = n.venue and (c.newest_bar_at is null or c.newest_bar_at < n.ts)`,
    [assetId, [...newest.keys()], [...newest.values()]],
  )
}

/** Start of the newest bar of any asset, by venue that answered and lists an asset; null if it gave no bar. */
export async function loadNewestBarOfVenues({
  prisma,
}: Pick<Database, 'prisma'>): Promise<ReadonlyMap<string, Date | null>> {
  const rows = await prisma.venueCoverage.groupBy({
    by: ['venue'],
    where: { isListed: true },
    _max: { newestBarAt: true },
  })
  return new Map(rows.map(({ venue, _max }) => [venue, _max.newestBarAt]))
}

const LATE = {
  tier: 'int4',
  listed: 'int4',
  late: 'int4',
  oldestBarAt: 'timestamptz?',
} as const

// Counts over groups of groups, which Prisma's client does not have.
const LATE_ASSETS = statement(
  'lacks aggregate of a join',
  LATE,
  `select t.tier, count(*)::int as listed,
     count(*) filter (where coalesce(n.newest < $1::timestamptz - t.allowed * interval '1 second', true))::int as late,
     min(n.newest) as "oldestBarAt"
   from (select asset_id, max(newest_bar_at) as newest from venue_coverage where is_listed group by asset_id) as n
   join asset as a on a.asset_id = n.asset_id
   join unnest($2::int[], $3::int[]) as t(tier, allowed) on t.tier = coalesce(a.tier, 3)
   group by t.tier order by t.tier`,
)

/** By tier, the assets that exchanges list, and how many of them have no bars of the allowed seconds. */
export function loadLateAssets(
  sql: Sql,
  now: Date,
  tiers: readonly number[],
  allowedSeconds: readonly number[],
): Promise<readonly RowOf<typeof LATE>[]> {
  return sql.rows(LATE_ASSETS, [now, tiers, allowedSeconds])
}
