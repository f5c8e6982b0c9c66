import { loadMasters } from '../../domains/instruments/masters/masters-store.js'
import type { InstrumentFacts } from '../../domains/instruments/model.js'
import { loadPricedListings } from '../../domains/prices/store.js'
import { loadDatasetState } from '../../platform/database/versions/dataset-states-store.js'
import { type BoundFeed, bindFeed, IngestError } from '../feed.js'
import type { FeedGroup } from '../feed-group.js'
import { ACTIONS_TABLE, actionsFile } from '../providers/operator/actions-file.js'
import { helpOf, type TableTexts } from '../providers/operator/columns.js'
import { DIVIDENDS_TABLE, dividendsFile } from '../providers/operator/dividends-file.js'
import { EVENTS_TABLE, eventsFile } from '../providers/operator/events-file.js'
import { INSTRUMENTS_TABLE, instrumentsFile } from '../providers/operator/instruments-file.js'
import { PRICES_TABLE, pricesFile } from '../providers/operator/prices-file.js'
import { SUPPLIES_TABLE, suppliesFile } from '../providers/operator/supplies-file.js'
import { reference } from '../providers/reference/reference.js'
import { findFeed } from '../registry.js'
import { usualSourceOf } from '../run/feed-body.js'
import { type RunDeps, type RunSummary, runFeed } from '../run/run-feed.js'
import { reportOfRun } from '../run-report.js'
import { eventsSink } from './events/ingestion.js'
import { instrumentsSink } from './instruments/ingestion.js'
import { ownSupplySink } from './market/ingestion.js'
import { pricesSink } from './prices/ingestion.js'
import { actionsSink, dividendsSink } from './stocks/ingestion.js'

/** The operator's tables, in the order of the help. */
export const operatorFiles: readonly FeedGroup<RunSummary>[] = [
  operatorFile(
    'instruments',
    'Your own assets, and corrections of the reference data',
    INSTRUMENTS_TABLE,
    async (deps) => {
      await withReference(deps)
      return bindFeed(instrumentsFile(await loadMasters(deps.database)), instrumentsSink)
    },
  ),
  operatorFile('supplies', 'Your own figures of the units of crypto assets', SUPPLIES_TABLE, async (deps) =>
    bindFeed(suppliesFile(await loadAssets(deps)), ownSupplySink),
  ),
  operatorFile('corporate-actions', 'Your own corporate actions of stocks', ACTIONS_TABLE, async (deps) =>
    bindFeed(actionsFile(await loadAssets(deps)), actionsSink),
  ),
  operatorFile('dividends', 'Your own dividends of stocks', DIVIDENDS_TABLE, async (deps) =>
    bindFeed(dividendsFile(await loadAssets(deps)), dividendsSink),
  ),
  operatorFile('prices', 'Daily prices of stocks and ETFs', PRICES_TABLE, async ({ database }) =>
    bindFeed(pricesFile(required(await loadPricedListings(database), 'stocks')), pricesSink),
  ),
  operatorFile('events', 'Your own events of crypto assets', EVENTS_TABLE, async (deps) =>
    bindFeed(eventsFile(await loadAssets(deps)), eventsSink),
  ),
]

/** `bind` throws IngestError while the database lacks what the file is about. */
function operatorFile(
  name: string,
  what: string,
  table: TableTexts,
  bind: (deps: RunDeps) => Promise<BoundFeed>,
): FeedGroup<RunSummary> {
  return {
    name,
    command: { options: ['file'], required: 'file', help: [what, ...helpOf(table)] },
    run: async (deps, { source }) => reportOfRun(name, await runFeed(deps, await bind(deps), source)),
  }
}

/** The file adds to the reference, so the reference is ingested first if the masters are not live yet. */
async function withReference(deps: RunDeps): Promise<void> {
  const state = await loadDatasetState(deps.database, 'instruments')
  if (state === null || state.isDevDataset)
    await runFeed(deps, findFeed(reference.id), usualSourceOf(reference))
}

async function loadAssets({ database }: RunDeps): Promise<readonly InstrumentFacts[]> {
  return required(await loadMasters(database), 'assets')
}

function required<Row>(rows: readonly Row[], what: string): readonly Row[] {
  if (rows.length > 0) return rows
  throw new IngestError(`the database has no ${what} yet; ingest reference or instruments first`)
}
