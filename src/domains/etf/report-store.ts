import { groupBy } from '../../core/group-by.js'
import { ETF_HOLDING, ETF_REPORT } from '../../generated/columns.js'
import { sourceRemover } from '../../platform/bi-temporal/remove-source.js'
import type { Known, WriteCounts } from '../../platform/bi-temporal/series-table.js'
import type { Database, Sql, Transaction } from '../../platform/database/database.js'
import {
  columnNames,
  jsonOfRows,
  jsonRows,
  only,
  statement,
  without,
} from '../../platform/database/statement.js'
import type { EtfReport, EtfRow, QuarantinedReport } from './model.js'

type Status = 'good' | 'quarantined'

// If both versions became known at the same instant, the old one ends a millisecond later: each version must be visible for
// some time.
const CLOSE = `update etf_report set known_to = greatest($2::timestamptz, known_from + interval '1 millisecond')
  where report_id = any($1::int8[])`

const STATED_REPORT = without(ETF_REPORT, 'reportId', 'knownFrom', 'knownTo', 'source')

const INSERT_REPORT = statement(
  'lacks computed value',
  only(ETF_REPORT, 'reportId'),
  `insert into etf_report (${columnNames(STATED_REPORT)}, known_from, source)
   select ${columnNames(STATED_REPORT)}, greatest($2::timestamptz, (
       select max(known_to) from etf_report as r
       where r.asset_id = given.asset_id and r.as_of = given.as_of and r.status = given.status and r.source = $3)), $3
   from (${jsonRows(STATED_REPORT, '$1')}) as given
   returning report_id as "reportId"`,
)

const STATED_HOLDING = without(ETF_HOLDING, 'reportId')

const INSERT_HOLDINGS = `insert into etf_holding (report_id, ${columnNames(STATED_HOLDING)})
  select $2, ${columnNames(STATED_HOLDING)} from (${jsonRows(STATED_HOLDING, '$1')}) as given`

interface Filing {
  readonly publishedAt: Date | null
  readonly isAmendment: boolean
}

/** Whether the stored filing was published after the new one. Filings may be read in any order. */
function isLater(stored: Filing, given: Filing): boolean {
  if (stored.publishedAt !== null && given.publishedAt !== null) return stored.publishedAt > given.publishedAt
  return stored.isAmendment && !given.isAmendment
}

/** Whether the rows of a report are skipped or written. */
type WriteDecision =
  | { readonly kind: 'skipped' }
  | { readonly kind: 'written'; readonly reportId: number; readonly isRevision: boolean }

/** Writes the reports of one run. The rows of a report may come in several batches. */
export class EtfWriter {
  readonly #tx: Transaction
  readonly #decisions = new Map<string, WriteDecision>()

  constructor(tx: Transaction) {
    this.#tx = tx
  }

  /** Counts holdings. A report that is stored already, or older than the stored one, counts as unchanged. */
  async write(rows: readonly EtfRow[], known: Known): Promise<WriteCounts> {
    const counts = { added: 0, revised: 0, unchanged: 0 }
    for (const [contentHash, ofReport] of groupBy(rows, ({ report }) => report.contentHash)) {
      const decision =
        this.#decisions.get(contentHash) ?? (await beginReport(this.#tx, ofReport[0].report, known))
      this.#decisions.set(contentHash, decision)
      if (decision.kind === 'skipped') counts.unchanged += ofReport.length
      else {
        await writeHoldings(this.#tx, decision.reportId, ofReport)
        counts[decision.isRevision ? 'revised' : 'added'] += ofReport.length
      }
    }
    return counts
  }
}

/** The current reports of a source for the day of a report. */
function loadCurrent(
  { prisma }: Transaction,
  { assetId, asOf }: Pick<EtfReport, 'assetId' | 'asOf'>,
  { source }: Known,
) {
  return prisma.etfReport.findMany({
    where: { assetId, asOf: new Date(asOf), source, knownTo: null },
    select: { reportId: true, status: true, contentHash: true, publishedAt: true, isAmendment: true },
  })
}

/** Begins a good report. It closes all current reports of its day, quarantined ones too. */
async function beginReport(tx: Transaction, report: EtfReport, known: Known): Promise<WriteDecision> {
  const current = await loadCurrent(tx, report, known)
  const good = current.find(({ status }) => status === 'good')
  if (good !== undefined && (good.contentHash === report.contentHash || isLater(good, report)))
    return { kind: 'skipped' }
  if (current.length > 0) await tx.rows(CLOSE, [current.map(({ reportId }) => reportId), known.knownAt])
  const reportId = await insertReport(tx, { report, status: 'good', reason: null }, known)
  return { kind: 'written', reportId, isRevision: good !== undefined }
}

async function insertReport(
  tx: Sql,
  {
    report: { nav, ...report },
    ...judged
  }: { readonly report: EtfReport; readonly status: Status; readonly reason: string | null },
  { knownAt, source }: Known,
): Promise<number> {
  const given = {
    ...report,
    ...judged,
    nav: nav?.value ?? null,
    navCurrency: nav?.currency ?? null,
    isNavComputed: nav?.isComputed ?? false,
  }
  const [row] = await tx.rows(INSERT_REPORT, [jsonOfRows([given]), knownAt, source])
  if (row === undefined) throw new Error('the insert of an ETF report returned no key')
  return row.reportId
}

async function writeHoldings(tx: Transaction, reportId: number, rows: readonly EtfRow[]): Promise<void> {
  const held = rows.flatMap(({ position, holding }) => (holding === null ? [] : [{ position, ...holding }]))
  if (held.length > 0) await tx.rows(INSERT_HOLDINGS, [jsonOfRows(held), reportId])
}

/** Stores a quarantined report without its holdings. Returns false if it, or a later one, is stored already. */
export async function recordQuarantined(
  tx: Transaction,
  { report, reason }: QuarantinedReport,
  known: Known,
): Promise<boolean> {
  const current = await loadCurrent(tx, report, known)
  if (current.some((one) => one.contentHash === report.contentHash || isLater(one, report))) return false
  const before = current.filter(({ status }) => status === 'quarantined')
  if (before.length > 0) await tx.rows(CLOSE, [before.map(({ reportId }) => reportId), known.knownAt])
  await insertReport(tx, { report, status: 'quarantined', reason }, known)
  return true
}

/** Those of the filings of a fund that are stored already, quarantined ones too. */
export async function loadKnownAccessions(
  { prisma }: Pick<Database, 'prisma'>,
  assetId: number,
  accessions: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await prisma.etfReport.findMany({
    where: { assetId, accession: { in: [...accessions] } },
    select: { accession: true },
  })
  return new Set(rows.flatMap(({ accession }) => accession ?? []))
}

/** Removes all reports of a source with their holdings, and returns the number of reports. */
export const removeReports = sourceRemover(({ etfReport }) => [etfReport])
