import { loadFunds, loadFundsToAsk } from '../../../domains/etf/fund-list-store.js'
import type { Fund, FundToAsk } from '../../../domains/etf/model.js'
import { loadKnownAccessions } from '../../../domains/etf/report-store.js'
import { noteFilingsAsked } from '../../../domains/instruments/funds/fund-classes-store.js'
import { bindFeed, IngestError, RetryLater } from '../../feed.js'
import { liveRun } from '../../feed-group.js'
import { type NportFiling, nport } from '../../providers/sec/nport.js'
import { filingsRequest, parseFilings } from '../../providers/sec/nport-filings.js'
import {
  addSummaries,
  type FeedsSummary,
  type NamedRun,
  type RunFeedsDeps,
  runFeeds,
} from '../../run/run-feeds.js'
import { etfSink } from './ingestion.js'
import { runFundFeed } from './run-fund-feed.js'

/** Funds of the list in one run. Each files once a quarter, so runs of 90 days reach four times as many as exchanges trade. */
const LISTED_PER_RUN = 200

/** No fund is begun after so long, because the SEC may be slow and the next run goes on. */
const RUN_BUDGET_MS = 1_800_000

/** If so many funds in a row fail, the others would fail too. */
const MAX_FAILED_IN_ROW = 5

interface NportOptions {
  /** Only this fund. */
  readonly fund?: Fund
  readonly listedPerRun?: number
  readonly budgetMs?: number
}

const NOTHING: FeedsSummary = {
  ...{ done: 0, read: 0, added: 0, revised: 0, unchanged: 0, rejected: 0, absent: 0, alsoChanged: 0 },
  ...{ failed: [], notAsked: 0, isOut: false },
}

/**
 * Reads the new N-PORT filings of each followed fund with a known series, and the newest ones of some funds of the SEC's list, those
 * asked for longest ago first. A run that ends early loses nothing: the next one goes on. Throws like `runFeeds`.
 */
export async function runNport(deps: RunFeedsDeps, options: NportOptions = {}): Promise<FeedsSummary> {
  const { fund, budgetMs = RUN_BUDGET_MS } = options
  const { database, clock, signal } = deps
  const funds = await loadFunds(database)
  const toAsk =
    fund === undefined
      ? await loadFundsToAsk(database, options.listedPerRun ?? LISTED_PER_RUN)
      : [{ fund, isListed: false }]
  const endsAt = performance.now() + budgetMs
  let summary = NOTHING
  let listsRead = 0
  let failedDocuments = 0
  let failedInRow = 0
  for (const [at, one] of toAsk.entries()) {
    if (performance.now() >= endsAt) break
    if (failedInRow === MAX_FAILED_IN_ROW) {
      summary = { ...summary, notAsked: summary.notAsked + toAsk.length - at }
      break
    }
    signal?.throwIfAborted()
    const runs = await newFilings(deps, one, funds)
    const hasList = !('reason' in runs)
    const next = hasList ? await runFeeds(deps, runs, runFundFeed) : { ...NOTHING, failed: [runs] }
    if (hasList) {
      listsRead += 1
      failedDocuments += next.failed.length
    }
    failedInRow = next.done === 0 && next.failed.length > 0 ? failedInRow + 1 : 0
    summary = addSummaries(summary, next)
    await noteFilingsAsked(database, one.fund.assetId, clock.now())
  }
  const isOut = summary.done === 0 && (failedDocuments > 0 || (listsRead === 0 && summary.failed.length > 0))
  return { ...summary, isOut }
}

/** A run for each filing that is read, or why the list of filings could not be read. */
async function newFilings(
  { database, fetchBody }: RunFeedsDeps,
  { fund, isListed }: FundToAsk,
  funds: readonly Fund[],
): Promise<readonly NamedRun[] | FeedsSummary['failed'][number]> {
  const { assetId, ticker, seriesId } = fund
  if (seriesId === null) return []
  try {
    const filings = await parseFilings(await fetchBody(filingsRequest(seriesId)))
    const wanted = isListed ? newestOf(filings) : filings
    const known = await loadKnownAccessions(
      database,
      assetId,
      wanted.map(({ accession }) => accession),
    )
    return wanted
      .filter(({ accession }) => !known.has(accession))
      .map((filing) =>
        liveRun(`${ticker} ${filing.accession}`, bindFeed(nport({ funds, fund, filing }), etfSink)),
      )
  } catch (error) {
    if (!(error instanceof IngestError) || error instanceof RetryLater) throw error
    return { name: ticker, reason: error.message }
  }
}

/** The newest filing with its amendments. An amendment alone may be of an earlier quarter. */
function newestOf(filings: readonly NportFiling[]): readonly NportFiling[] {
  return filings.slice(
    Math.max(
      0,
      filings.findLastIndex(({ isAmendment }) => !isAmendment),
    ),
  )
}
