import type { IsoDate } from '../../../../core/time.js'
import { toIsoDate } from '../../../../core/time.js'
import type { LineageEntry } from '../../../../domains/analysis/model.js'
import { computeValuation } from '../../../../domains/filings/aaoifi-model.js'
import { averagedDays } from '../../../../domains/filings/market-cap-model.js'
import { loadMarketCaps, loadReports } from '../../../../domains/filings/store.js'
import { LIST_SOURCES } from '../../../../domains/instruments/model.js'
import { ASSET, INSTRUMENT } from '../../../../generated/columns.js'
import type { Sql } from '../../../../platform/database/database.js'
import { column, only, orNull, selectList, statement } from '../../../../platform/database/statement.js'
import type { AnalysedAsset } from '../generator.js'
import { type ListedCloses, loadListedCloses } from './listed-closes.js'
import type { ListedInputs } from './listed-inputs.js'
import { loadOrigins } from './load-origins.js'

const OF_ASSET = only(ASSET, 'assetId', 'slug', 'ticker', 'name', 'tier')
const ASSET_CLASS = column<'crypto' | ListedAsset['assetClass']>('asset_class')
const OF_LISTING = only(INSTRUMENT, 'mic', 'cik')

// Plain SQL here and below: few statements read all assets.
const ASSETS = statement(
  { ...OF_ASSET, assetClass: ASSET_CLASS, ...orNull(OF_LISTING) },
  `select ${selectList(OF_ASSET, 'a')}, a.asset_class as "assetClass", ${selectList(OF_LISTING, 'i')}
   from asset a left join instrument i on i.asset_id = a.asset_id and i.is_primary
   where a.asset_class <> 'commodity' and not a.source = any($1::text[]) order by a.asset_id`,
)

/** A stock or a fund. */
export interface ListedAsset extends AnalysedAsset {
  readonly assetClass: 'stock' | 'etf'
  readonly mic: string | null
  readonly cik: string | null
}

/** Everything that is analysed, by integer key: crypto assets, followed stocks and funds (see `LIST_SOURCES`). One statement. */
export async function loadListedAssets(
  sql: Sql,
): Promise<{ readonly crypto: readonly AnalysedAsset[]; readonly listed: readonly ListedAsset[] }> {
  const rows = await sql.rows(ASSETS, [LIST_SOURCES])
  const crypto = rows.flatMap(({ assetId, slug, ticker, name, tier, assetClass }) =>
    assetClass === 'crypto' ? { assetId, slug, ticker, name, tier } : [],
  )
  const listed = rows.flatMap(({ assetClass, ...row }) =>
    assetClass === 'crypto' ? [] : { ...row, assetClass },
  )
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
  sql: Sql,
  assets: readonly ListedAsset[],
  { asOf, isDevDataset }: { readonly asOf: Date; readonly isDevDataset: boolean },
): Promise<ListedWorld> {
  const all = await loadOrigins(sql, ['corporate_actions', 'instruments', ...FACT_DATASETS])
  const used = all.filter((state) => state.isDevDataset === isDevDataset)
  const has = (name: string) => used.some(({ dataset }) => dataset === name)
  const day = toIsoDate(asOf)
  const assetIds = assets.map(({ assetId }) => assetId)
  const closes = has('prices') ? await loadListedCloses(sql, assetIds, day) : new Map<number, ListedCloses>()
  const reports = has('filings') ? await loadListedReports(sql, assets, day, has('prices')) : new Map()
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
      const { aaoifi } = computeValuation(report, inputs[at] ?? null)
      const { form, periodEnd, filed: filedOn } = report
      return [filer.assetId, { aaoifi, form, periodEnd, filed: filedOn }]
    }),
  )
}
