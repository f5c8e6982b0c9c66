import { setImmediate } from 'node:timers/promises'
import { decimalText } from '../../../core/decimal.js'
import type { Cik } from '../../../core/identifiers.js'
import type { IsoDate } from '../../../core/time.js'
import type { CompanyPeriod } from '../../../generated/prisma/client.js'
import type { Transaction } from '../../../platform/database/database.js'
import type { PrismaModels } from '../../../platform/database/prisma/prisma-models.js'
import { statement } from '../../../platform/database/statement.js'
import { FIGURE_NAMES } from '../figures/figure-rules-model.js'
import { computeFigures, type Figures } from '../figures/figures-model.js'
import { STOCK_FUNDAMENTALS_VERSION } from '../methodology-model.js'
import type { FundamentalsPeriod } from '../model.js'
import { loadReports, type PeriodReport, type ReportsKey } from '../store.js'
import { readHistory } from './fact-history-model.js'
import { computePeriodFigures, startOfFigures } from './period-figures-model.js'
import { loadPeriodReports } from './period-store.js'

/** More than the quarters of 25 years; structured filings began in 2009. */
const MAX_PERIODS = 100

/** No asset has this key: a company without an asset has no former CIK. */
const NO_ASSET = 0

// Members that a row does not have are null.
const INSERT = statement(
  'bulk',
  {},
  'insert into company_period select * from jsonb_populate_recordset(null::company_period, $1::jsonb)',
)

/** Selects the latest period of a kind of a company. */
export interface LatestPeriodKey {
  readonly cik: string
  readonly period: FundamentalsPeriod
}

export const latestPeriodText = ({ cik, period }: Pick<CompanyPeriod, 'cik' | 'period'>) => `${cik} ${period}`

/** The latest periods with their figures, by the text of their keys. */
export async function loadLatestPeriods(
  prisma: PrismaModels,
  keys: readonly LatestPeriodKey[],
): Promise<ReadonlyMap<string, CompanyPeriod>> {
  const rows = await prisma.companyPeriod.findMany({
    where: {
      cik: { in: keys.map(({ cik }) => cik) },
      period: { in: [...new Set(keys.map(({ period }) => period))] },
      isLatest: true,
    },
  })
  return new Map(rows.map((row) => [latestPeriodText(row), row]))
}

/** Companies among these whose stored periods are missing, or of another version of the method. */
export async function listOutdatedCompanies(tx: Transaction, ciks: readonly Cik[]): Promise<readonly Cik[]> {
  const current = await tx.prisma.companyPeriod.findMany({
    where: { cik: { in: [...ciks] }, isLatest: true, methodologyVersion: STOCK_FUNDAMENTALS_VERSION },
    select: { cik: true },
  })
  const known = new Set<string>(current.map(({ cik }) => cik))
  return ciks.filter((cik) => !known.has(cik))
}

/** Computes the figures of all periods of these companies from their filed facts, in place of the stored ones. */
export async function storeCompanyPeriods(
  tx: Transaction,
  ciks: readonly Cik[],
  source: string,
): Promise<void> {
  const assets = await tx.prisma.instrument.groupBy({
    by: ['cik'],
    where: { cik: { in: [...ciks] }, asset: { assetClass: 'stock' } },
    _min: { assetId: true },
  })
  const assetIds = new Map(assets.map(({ cik, _min }) => [cik, _min.assetId]))
  // One company at a time, because the facts of a large one are tens of thousands.
  for (const cik of ciks) {
    const assetId = assetIds.get(cik) ?? NO_ASSET
    const periods = await computePeriods(tx, {
      assetId,
      cik,
      filedBy: null,
      before: null,
      limit: MAX_PERIODS,
    })
    await tx.prisma.companyPeriod.deleteMany({ where: { cik } })
    await tx.rows(INSERT, [JSON.stringify(periods.map((row) => ({ ...row, cik, source })))])
  }
}

/** A row of `company_period` by the names of its columns, with the figures. */
interface PeriodRow {
  readonly period: FundamentalsPeriod
  readonly period_end: IsoDate
  readonly period_start: IsoDate | null
  readonly is_latest: boolean
}

async function computePeriods(tx: Transaction, key: ReportsKey): Promise<readonly PeriodRow[]> {
  const [years = []] = await loadReports(tx, [key])
  const [{ reports, amounts } = { reports: [], amounts: [] }] = await loadPeriodReports(tx, [key])
  const history = readHistory(amounts)
  const rows = years.map((report, at) =>
    toRow('year', at, report, computeFigures(report.facts, report.periodEnd, report.shareCountsBefore)),
  )
  for (const [at, report] of reports.entries()) {
    for (const period of ['quarter', 'ttm'] as const)
      rows.push(toRow(period, at, report, computePeriodFigures(period, report, history)))
    // All quarters of a company take half a second; requests are served in between.
    await setImmediate()
  }
  return rows
}

/** `at`: the number of later reports. */
function toRow(period: FundamentalsPeriod, at: number, report: PeriodReport, figures: Figures): PeriodRow {
  const { periodEnd, form, accession, filed } = report
  const values = FIGURE_NAMES.map((name) => {
    const { value } = figures[name]
    return [name, value === null ? null : decimalText(value)] as const
  })
  return {
    period,
    period_end: periodEnd,
    period_start: startOfFigures(figures),
    is_latest: at === 0,
    ...{ form, accession, filed, methodology_version: STOCK_FUNDAMENTALS_VERSION },
    ...Object.fromEntries(values),
  }
}
