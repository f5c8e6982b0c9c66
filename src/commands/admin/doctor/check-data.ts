import type { Config } from '../../../config.js'
import type { DatasetName } from '../../../core/datasets.js'
import { computeFreshness, type RefreshedKind } from '../../../core/freshness.js'
import { DATASETS, kindOfDataset } from '../../../domains/datasets/registry-model.js'
import { loadBestTier } from '../../../domains/datasets/store.js'
import { FEEDS } from '../../../ingest/registry.js'
import type { DatasetState } from '../../../platform/database/data-version.js'
import type { Database } from '../../../platform/database/database.js'
import { loadDatasetState } from '../../../platform/database/dataset-states-store.js'
import { commandLine } from '../../../platform/installation/command-line.js'
import { ageText, type Finding, ok, problem, warning } from './finding.js'

/** Clocks that NTP sets differ by less. */
const MAX_AHEAD_MS = 60_000

/** The command that fills a dataset which several feeds fill, or which needs a file of the operator. */
const CALLS: Partial<Readonly<Record<DatasetName, string>>> = {
  asset_onchain: `${commandLine('ingest')} coinmetrics`,
  commodities: `${commandLine('ingest')} imf-commodities --file PATH, and worldbank-commodities --file PATH for gold`,
  corporate_actions: `${commandLine('ingest')} corporate-actions --file PATH`,
  dividends: `${commandLine('ingest')} dividends --file PATH`,
  candles: `${commandLine('ingest')} candles`,
  analysis: commandLine('analyse'),
  onchain: `${commandLine('ingest')} address-snapshots`,
  prices: `${commandLine('ingest')} prices --file PATH`,
  etf: `${commandLine('ingest')} ishares --etf IVV`,
  news: `${commandLine('ingest')} news-rss`,
  events: `${commandLine('ingest')} events --file PATH`,
}

/** Datasets that no endpoint requires: without them, responses contain nulls. */
const UNNEEDED: readonly DatasetName[] = ['codes', 'prices', 'news', 'events']

type SeedConfig = Pick<Config, 'isDevelopment' | 'isSeeding'>

/** Checks the contents, source and age of each dataset. */
export async function checkData(
  database: Database,
  now: Date,
  config: SeedConfig,
): Promise<readonly Finding[]> {
  const findings: Finding[] = []
  const tier = await loadBestTier(database.prisma)
  for (const dataset of DATASETS) {
    const state = await loadDatasetState(database, dataset)
    findings.push(judge(dataset, state, kindOfDataset(dataset, tier), now, config))
  }
  return findings
}

function judge(
  dataset: DatasetName,
  state: DatasetState | null,
  kind: RefreshedKind,
  now: Date,
  config: SeedConfig,
): Finding {
  const check = `data ${dataset}`
  if (state === null && UNNEEDED.includes(dataset)) return ok(check, 'empty: no endpoint needs it')
  if (state === null)
    return warning(check, 'empty: its endpoints respond with 503', fillAdvice(dataset, config))
  const {
    data_freshness_seconds: age,
    freshness_status: status,
    next_refresh_at: next,
  } = computeFreshness(kind, state.observedAt, now)
  const aheadMs = state.changedAt.getTime() - now.getTime()
  if (aheadMs > MAX_AHEAD_MS) {
    const message = `changed ${ageText(Math.floor(aheadMs / 1_000))} in the future by this clock`
    return warning(
      check,
      message,
      'synchronise the clock of this machine, or of the one that ingested the data, by NTP',
    )
  }
  const message = `${state.isDevDataset ? 'synthetic seed' : `live from ${state.source}`}, ${ageText(age)} old: ${status}`
  if (state.isDevDataset) {
    return config.isDevelopment
      ? ok(check, message)
      : warning(check, `${message}; responses contain is_dev_dataset: true`, liveAdvice(dataset))
  }
  if (status === 'fresh') return ok(check, message)
  const late = `${message}, was due ${next.toISOString()}`
  return status === 'expired'
    ? problem(check, late, refreshAdvice(dataset))
    : warning(check, late, refreshAdvice(dataset))
}

function refreshAdvice(dataset: DatasetName): string {
  const call = callFor(dataset)
  return call.includes('--file')
    ? `load a newer file: ${call}; --help describes the file`
    : `run ${call}, and find out why it did not run`
}

function fillAdvice(dataset: DatasetName, { isDevelopment, isSeeding }: SeedConfig): string {
  if (!isDevelopment) return liveAdvice(dataset)
  return `${liveAdvice(dataset)}; ${commandLine('start')}${isSeeding ? '' : ' with SEED=on'} fills it with seed data`
}

function liveAdvice(dataset: DatasetName): string {
  const call = callFor(dataset)
  return call.includes('--file')
    ? `load your own file: ${call}; --help describes the file`
    : `load live data: ${call}`
}

/** The command that fills the dataset. */
function callFor(dataset: DatasetName): string {
  const ids = FEEDS.filter(({ feed }) => feed.dataset === dataset).map(({ feed }) => feed.id)
  return CALLS[dataset] ?? `${commandLine('ingest')} ${ids.join(' or ')}`
}
