import { setTimeout as sleep } from 'node:timers/promises'
import { loadFunds } from '../../../domains/etf/fund-list-store.js'
import type { Fund } from '../../../domains/etf/model.js'
import { loadKnownAccessions } from '../../../domains/etf/report-store.js'
import { bindFeed, IngestError, RetryLater } from '../../feed.js'
import { isharesHoldings } from '../../providers/ishares/holdings-csv.js'
import { ishares } from '../../providers/ishares/provider.js'
import { nport } from '../../providers/sec/nport.js'
import { filingsRequest, parseFilings } from '../../providers/sec/nport-filings.js'
import { sec } from '../../providers/sec/provider.js'
import { SEC_PAUSE_MS } from '../../providers/sec/request.js'
import type { RunDeps } from '../../run/run-feed.js'
import { type FeedsSummary, type NamedRun, type RunFeedsOptions, runFeeds } from '../../run/run-feeds.js'
import { etfSink } from './ingestion.js'
import { runFundFeed } from './run-fund-feed.js'

/** Pause between two funds of one issuer; no client waits. */
const ISSUER_PAUSE_MS = 2_000

interface EtfFeedsOptions extends Partial<RunFeedsOptions> {
  /** By default every fund with a known address. */
  readonly fund?: Fund
}

/** Reads the new N-PORT filings of each fund with a known series, oldest first. Throws like `runFeeds`. */
export async function runNport(
  deps: RunDeps,
  { fund, signal, pauseMs = SEC_PAUSE_MS }: EtfFeedsOptions = {},
): Promise<FeedsSummary> {
  const funds = await loadFunds(deps.database)
  const wait = { pauseMs, ...(signal === undefined ? {} : { signal }) }
  const runs: NamedRun[] = []
  const failed: FeedsSummary['failed'][number][] = []
  let listsRead = 0
  for (const one of fund === undefined ? funds : [fund]) {
    if (one.seriesId === null) continue
    try {
      runs.push(...(await newFilings(deps, one, one.seriesId, funds)))
      listsRead += 1
    } catch (error) {
      if (!(error instanceof IngestError) || error instanceof RetryLater) throw error
      failed.push({ name: one.ticker, reason: error.message })
    }
    await sleep(pauseMs, undefined, signal === undefined ? {} : { signal })
  }
  const summary = await runFeeds(deps, runs, { ...wait, run: runFundFeed })
  const isOut = summary.isOut || (listsRead === 0 && failed.length > 0)
  return { ...summary, failed: [...failed, ...summary.failed], isOut }
}

async function newFilings(
  { database, fetchBody }: RunDeps,
  fund: Fund,
  seriesId: string,
  funds: readonly Fund[],
): Promise<readonly NamedRun[]> {
  const filings = await parseFilings(await fetchBody(filingsRequest(seriesId)))
  const known = await loadKnownAccessions(
    database,
    filings.map(({ accession }) => accession),
  )
  return filings
    .filter(({ accession }) => !known.has(accession))
    .map((filing) => ({
      name: `${fund.ticker} ${filing.accession}`,
      provider: sec.id,
      bound: bindFeed(nport({ funds, fund, filing }), etfSink),
      source: { kind: 'live' },
    }))
}

/** Reads the newest holdings of each iShares fund with a known address. Throws like `runFeeds`. */
export async function runIshares(
  deps: RunDeps,
  { signal, pauseMs = ISSUER_PAUSE_MS }: EtfFeedsOptions = {},
): Promise<FeedsSummary> {
  const funds = await loadFunds(deps.database)
  const runs = funds
    .filter(({ isharesUrl }) => isharesUrl !== null)
    .map((fund): NamedRun => {
      const bound = bindFeed(isharesHoldings(fund), etfSink)
      return { name: fund.ticker, provider: ishares.id, bound, source: { kind: 'live' } }
    })
  return runFeeds(deps, runs, { pauseMs, run: runFundFeed, ...(signal === undefined ? {} : { signal }) })
}
