import { loadMasters } from '../../domains/instruments/masters-store.js'
import type { InstrumentFacts } from '../../domains/instruments/model.js'
import { loadPricedListings } from '../../domains/prices/store.js'
import { loadDatasetState } from '../../platform/database/dataset-states-store.js'
import { bindFeed, IngestError } from '../feed.js'
import { actionsFile } from '../providers/operator/actions-file.js'
import { dividendsFile } from '../providers/operator/dividends-file.js'
import { eventsFile } from '../providers/operator/events-file.js'
import { instrumentsFile } from '../providers/operator/instruments-file.js'
import { pricesFile } from '../providers/operator/prices-file.js'
import { suppliesFile } from '../providers/operator/supplies-file.js'
import { reference } from '../providers/reference/reference.js'
import { findFeed } from '../registry.js'
import { type BodySource, usualSourceOf } from '../run/feed-body.js'
import { type RunDeps, type RunSummary, runFeed } from '../run/run-feed.js'
import { eventsSink } from './events/ingestion.js'
import { instrumentsSink } from './instruments/ingestion.js'
import { ownSupplySink } from './market/ingestion.js'
import { pricesSink } from './prices/ingestion.js'
import { actionsSink, dividendsSink } from './stocks/ingestion.js'

/**
 * Reads the operator's table of assets into the masters. If these are not live yet, it ingests the reference first,
 * because the file adds to it. Throws like `runFeed`; the summary has the rejected rows.
 */
export async function runInstrumentsFile(deps: RunDeps, source: BodySource): Promise<RunSummary> {
  const state = await loadDatasetState(deps.database, 'instruments')
  if (state === null || state.isDevDataset) {
    await runFeed(deps, findFeed(reference.id), usualSourceOf(reference))
  }
  const masters = await loadMasters(deps.database)
  return runFeed(deps, bindFeed(instrumentsFile(masters), instrumentsSink), source)
}

/** Reads the operator's table of corporate actions. Throws like `runSuppliesFile`. */
export async function runActionsFile(deps: RunDeps, source: BodySource): Promise<RunSummary> {
  return runFeed(deps, bindFeed(actionsFile(await assetsOf(deps)), actionsSink), source)
}

/** Reads the operator's table of dividends. Throws like `runSuppliesFile`. */
export async function runDividendsFile(deps: RunDeps, source: BodySource): Promise<RunSummary> {
  return runFeed(deps, bindFeed(dividendsFile(await assetsOf(deps)), dividendsSink), source)
}

/** Reads the operator's events. Throws like `runSuppliesFile`. */
export async function runEventsFile(deps: RunDeps, source: BodySource): Promise<RunSummary> {
  return runFeed(deps, bindFeed(eventsFile(await assetsOf(deps)), eventsSink), source)
}

async function assetsOf({ database }: RunDeps): Promise<readonly InstrumentFacts[]> {
  const masters = await loadMasters(database)
  if (masters.length === 0)
    throw new IngestError('the database has no assets yet; ingest reference or instruments first')
  return masters
}

/**
 * Reads the operator's table of supplies. Throws like `runFeed`, and IngestError while the database has no assets.
 */
export async function runSuppliesFile(deps: RunDeps, source: BodySource): Promise<RunSummary> {
  return runFeed(deps, bindFeed(suppliesFile(await assetsOf(deps)), ownSupplySink), source)
}

/**
 * Reads the operator's table of daily prices. Throws like `runFeed`, and IngestError while the database has no
 * stocks.
 */
export async function runPricesFile(deps: RunDeps, source: BodySource): Promise<RunSummary> {
  const listings = await loadPricedListings(deps.database)
  if (listings.length === 0)
    throw new IngestError('the database has no stocks yet; ingest reference or instruments first')
  return runFeed(deps, bindFeed(pricesFile(listings), pricesSink), source)
}
