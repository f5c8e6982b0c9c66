import { suggest } from '../../../core/suggest.js'
import { loadFunds } from '../../../domains/etf/fund-list-store.js'
import type { Fund } from '../../../domains/etf/model.js'
import { recordQuarantined } from '../../../domains/etf/report-store.js'
import type { Database } from '../../../platform/database/database.js'
import { bumpDataset } from '../../../platform/database/versions/bump-dataset.js'
import { loadDatasetState } from '../../../platform/database/versions/dataset-states-store.js'
import { Quarantined } from '../../bodies/etf/etf-report.js'
import { type BoundFeed, IngestError } from '../../feed.js'
import type { BodySource } from '../../run/feed-body.js'
import { lockDataset } from '../../run/lock-dataset.js'
import { type RunDeps, type RunSummary, runFeed } from '../../run/run-feed.js'

/**
 * Runs the feed of one fund's holdings. A quarantined report fails the run, and its reason is stored beside the
 * report that stays, which answers call stale from then on.
 */
export async function runFundFeed(deps: RunDeps, bound: BoundFeed, source: BodySource): Promise<RunSummary> {
  try {
    return await runFeed(deps, bound, source)
  } catch (error) {
    if (error instanceof Quarantined) await noteInDataset(deps, bound, error)
    throw error
  }
}

async function noteInDataset(
  { database, clock }: RunDeps,
  { feed }: BoundFeed,
  { quarantined }: Quarantined,
): Promise<void> {
  const { dataset, provider } = feed
  await database.transaction(async (tx) => {
    await lockDataset(tx, dataset)
    const state = await loadDatasetState(tx, dataset)
    const knownAt = clock.now()
    const isNew = await recordQuarantined(tx, quarantined, { knownAt, source: provider.id })
    const part = state?.parts.find(({ part }) => part === provider.id) ?? state?.parts[0]
    // The data is no newer, but the answers differ.
    if (isNew && part !== undefined) await bumpDataset(tx, { ...part, dataset, changedAt: knownAt })
  })
}

/** The ETF with that ticker. Throws IngestError with the most similar ticker. */
export async function findFund(database: Pick<Database, 'prisma'>, ticker: string): Promise<Fund> {
  const funds = await loadFunds(database)
  if (funds.length === 0)
    throw new IngestError('the database has no ETFs yet; ingest reference or instruments first')
  const fund = funds.find((one) => one.ticker === ticker.toUpperCase())
  if (fund !== undefined) return fund
  const tickers = funds.map((one) => one.ticker)
  const likely = suggest(ticker.toUpperCase(), tickers)
  const hint = likely === null ? '' : `; did you mean ${likely}?`
  throw new IngestError(`no ETF has the ticker ${JSON.stringify(ticker.slice(0, 20))}${hint}`)
}
