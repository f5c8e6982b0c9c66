import type { IsoDate } from '../../../../core/time.js'
import { toIsoDate } from '../../../../core/time.js'
import type { LineageEntry } from '../../../../domains/analysis/model.js'
import { computeValuation } from '../../../../domains/filings/aaoifi-model.js'
import { averagedDays } from '../../../../domains/filings/market-cap-model.js'
import { loadMarketCaps, loadReports } from '../../../../domains/filings/store.js'
import type { Sql } from '../../../../platform/database/database.js'
import { column, statement } from '../../../../platform/database/statement.js'
import type { AnalysedAsset } from '../generator.js'
import type { ListedInputs } from './listed-inputs.js'

const ASSET_COLUMNS = {
  assetId: 'int4',
  slug: 'text',
  ticker: 'text',
  name: 'text',
  tier: 'int4?',
  assetClass: column<'crypto' | ListedAsset['assetClass']>('asset_class'),
  mic: 'text?',
  cik: 'text?',
} as const

// Plain SQL here and below: two statements read all assets with all their closes.
const ASSETS = statement(
  ASSET_COLUMNS,
  `select a.asset_id as "assetId", a.slug, a.ticker, a.name, a.tier, a.asset_class as "assetClass", i.mic, i.cik
   from asset a left join instrument i on i.asset_id = a.asset_id and i.is_primary
   where a.asset_class <> 'commodity' order by a.asset_id`,
)

/** A stock or a fund. */
export interface ListedAsset extends AnalysedAsset {
  readonly assetClass: 'stock' | 'etf'
  readonly mic: string | null
  readonly cik: string | null
}

/** Everything that is analysed, by integer key: crypto assets, stocks and funds. One statement. */
export async function loadListedAssets(
  sql: Sql,
): Promise<{ readonly crypto: readonly AnalysedAsset[]; readonly listed: readonly ListedAsset[] }> {
  const rows = await sql.rows(ASSETS)
  const crypto = rows.flatMap(({ assetId, slug, ticker, name, tier, assetClass }) =>
    assetClass === 'crypto' ? { assetId, slug, ticker, name, tier } : [],
  )
  const listed = rows.flatMap(({ assetClass, ...row }) =>
    assetClass === 'crypto' ? [] : { ...row, assetClass },
  )
  return { crypto, listed }
}

const CLOSES = statement(
  {
    assetId: 'int4',
    dates: column<readonly IsoDate[]>('_date'),
    closes: column<readonly number[]>('_float8'),
    currency: 'text',
  },
  `select d.instrument_id as "assetId", array_agg(d.date order by d.date) as dates,
     array_agg((d.close / coalesce(s.factor, 1))::float8 order by d.date) as closes, max(d.currency)::text as currency
   from daily_price d left join lateral (
     select exp(sum(ln(c.ratio))) as factor from corporate_action c
     where c.asset_id = d.instrument_id and c.action_type in ('split', 'reverse_split') and c.ratio is not null
       and c.known_to is null and c.ex_date > d.date and c.ex_date <= $2::date
   ) as s on true
   where d.instrument_id = any($1::int[]) and d.known_to is null and d.date < $2::date and d.date >= $2::date - 366
   group by d.instrument_id having min(d.currency) = max(d.currency)`,
)

/** The datasets that these analyses are made from, in addition to the masters. */
const FACT_DATASETS = ['prices', 'filings'] as const

const STATES = statement(
  { dataset: 'text', version: 'int8', source: 'text', isDevDataset: 'bool' },
  `select dataset, version, source, is_dev_dataset as "isDevDataset" from dataset_state
   where dataset = any($1::text[]) order by dataset`,
)

/** The inputs of analyses of stocks and funds at an instant. */
export interface ListedWorld {
  readonly lineage: readonly LineageEntry[]
  /** By asset; one without known facts is not in the map. */
  readonly facts: ReadonlyMap<number, ListedInputs>
}

/**
 * Prices and annual reports as known on the day of an instant. Synthetic analyses use synthetic data only, and real
 * ones real data only. At most five statements for any number of assets.
 */
export async function loadListedInputs(
  sql: Sql,
  assets: readonly ListedAsset[],
  { asOf, isDevDataset }: { readonly asOf: Date; readonly isDevDataset: boolean },
): Promise<ListedWorld> {
  const all = await sql.rows(STATES, [['corporate_actions', 'instruments', ...FACT_DATASETS]])
  const used = all.filter((state) => state.isDevDataset === isDevDataset)
  const has = (name: string) => used.some(({ dataset }) => dataset === name)
  const day = toIsoDate(asOf)
  const closes = has('prices') ? await sql.rows(CLOSES, [assets.map(({ assetId }) => assetId), day]) : []
  const reports = has('filings') ? await loadListedReports(sql, assets, day, has('prices')) : new Map()
  const byAsset = new Map(closes.map((row) => [row.assetId, row]))
  const facts = new Map<number, ListedInputs>()
  for (const { assetId, assetClass } of assets) {
    const priced = byAsset.get(assetId)
    const report: ListedInputs['report'] = reports.get(assetId) ?? null
    if (priced === undefined && report === null) continue
    const points = (priced?.dates ?? []).map((date, at) => ({ date, close: priced?.closes[at] ?? 0 }))
    const kind = assetClass === 'stock' ? 'stock' : 'ETF'
    facts.set(assetId, { kind, currency: priced?.currency ?? null, closes: points, report })
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
    filers.map(({ cik }) => ({ cik, filedBy, before: null, limit: 1 })),
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
