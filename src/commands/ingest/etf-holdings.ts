import { explainIsoDate, type IsoDate, parseIsoDate } from '../../core/time.js'
import { loadFunds } from '../../domains/etf/fund-list-store.js'
import type { EtfRow, Fund } from '../../domains/etf/model.js'
import { etfSink } from '../../ingest/datasets/etf/ingestion.js'
import { findFund, runFundFeed } from '../../ingest/datasets/etf/run-fund-feed.js'
import { runNport } from '../../ingest/datasets/etf/run-nport.js'
import { bindFeed, type Feed, IngestError } from '../../ingest/feed.js'
import { isharesHoldings } from '../../ingest/providers/ishares/holdings-csv.js'
import { ETF_HOLDINGS_FILE_HELP, etfHoldingsFile } from '../../ingest/providers/operator/etf-holdings-file.js'
import { nport } from '../../ingest/providers/sec/nport.js'
import { SEC_VARIABLE } from '../../ingest/providers/sec/request.js'
import { xtrackersHoldings } from '../../ingest/providers/xtrackers/holdings-json.js'
import { downloadBodyWith, fetchBodyWith } from '../../ingest/run/ask-for-body.js'
import type { BodySource } from '../../ingest/run/feed-body.js'
import type { RunDeps } from '../../ingest/run/run-feed.js'
import { UsageError } from '../usage-error.js'
import { assertEtfOptions, type Options, type Outcome, type World } from './command.js'
import { assertProviderKey, helpEntry, summarizeRun, summarizeRuns } from './feed.js'

type FeedOfFund = (fund: Fund, asOf: IsoDate | null) => Feed<EtfRow>

/** Runs `ishares`, which loads the holdings of an iShares fund, live or from its file. */
export const ingestIshares = ofFund('ishares', isharesHoldings)

/** Runs `xtrackers`, which loads the holdings of an Xtrackers fund. */
export const ingestXtrackers = ofFund('xtrackers', xtrackersHoldings)

/** Runs `etf-holdings`, which loads the holdings of an ETF from the operator's own table. */
export const ingestEtfHoldings = ofFund('etf-holdings', etfHoldingsFile)

function ofFund(name: string, feedOf: FeedOfFund) {
  return async ({ http, ...world }: World, options: Options): Promise<Outcome> => {
    assertEtfOptions(options)
    if (options.etf === null) throw new UsageError(`${name} needs one fund, such as --etf IVV`)
    const asOf = readDay(name, options.asOf)
    const source = sourceOf(name, options.files)
    const fund = await findFund(world.database, options.etf)
    const deps = { ...world, fetchBody: fetchBodyWith(http) }
    const summary = await runFundFeed(deps, bindFeed(feedOf(fund, asOf), etfSink), source)
    return summarizeRun(`${name} ${fund.ticker}`, summary)
  }
}

/** Runs `nport`, which loads a filing from a file, or the new filings of one fund or of all. */
export async function ingestNport({ http, ...world }: World, options: Options): Promise<Outcome> {
  assertEtfOptions(options)
  readDay('nport', options.asOf)
  const source = sourceOf('nport', options.files)
  const fund = options.etf === null ? null : await findFund(world.database, options.etf)
  const deps = { ...world, fetchBody: fetchBodyWith(http), downloadBody: downloadBodyWith(http) }
  if (source.kind === 'live') return ingestNewFilings(deps, fund)
  const funds = await loadFunds(world.database)
  const bound = bindFeed(nport({ funds, fund, filing: null }), etfSink)
  return summarizeRun('nport', await runFundFeed(deps, bound, source))
}

async function ingestNewFilings(
  { providerKeys, ...deps }: RunDeps & Pick<World, 'providerKeys'>,
  fund: Fund | null,
): Promise<Outcome> {
  assertProviderKey({ id: 'nport', keyVariable: SEC_VARIABLE }, providerKeys)
  if (fund !== null && fund.seriesId === null)
    throw new IngestError(`the SEC series of ${fund.ticker} is unknown; give a filing by --file`)
  const summary = await runNport(deps, fund === null ? {} : { fund })
  return summarizeRuns('nport', 'new filings', summary)
}

/** Parses --as-of, which is only for bodies that do not contain their day. */
function readDay(name: string, text: string | null): IsoDate | null {
  if (text === null) return null
  if (name !== 'xtrackers')
    throw new UsageError(`--as-of is only for xtrackers; files of ${name} contain their day`)
  const day = parseIsoDate(text)
  if (day === null) throw new UsageError(`--as-of ${explainIsoDate(text)}`)
  return day
}

function sourceOf(name: string, files: readonly string[]): BodySource {
  const [path, ...more] = files
  if (more.length > 0) throw new UsageError(`${name} needs one file`)
  return path === undefined ? { kind: 'live' } : { kind: 'file', path }
}

/** The help text of the feeds of ETFs. */
export function etfFeedsHelp(): string {
  return (
    helpEntry('nport', 'Holdings of funds of the United States, from their filings of N-PORT at the SEC', [
      'live: new filings, needs SEC_USER_AGENT, 200 listed ETFs at a time; --etf: those of one; files: primary_doc.xml',
    ]) +
    helpEntry('ishares', 'Holdings and NAV of an iShares fund, from the CSV of its page', [
      'live for: IVV; files: IVV_holdings.csv',
    ]) +
    helpEntry('xtrackers', 'Holdings of an Xtrackers fund, from the JSON of its page, by file', [
      '--as-of DAY: the day of the holdings, which the file does not contain (default: today)',
    ]) +
    helpEntry(
      'etf-holdings',
      'Holdings of an ETF of any issuer, CSV in UTF-8, by file',
      ETF_HOLDINGS_FILE_HELP,
    )
  )
}
