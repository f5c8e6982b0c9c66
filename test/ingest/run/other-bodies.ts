import type { Cik } from '../../../src/core/identifiers.js'
import { loadMasters } from '../../../src/domains/instruments/masters/masters-store.js'
import { loadPricedListings } from '../../../src/domains/prices/store.js'
import { etfSink } from '../../../src/ingest/datasets/etf/ingestion.js'
import { findFund } from '../../../src/ingest/datasets/etf/run-fund-feed.js'
import { eventsSink } from '../../../src/ingest/datasets/events/ingestion.js'
import { filingsSink } from '../../../src/ingest/datasets/filings/ingestion.js'
import { instrumentsSink } from '../../../src/ingest/datasets/instruments/ingestion.js'
import { ownSupplySink } from '../../../src/ingest/datasets/market/ingestion.js'
import { newsSink } from '../../../src/ingest/datasets/news/ingestion.js'
import { assetOnchainSink } from '../../../src/ingest/datasets/onchain-metrics/ingestion.js'
import { pricesSink } from '../../../src/ingest/datasets/prices/ingestion.js'
import { actionsSink, dividendsSink } from '../../../src/ingest/datasets/stocks/ingestion.js'
import { type BoundFeed, bindFeed } from '../../../src/ingest/feed.js'
import { coinMetricsFeed } from '../../../src/ingest/providers/coinmetrics/asset-csv.js'
import { isharesHoldings } from '../../../src/ingest/providers/ishares/holdings-csv.js'
import { actionsFile } from '../../../src/ingest/providers/operator/actions-file.js'
import { dividendsFile } from '../../../src/ingest/providers/operator/dividends-file.js'
import { etfHoldingsFile } from '../../../src/ingest/providers/operator/etf-holdings-file.js'
import { eventsFile } from '../../../src/ingest/providers/operator/events-file.js'
import { instrumentsFile } from '../../../src/ingest/providers/operator/instruments-file.js'
import { pricesFile } from '../../../src/ingest/providers/operator/prices-file.js'
import { suppliesFile } from '../../../src/ingest/providers/operator/supplies-file.js'
import { newsFeed } from '../../../src/ingest/providers/rss/rss.js'
import { companyFacts } from '../../../src/ingest/providers/sec/company-facts.js'
import { nport } from '../../../src/ingest/providers/sec/nport.js'
import { xtrackersHoldings } from '../../../src/ingest/providers/xtrackers/holdings-json.js'
import type { Database } from '../../../src/platform/database/database.js'
import { filingBody, securityBody } from '../providers/sec/nport-bodies.js'
import { lines, SMALL_BODIES, type SmallBody, withBroken } from './small-bodies.js'

interface OtherBody extends SmallBody {
  readonly bind: (database: Database) => Promise<BoundFeed>
}

function body(
  bind: OtherBody['bind'],
  text: string,
  broken: readonly [string, string],
  counts: { readonly read: number; readonly absent: number },
): OtherBody {
  return { bind, ...withBroken(text, broken, counts) }
}

const NVIDIA = '0001045810' as Cik // it is of this form
const THREE = { read: 3, absent: 0 }
const TWO = { read: 2, absent: 0 }

const XTRACKERS = JSON.stringify({
  tables: [
    {
      columns: ['ISIN', 'Name', '% Weight'].map((value, at) => ({ key: `c${at}`, value })),
      values: [
        ['US67066G1040', 'NVIDIA CORP', '60.5'],
        ['US0378331005', 'APPLE INC', '39'],
        ['US5949181045', 'MICROSOFT CORP', '0.5'],
      ].map(([isin, name, sortValue]) => ({
        c0: { value: isin },
        c1: { value: name },
        c2: { value: '', sortValue: Number(sortValue) },
      })),
    },
  ],
})

const item = (at: number) =>
  `<item><title>Bitcoin ${at}</title><link>https://news.example/${at}</link><pubDate>Fri, 20 Nov 2026 10:0${at}:00 GMT</pubDate></item>`
const NEWS = `<rss version="2.0"><channel><title>News</title><link>https://news.example</link>${item(1)}${item(2)}</channel></rss>`

/** One small body for each feed that is bound at run time: to a fund, an asset, or the masters. */
export const OTHER_BODIES: Readonly<Record<string, OtherBody>> = {
  ishares: body(
    async (database) => bindFeed(isharesHoldings(await findFund(database, 'IVV')), etfSink),
    lines(
      ...['Fund', 'Fund Holdings as of,"Nov 19, 2026"', 'Shares Outstanding,"100"', ' '],
      'Ticker,Name,Asset Class,Market Value,Weight (%),Quantity,Exchange',
      'A,A Inc,Equity,"1,000",60,10,NASDAQ',
      'B,B Inc,Equity,"700",39,10,NASDAQ',
      'C,C Inc,Equity,"10",1,1,NASDAQ',
      ...[' ', '"Terms of use."'],
    ),
    [',1,1,', ',much,1,'],
    THREE,
  ),
  xtrackers: body(
    async (database) => bindFeed(xtrackersHoldings(await findFund(database, 'SPUS'), null), etfSink),
    XTRACKERS,
    ['"sortValue":0.5', '"sortValue":"much"'],
    THREE,
  ),
  'etf-holdings': body(
    async (database) => bindFeed(etfHoldingsFile(await findFund(database, 'SPSK')), etfSink),
    lines(
      'as_of,name,isin,weight',
      ...['2026-11-19,A plc,GB00BP6MXD84,0.6', '2026-11-19,B Inc,US0378331005,0.39', '2026-11-19,C,,0.01'],
    ),
    [',0.01', ',much'],
    THREE,
  ),
  nport: body(
    async (database) => {
      const fund = await findFund(database, 'IVV')
      return bindFeed(nport({ funds: [fund], fund, filing: null }), etfSink)
    },
    new TextDecoder()
      .decode(
        filingBody({
          securities: ['60', '39', '1'].map((pctVal) => securityBody({ name: `S ${pctVal}`, pctVal })),
        }),
      )
      .trim(),
    ['<pctVal>1<', '<pctVal>much<'],
    THREE,
  ),
  'news-rss': body(
    async () => bindFeed(newsFeed({ url: null, name: 'file', findMentions: () => [] }), newsSink),
    NEWS,
    ['10:02:00 GMT', 'later'],
    TWO,
  ),
  'coin-metrics': body(
    async () => bindFeed(coinMetricsFeed({ assetId: 1, slug: 'bitcoin', ticker: 'BTC' }), assetOnchainSink),
    lines('time,TxCnt,AdrActCnt', '2026-11-18,1,2', '2026-11-18,1,2', '2026-11-17,,', '2026-11-16,3,4'),
    ['3,4', 'three,4'],
    { read: 4, absent: 2 },
  ),
  'sec-facts of one company': {
    bind: async () => bindFeed(companyFacts(NVIDIA), filingsSink),
    ...(SMALL_BODIES['sec-facts'] as SmallBody), // it has one
  },
  instruments: body(
    async (database) => bindFeed(instrumentsFile(await loadMasters(database)), instrumentsSink),
    lines('slug,name', 'bitcoin,Bitcoin', 'ethereum,Ether'),
    ['ethereum', 'no-such-asset'],
    TWO,
  ),
  'corporate-actions': body(
    async (database) => bindFeed(actionsFile(await loadMasters(database)), actionsSink),
    lines('ticker,action_type,ex_date,ratio', 'NVDA,split,2024-06-10,10', 'AAPL,split,2020-08-31,4'),
    [',4\n', ',four\n'],
    TWO,
  ),
  dividends: body(
    async (database) => bindFeed(dividendsFile(await loadMasters(database)), dividendsSink),
    lines(
      'ticker,ex_date,amount,currency,frequency',
      'NVDA,2026-09-10,0.01,USD,quarterly',
      'AAPL,2026-08-10,0.26,USD,quarterly',
    ),
    ['0.26', 'some'],
    TWO,
  ),
  events: body(
    async (database) => bindFeed(eventsFile(await loadMasters(database)), eventsSink),
    lines('event_type,date,title,assets', 'halving,2024-04-20,A,bitcoin', 'halving,2020-05-11,B,bitcoin'),
    ['2020-05-11', 'once'],
    TWO,
  ),
  supplies: body(
    async (database) => bindFeed(suppliesFile(await loadMasters(database)), ownSupplySink),
    lines('slug,supply', 'bitcoin,19900000', 'ethereum,120000000'),
    ['120000000', 'many'],
    TWO,
  ),
  prices: body(
    async (database) => bindFeed(pricesFile(await loadPricedListings(database)), pricesSink),
    lines(
      'ticker,mic,date,close,currency',
      ...['NVDA,,2026-11-19,180,USD', 'NVDA,,2026-11-19,180,USD', 'AAPL,,2026-11-19,270,USD'],
    ),
    ['270', 'much'],
    { read: 3, absent: 1 },
  ),
}
