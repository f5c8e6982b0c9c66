import type { Config } from '../../config.js'
import type { DatasetName } from '../../core/datasets.js'
import { computeFreshness, type RefreshedKind, refreshIntervalMs } from '../../core/freshness.js'
import { HOUR_MS } from '../../core/time.js'
import { DATASETS, kindOfDataset } from '../../domains/datasets/registry-model.js'
import { loadBestTier } from '../../domains/datasets/store.js'
import { FEEDS } from '../../ingest/registry.js'
import type { DatasetState } from '../../platform/database/versions/data-version.js'
import { loadDatasetStates } from '../../platform/database/versions/dataset-states-store.js'
import { commandLine } from '../../platform/installation/command-line.js'
import { loadInstalledAt } from '../../platform/installation/installed-at.js'
import type { CheckWorld } from '../check.js'
import { ageText, type Finding, off, ok, problem, warning } from '../finding.js'
import { scheduledJobs } from './check-jobs.js'

/** Clocks that NTP sets differ by less. */
const MAX_AHEAD_MS = 60_000

/** The jobs of a new installation load their datasets within this time; then an alert reports an empty dataset too. */
const FIRST_LOAD_MS = 3 * HOUR_MS

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

/** What `judge` knows about a dataset besides its state. */
interface DatasetWorld {
  readonly kind: RefreshedKind
  readonly now: Date
  readonly config: SeedConfig
  /** Names of the scheduled jobs that load it. */
  readonly jobs: readonly string[]
  /** Whether those jobs have not had the time to load it. */
  readonly isNew: boolean
}

/** Checks the contents, source and age of each dataset. */
export async function checkData({ database, clock, config }: CheckWorld): Promise<readonly Finding[]> {
  const now = clock.now()
  const findings: Finding[] = []
  const tier = await loadBestTier(database.prisma)
  const states = await loadDatasetStates(database)
  const installedAt = await loadInstalledAt(database)
  const isNew = installedAt !== null && now.getTime() - installedAt.getTime() < FIRST_LOAD_MS
  const scheduled = scheduledJobs(config)
  for (const dataset of DATASETS) {
    const state = states.get(dataset) ?? null
    const jobs = scheduled.filter((job) => job.dataset === dataset).map(({ name }) => name)
    const kind = kindOfDataset(dataset, tier)
    const isLoaded = state !== null
    const facts = {
      dataset,
      loaded: jobs.length > 0 || isLoaded ? isLoaded : null,
      observed_at: state?.observedAt ?? null,
      refresh_seconds: isLoaded ? refreshIntervalMs(kind, state.observedAt) / 1_000 : null,
    }
    findings.push({ ...judge(dataset, state, { kind, now, config, jobs, isNew }), facts })
  }
  if (states.size > 0 || scheduled.length > 0) return findings
  const advice = `set SCHEDULE, or load data: ${commandLine('ingest')} --help`
  return [warning('data', 'no dataset holds anything, and no job is scheduled', advice), ...findings]
}

function judge(
  dataset: DatasetName,
  state: DatasetState | null,
  { kind, now, config, jobs, isNew }: DatasetWorld,
): Finding {
  const check = `data ${dataset}`
  if (state === null && UNNEEDED.includes(dataset)) return off(check, 'empty: no endpoint needs it')
  if (state === null && jobs.length > 0 && isNew)
    return ok(check, `empty: waits for the first run of ${jobs.join(', ')}`)
  if (state === null) {
    const report = jobs.length > 0 ? warning : off
    return report(check, 'empty: its endpoints respond with 503', fillAdvice(dataset, config))
  }
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
