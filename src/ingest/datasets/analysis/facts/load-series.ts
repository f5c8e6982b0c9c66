import type { DatasetName } from '../../../../core/datasets.js'
import type { AnalysisType, LineageEntry, SnapshotContent } from '../../../../domains/analysis/model.js'
import type { Timeframe } from '../../../../domains/market/model.js'
import type { Sql } from '../../../../platform/database/database.js'
import type { PrismaModels } from '../../../../platform/database/prisma/prisma-models.js'
import { column, type RowOf, statement } from '../../../../platform/database/statement.js'
import type { PricePoint } from '../generator.js'
import { loadOrigins } from './load-origins.js'

/** The span [from, to). */
export interface Span {
  readonly from: Date
  readonly to: Date
}

/** An element is null if the window has no price or volume. */
const SERIES_COLUMNS = {
  assetId: 'int4',
  starts: '_timestamptz',
  prices: column<readonly (number | null)[]>('_float8'),
  volumes: column<readonly (number | null)[]>('_float8'),
  exchanges: '_int2',
} as const

const SERIES = statement(
  'lacks array of rows',
  SERIES_COLUMNS,
  `select c.asset_id as "assetId", array_agg(c.ts order by c.ts) as starts,
     array_agg(c.vwap_usd::float8 order by c.ts) as prices, array_agg(c.volume_usd::float8 order by c.ts) as volumes,
     array_agg(c.exchanges_count order by c.ts) as exchanges
   from unnest($3::timestamptz[], $4::timestamptz[]) as span(first, last)
   join candle as c on c.ts >= span.first and c.ts < span.last
   where c.asset_id = any($1::int[]) and c.timeframe = $2::timeframe and c.known_to is null
   group by c.asset_id`,
)

/**
 * The current consensus windows that start within the spans, ascending, by asset. An asset without one is not in
 * the map. The statement returns one row per asset, because a row per window costs several times as much.
 */
export async function loadPriceSeries(
  sql: Sql,
  assetIds: readonly number[],
  timeframe: Timeframe,
  spans: readonly Span[],
): Promise<ReadonlyMap<number, readonly PricePoint[]>> {
  const firsts = spans.map(({ from }) => from)
  const ends = spans.map(({ to }) => to)
  const rows = await sql.rows(SERIES, [assetIds, timeframe, firsts, ends])
  return new Map(rows.map((row) => [row.assetId, pointsOf(row)]))
}

function pointsOf({
  starts,
  prices,
  volumes,
  exchanges,
}: RowOf<typeof SERIES_COLUMNS>): readonly PricePoint[] {
  return starts.map((ts, at) => ({
    ts,
    priceUsd: prices[at] ?? null,
    volumeUsd: volumes[at] ?? null,
    exchangesCount: exchanges[at] ?? 0,
  }))
}

/** Units in circulation by asset; an unknown supply is missing. */
export async function loadSupplyUnits(
  prisma: PrismaModels,
  assetIds: readonly number[],
): Promise<ReadonlyMap<number, number>> {
  const rows = await prisma.assetSupply.findMany({
    where: { assetId: { in: [...assetIds] }, knownTo: null },
    select: { assetId: true, supply: true },
  })
  return new Map(rows.map(({ assetId, supply }) => [assetId, supply.toNumber()]))
}

/** The datasets that an analysis is made from, and their source. */
export interface DataProvenance {
  readonly lineage: readonly LineageEntry[]
  /** Provider of the consensus series, or seed. */
  readonly source: string
  readonly isDevDataset: boolean
}

const FACT_DATASETS: readonly DatasetName[] = ['candles', 'instruments', 'supply']

/** The datasets with their current versions; null while the consensus series does not exist. */
export async function loadProvenance(prisma: PrismaModels): Promise<DataProvenance | null> {
  const rows = await loadOrigins(prisma, FACT_DATASETS)
  const candles = rows.find(({ dataset }) => dataset === 'candles')
  if (candles === undefined) return null
  return {
    lineage: rows.map(({ dataset, version, source }) => ({ dataset, version, source })),
    source: candles.source,
    isDevDataset: candles.isDevDataset,
  }
}

/** The parts of a chain's newest snapshot that decide whether another is due. */
export interface NewestAnalysis {
  readonly content: SnapshotContent
  readonly methodologyVersion: string
  readonly promptVersion: string | null
  readonly generatedAt: Date
}

const NEWEST = statement(
  'lacks newest per key',
  {
    assetId: 'int4',
    analysisType: column<AnalysisType>('analysis_type'),
    text: 'text',
    methodologyVersion: 'text',
    promptVersion: 'text?',
    generatedAt: 'timestamptz',
  },
  `select distinct on (s.asset_id, s.analysis_type) s.asset_id as "assetId", s.analysis_type as "analysisType",
     s.content as text, s.methodology_version as "methodologyVersion", s.prompt_version as "promptVersion",
     s.generated_at as "generatedAt"
   from analysis_snapshot as s where s.asset_id = any($1::int[]) and s.source = $2
   order by s.asset_id, s.analysis_type, s.generated_at desc, s.sequence desc`,
)

/** By `analysisKey`; a chain without a snapshot of the source is not in the map. */
export async function loadNewestAnalyses(
  sql: Sql,
  assetIds: readonly number[],
  source: string,
): Promise<ReadonlyMap<string, NewestAnalysis>> {
  const rows = await sql.rows(NEWEST, [assetIds, source])
  return new Map(
    rows.map(({ assetId, analysisType, text, ...row }) => [
      analysisKey(assetId, analysisType),
      { ...row, content: JSON.parse(text) as SnapshotContent }, // as appendSnapshots wrote it
    ]),
  )
}

export function analysisKey(assetId: number, type: AnalysisType): string {
  return `${assetId} ${type}`
}
