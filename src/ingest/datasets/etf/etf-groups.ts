import { type IsoDate, toIsoDate } from '../../../core/time.js'
import { loadFilingsProgress, loadFunds } from '../../../domains/etf/fund-list-store.js'
import type { EtfRow, Fund } from '../../../domains/etf/model.js'
import { bindFeed, type Feed, IngestError } from '../../feed.js'
import { type FeedGroup, type GroupDeps, liveRun, type Selection } from '../../feed-group.js'
import { isharesHoldings } from '../../providers/ishares/holdings-csv.js'
import { helpOf } from '../../providers/operator/columns.js'
import { ETF_HOLDINGS_TABLE, etfHoldingsFile } from '../../providers/operator/etf-holdings-file.js'
import { nport } from '../../providers/sec/nport.js'
import { SEC_VARIABLE } from '../../providers/sec/request.js'
import { xtrackersHoldings } from '../../providers/xtrackers/holdings-json.js'
import { runFeeds } from '../../run/run-feeds.js'
import { type RunReport, reportOfRun, reportOfRuns } from '../../run-report.js'
import { byCron } from '../../schedule.js'
import { etfSink } from './ingestion.js'
import { findFund, runFundFeed } from './run-fund-feed.js'
import { runNport } from './run-nport.js'

const JITTER_MS = 600_000

/** N-PORT: a filing from a file, or the new filings of one fund or of all. */
const nportGroup: FeedGroup = {
  name: 'nport',
  keyVariable: SEC_VARIABLE,
  job: {
    dataset: 'etf',
    cadence: 'each day, for filings of each quarter',
    schedule: byCron('20 7 * * *', JITTER_MS),
    needsAssets: true,
    describeProgress: async (sql) => {
      const { all, asked, oldest } = await loadFilingsProgress(sql)
      const since = oldest === null ? '' : `, the first on ${toIsoDate(oldest)}`
      return all === 0 ? null : `${asked} of ${all} listed ETFs were asked for their filings${since}`
    },
  },
  command: {
    options: ['etf', 'file'],
    help: [
      'Holdings of funds of the United States, from their filings of N-PORT at the SEC',
      'live: new filings, needs SEC_USER_AGENT, 200 listed ETFs at a time; --etf: those of one; files: primary_doc.xml',
    ],
  },
  run: async (deps, { source, etf }) => {
    const fund = etf === null ? null : await findFund(deps.database, etf)
    if (source.kind !== 'live') {
      const bound = bindFeed(nport({ funds: await loadFunds(deps.database), fund, filing: null }), etfSink)
      return reportOfRun('nport', await runFundFeed(deps, bound, source))
    }
    if (fund !== null && fund.seriesId === null)
      throw new IngestError(`the SEC series of ${fund.ticker} is unknown; give a filing by --file`)
    return reportOfRuns('nport', 'new filings', await runNport(deps, fund === null ? {} : { fund }))
  },
}

/** The holdings of one iShares fund, or of all whose address is known. */
const isharesGroup: FeedGroup = {
  name: 'ishares',
  job: { dataset: 'etf', cadence: 'each day', schedule: byCron('50 7 * * *', JITTER_MS), needsAssets: true },
  command: {
    options: ['etf', 'file'],
    required: 'etf',
    help: [
      'Holdings and NAV of an iShares fund, from the CSV of its page',
      'live for: IVV; files: IVV_holdings.csv',
    ],
  },
  run: async (deps, selection) => {
    if (selection.etf !== null) return runFund('ishares', isharesHoldings)(deps, selection)
    const funds = (await loadFunds(deps.database)).filter(({ isharesUrl }) => isharesUrl !== null)
    const runs = funds.map((fund) => liveRun(fund.ticker, bindFeed(isharesHoldings(fund), etfSink)))
    return reportOfRuns('ishares', 'funds', await runFeeds(deps, runs, runFundFeed))
  },
}

const xtrackersGroup: FeedGroup = {
  name: 'xtrackers',
  command: {
    options: ['etf', 'asOf', 'file'],
    required: 'etf',
    help: [
      'Holdings of an Xtrackers fund, from the JSON of its page, by file',
      '--as-of DAY: the day of the holdings, which the file does not contain (default: today)',
    ],
  },
  run: runFund('xtrackers', xtrackersHoldings),
}

/** The operator's own table. */
const etfHoldingsGroup: FeedGroup = {
  name: 'etf-holdings',
  command: {
    options: ['etf', 'file'],
    required: 'etf',
    help: ['Holdings of an ETF of any issuer, CSV in UTF-8, by file', ...helpOf(ETF_HOLDINGS_TABLE)],
  },
  run: runFund('etf-holdings', etfHoldingsFile),
}

function runFund(name: string, feedOf: (fund: Fund, asOf: IsoDate | null) => Feed<EtfRow>) {
  return async (deps: GroupDeps, { source, etf, asOf }: Selection): Promise<RunReport> => {
    const fund = await findFund(deps.database, etf ?? '')
    const bound = bindFeed(feedOf(fund, asOf), etfSink)
    return reportOfRun(`${name} ${fund.ticker}`, await runFundFeed(deps, bound, source))
  }
}

export const etfGroups: readonly FeedGroup[] = [nportGroup, isharesGroup, xtrackersGroup, etfHoldingsGroup]
