import type { OffsetPage } from '../../core/page.js'
import type { IsoDate } from '../../core/time.js'
import { ETF_REPORT } from '../../generated/columns.js'
import { asOfStatement } from '../../platform/bi-temporal/as-of-statement.js'
import { ETF_PUBLISHED } from '../../platform/bi-temporal/published-rules.js'
import type { Sql } from '../../platform/database/database.js'
import type { PrismaModels } from '../../platform/database/prisma/prisma-models.js'
import { only, orNull, type RowOf, selectList } from '../../platform/database/statement.js'
import type { FundAsOf } from './fund-store.js'

const REPORT = only(ETF_REPORT, 'asOf', 'publishedAt', 'accession', 'source', 'holdingsCount')

/** A report of a fund in a list of its reports. */
export type ListedReport = RowOf<typeof REPORT>

const selectReports = asOfStatement(
  'lacks newest per key',
  { total: 'int4', ...orNull(REPORT) },
  4,
  ETF_PUBLISHED,
  (known) => `
  select counted.total, page.* from (
    select count(distinct g.as_of)::int as total from etf_report as g
    where g.asset_id = $1::int and g.status = 'good' and g.as_of <= coalesce($4::date, 'infinity')
      and ${known('g')}
  ) as counted
  left join lateral (
    select distinct on (g.as_of) ${selectList(REPORT, 'g')}
    from etf_report as g where g.asset_id = $1::int and g.status = 'good' and g.as_of <= coalesce($4::date, 'infinity')
      and ${known('g')}
    order by g.as_of desc, g.known_from desc, g.report_id desc limit $2::int offset $3::int
  ) as page on true
  order by page."asOf" desc`,
)

/** A page of the accepted reports of a fund up to a day, one per day, the newest first, and the number of all of them. */
export async function loadFundReports(
  sql: Sql,
  assetId: number,
  { limit, offset }: OffsetPage,
  { day, knownAt }: FundAsOf,
): Promise<{ readonly reports: readonly ListedReport[]; readonly total: number }> {
  const rows = await selectReports(sql, [assetId, limit, offset, day], knownAt)
  return { reports: rows.filter(isReport), total: rows[0]?.total ?? 0 }
}

/** The number of accepted reports up to a day that state no publication, of some funds or of all (null). */
export function countUndatedReports(
  prisma: PrismaModels,
  assetIds: readonly number[] | null,
  day: IsoDate | null,
): Promise<number> {
  return prisma.etfReport.count({
    where: {
      ...(assetIds === null ? {} : { assetId: { in: [...assetIds] } }),
      ...(day === null ? {} : { asOf: { lte: new Date(day) } }),
      status: 'good',
      publishedAt: null,
      knownTo: null,
    },
  })
}

/** The columns of a report are null on an empty page. */
function isReport<Row extends { readonly asOf: IsoDate | null }>(row: Row): row is Row & ListedReport {
  return row.asOf !== null
}
