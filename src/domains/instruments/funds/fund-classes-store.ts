import { DAY_MS, toIsoDate } from '../../../core/time.js'
import { FUND_CLASS } from '../../../generated/columns.js'
import type { Known, WriteCounts } from '../../../platform/bi-temporal/series-table.js'
import type { Wholeness } from '../../../platform/bi-temporal/withdraw/wholeness.js'
import type { Database, Transaction } from '../../../platform/database/database.js'
import {
  columnNames,
  jsonOfRows,
  jsonRows,
  only,
  replaced,
  statement,
} from '../../../platform/database/statement.js'
import { assertNotCutOff } from '../cut-list.js'
import type { FundClass, FundLine, NamedFund } from './fund-classes-model.js'

const COUNTS = { added: 'int4', revised: 'int4', unchanged: 'int4' } as const
const NO_ROWS: WriteCounts = { added: 0, revised: 0, unchanged: 0 }

const LISTED = only(FUND_CLASS, 'classId', 'seriesId', 'cik', 'ticker')
const NAMED = only(FUND_CLASS, 'classId', 'seriesId', 'cik', 'name')

const LIST = statement(
  'bulk',
  COUNTS,
  `with given as (
     ${jsonRows(LISTED, '$1')}
   ), stored as (
     insert into fund_class as f (${columnNames(LISTED)}, source) select ${columnNames(LISTED)}, $2 from given
     on conflict (class_id) do update set ${replaced({ ...LISTED, ...only(FUND_CLASS, 'source') })}, unlisted_on = null
   )
   select count(*) filter (where f.ticker is null)::int as added,
     count(*) filter (where f.ticker is not null and not same)::int as revised, count(*) filter (where same)::int as unchanged
   from given as g left join fund_class as f using (class_id)
   cross join lateral (select (g.series_id, g.cik, g.ticker, null::date)
     is not distinct from (f.series_id, f.cik, f.ticker, f.unlisted_on) as same) as compared`,
)

const NAME = statement(
  'bulk',
  COUNTS,
  `with given as (
     ${jsonRows(NAMED, '$1')}
   ), stored as (
     insert into fund_class as f (${columnNames(NAMED)}, named_at, source)
     select ${columnNames(NAMED)}, $3::timestamptz, $2 from given
     on conflict (class_id) do update set name = excluded.name, named_at = excluded.named_at
   )
   select count(*) filter (where f.name is null)::int as added,
     count(*) filter (where f.name <> g.name)::int as revised, count(*) filter (where f.name = g.name)::int as unchanged
   from given as g left join fund_class as f using (class_id)`,
)

const STILL_LISTED = { ticker: { not: null }, unlistedOn: null } as const

/** Writes the names of classes. What the yearly list lacks keeps its name. */
export async function writeFundNames(
  tx: Transaction,
  named: readonly NamedFund[],
  { knownAt, source }: Known,
): Promise<WriteCounts> {
  const [counts = NO_ROWS] = await tx.rows(NAME, [jsonOfRows(named), source, knownAt])
  return counts
}

/** The classes that a list ended, or the reason why none did. */
interface EndedClasses {
  readonly ended: number
  /** Null if nothing speaks against it. */
  readonly kept: string | null
}

/** Writes one list of funds. The day of the run is the day of the list, because the list does not state it. */
export class FundClassesWriter {
  readonly #tx: Transaction
  readonly #seen = new Set<string>()
  #hasUnreadableLines = false

  constructor(tx: Transaction) {
    this.#tx = tx
  }

  /** Writes the ids and the ticker of each class. A class that an earlier list lacked is listed again. */
  async write(lines: readonly FundLine[], { source }: Known): Promise<WriteCounts> {
    const listed = lines.filter((line) => line.kind === 'listed')
    this.#hasUnreadableLines ||= listed.length < lines.length
    for (const { classId } of listed) this.#seen.add(classId)
    const [counts = NO_ROWS] = await this.#tx.rows(LIST, [jsonOfRows(listed), source])
    return counts
  }

  /**
   * Ends the classes that the list no longer has. Lines that could not be read keep all of them. Throws `TooManyWithdrawn`
   * if more than a tenth would end, unless the operator says that the list is complete.
   */
  async endUnlisted({ knownAt }: Known, { isSaid }: Wholeness): Promise<EndedClasses> {
    const stored = await this.#tx.prisma.fundClass.findMany({
      where: STILL_LISTED,
      select: { classId: true },
    })
    const missing = stored.filter(({ classId }) => !this.#seen.has(classId))
    if (missing.length === 0) return { ended: 0, kept: null }
    if (this.#hasUnreadableLines) {
      const kept = `lines of the list could not be read, so classes that it lacks are kept: ${missing.length}`
      return { ended: 0, kept }
    }
    const sizes = { listed: this.#seen.size, stored: stored.length, missing: missing.length }
    if (!isSaid) assertNotCutOff({ what: 'classes of funds', ...sizes })
    await this.#tx.prisma.fundClass.updateMany({
      where: { classId: { in: missing.map(({ classId }) => classId) } },
      data: { unlistedOn: new Date(toIsoDate(knownAt)) },
    })
    return { ended: missing.length, kept: null }
  }
}

type Models = Pick<Database, 'prisma'>

/** Every class that the list of funds has, or had, in the order of the ids, which is that of their registration. */
export async function loadFundClasses({ prisma }: Models): Promise<readonly FundClass[]> {
  const rows = await prisma.fundClass.findMany({
    where: { ticker: { not: null } },
    select: { classId: true, cik: true, ticker: true, name: true, unlistedOn: true, assetId: true },
    orderBy: { classId: 'asc' },
  })
  return rows.flatMap(({ ticker, unlistedOn, ...own }) =>
    ticker === null ? [] : { ...own, ticker, unlistedOn: unlistedOn === null ? null : toIsoDate(unlistedOn) },
  )
}

/** The CIKs of registrants by the assets of their listed funds. */
export async function loadRegistrants({ prisma }: Models): Promise<ReadonlyMap<number, string>> {
  const rows = await prisma.fundClass.findMany({
    where: { assetId: { not: null }, unlistedOn: null },
    select: { assetId: true, cik: true },
  })
  return new Map(rows.flatMap(({ assetId, cik }) => (assetId === null ? [] : [[assetId, cik]])))
}

/** The yearly list changes slowly. */
const NAMES_KEPT_MS = 7 * DAY_MS

/** Whether the names were never read, or not for a week. */
export async function areFundNamesDue({ prisma }: Models, now: Date): Promise<boolean> {
  const { _max } = await prisma.fundClass.aggregate({ _max: { namedAt: true } })
  return _max.namedAt === null || now.getTime() - _max.namedAt.getTime() >= NAMES_KEPT_MS
}

/** How many classes are listed, how many of them have an asset, and how many have none because they have no name yet. */
export async function loadFundProgress({
  prisma,
}: Models): Promise<{ readonly listed: number; readonly made: number; readonly unnamed: number }> {
  const [{ _all: listed, assetId: made }, unnamed] = await Promise.all([
    prisma.fundClass.count({ where: STILL_LISTED, select: { _all: true, assetId: true } }),
    prisma.fundClass.count({ where: { ...STILL_LISTED, assetId: null, name: null } }),
  ])
  return { listed, made, unnamed }
}

/** Notes that the filings of a fund were asked for, also if that failed, so that the next run goes on with others. */
export async function noteFilingsAsked(
  { prisma }: Pick<Database, 'prisma'>,
  assetId: number,
  askedAt: Date,
): Promise<void> {
  await prisma.fundClass.updateMany({ where: { assetId }, data: { filingsAskedAt: askedAt } })
}
