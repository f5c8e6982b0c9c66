import type { IsoDate } from '../../../../core/time.js'
import { toIsoDate } from '../../../../core/time.js'
import type { LineageEntry } from '../../../../domains/analysis/model.js'
import { computeValuation } from '../../../../domains/filings/aaoifi-model.js'
import { computeFigures } from '../../../../domains/filings/figures/figures-model.js'
import { averagedDays } from '../../../../domains/filings/market-cap-model.js'
import { loadMarketCaps, loadReports } from '../../../../domains/filings/store.js'
import { LIST_SOURCES } from '../../../../domains/instruments/model.js'
import type { Queries, Sql } from '../../../../platform/database/database.js'
import type { PrismaModels } from '../../../../platform/database/prisma/prisma-models.js'
import type { AnalysedAsset } from '../generator.js'
import { type ListedCloses, loadListedCloses } from './listed-closes.js'
import type { ListedInputs } from './listed-inputs.js'
import { loadOrigins } from './load-origins.js'

/** A stock or a fund. */
export interface ListedAsset extends AnalysedAsset {
  readonly assetClass: 'stock' | 'etf'
  readonly mic: string | null
  readonly cik: string | null
}

/** Everything that is analysed, by integer key: crypto assets, followed stocks and funds (see `LIST_SOURCES`). */
export async function loadListedAssets(
  prisma: PrismaModels,
): Promise<{ readonly crypto: readonly AnalysedAsset[]; readonly listed: readonly ListedAsset[] }> {
  const rows = await prisma.asset.findMany({
    where: { source: { notIn: [...LIST_SOURCES] } },
    select: {
      assetId: true,
      slug: true,
      ticker: true,
      name: true,
      tier: true,
      assetClass: true,
      instruments: { where: { isPrimary: true }, select: { mic: true, cik: true } },
    },
    orderBy: { assetId: 'asc' },
  })
  const crypto: AnalysedAsset[] = []
  const listed: ListedAsset[] = []
  for (const {
    assetClass,
    instruments: [listing],
    ...asset
  } of rows) {
    if (assetClass === 'crypto') crypto.push(asset)
    else if (assetClass !== 'commodity')
      listed.push({ ...asset, assetClass, mic: listing?.mic ?? null, cik: listing?.cik ?? null })
  }
  return { crypto, listed }
}

/** The datasets that these analyses are made from, in addition to the masters. */
const FACT_DATASETS = ['prices', 'filings'] as const

/** The inputs of analyses of stocks and funds at an instant. */
export interface ListedWorld {
  readonly lineage: readonly LineageEntry[]
  /** By asset; one without known facts is not in the map. */
  readonly facts: ReadonlyMap<number, ListedInputs>
}

/**
 * Prices and annual reports as known on the day of an instant. Synthetic analyses use synthetic data only, and real
 * ones real data only. At most six statements for any number of assets.
 */
export async function loadListedInputs(
  queries: Queries,
  assets: readonly ListedAsset[],
  { asOf, isDevDataset }: { readonly asOf: Date; readonly isDevDataset: boolean },
): Promise<ListedWorld> {
  const all = await loadOrigins(queries.prisma, ['corporate_actions', 'instruments', ...FACT_DATASETS])
  const used = all.filter((state) => state.isDevDataset === isDevDataset)
  const has = (name: string) => used.some(({ dataset }) => dataset === name)
  const day = toIsoDate(asOf)
  const assetIds = assets.map(({ assetId }) => assetId)
  const closes = has('prices')
    ? await loadListedCloses(queries, assetIds, day)
    : new Map<number, ListedCloses>()
  const reports = has('filings') ? await loadListedReports(queries, assets, day, has('prices')) : new Map()
  const facts = new Map<number, ListedInputs>()
  for (const { assetId, assetClass } of assets) {
    const priced = closes.get(assetId)
    const report: ListedInputs['report'] = reports.get(assetId) ?? null
    if (priced === undefined && report === null) continue
    const kind = assetClass === 'stock' ? 'stock' : 'ETF'
    facts.set(assetId, { kind, currency: priced?.currency ?? null, closes: priced?.closes ?? [], report })
  }
  return { lineage: used.map(({ dataset, version, source }) => ({ dataset, version, source })), facts }
}

async function loadListedReports(
  sql: Sql,
  assets: readonly ListedAsset[],
  filedBy: IsoDate,
  hasPrices: boolean,
): Promise<ReadonlyMap<number, ListedInputs['report']>> {
  const filers = assets.flatMap(({ assetClass, cik, ...own }) =>
    assetClass === 'stock' && cik !== null ? { ...own, cik } : [],
  )
  const newest = await loadReports(
    sql,
    filers.map(({ assetId, cik }) => ({ assetId, cik, filedBy, before: null, limit: 1 })),
  )
  const filed = filers.flatMap((filer, at) => {
    const report = newest[at]?.[0]
    return report === undefined ? [] : [{ filer, report }]
  })
  const keys = filed.map(({ filer: { assetId, ticker, mic, cik }, report: { periodEnd } }) => {
    return { assetId, ticker, mic, cik, filedBy, ...averagedDays(periodEnd) }
  })
  const inputs = hasPrices ? await loadMarketCaps(sql, keys) : []
  return new Map(
    filed.map(({ filer, report }, at) => {
      const { form, periodEnd, filed: filedOn, facts, shareCountsBefore } = report
      const figures = computeFigures(facts, periodEnd, shareCountsBefore)
      const { aaoifi } = computeValuation(figures, periodEnd, inputs[at] ?? null)
      return [filer.assetId, { aaoifi, form, periodEnd, filed: filedOn }]
    }),
  )
}
