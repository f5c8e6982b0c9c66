import { toIsoDate } from '../../core/time.js'
import type { CompanyPeriod } from '../../generated/prisma/client.js'
import { defineLoader } from '../../platform/request/loaders/define-loader.js'
import { type CapitalKey, loadLastMarketCaps } from './last-market-cap-store.js'
import type { LastMarketCapInputs, MarketCapInputs } from './market-cap-model.js'
import { type LatestPeriodKey, latestPeriodText, loadLatestPeriods } from './periods/company-period-store.js'
import { loadPeriodReports, type PeriodReports } from './periods/period-store.js'
import {
  loadMarketCaps,
  loadReports,
  type MarketCapKey,
  type PeriodReport,
  type ReportsKey,
} from './store.js'

const reportsText = ({ assetId, cik, filedBy, before, limit }: ReportsKey) =>
  `${assetId} ${cik} ${filedBy} ${before} ${limit}`

/** Annual reports of a filer, the newest first. All filers of a request share one statement. */
export const annualReports = defineLoader<ReportsKey, readonly PeriodReport[]>(
  (keys, { database }) => loadReports(database, keys),
  reportsText,
)

/** Quarterly and annual reports of a filer, the newest first, with their amounts. All filers of a request share two statements. */
export const periodReports = defineLoader<ReportsKey, PeriodReports>(
  (keys, { database }) => loadPeriodReports(database, keys),
  reportsText,
)

/** The latest period of a filer with its stored figures. All filers of a request share one statement. */
export const latestPeriods = defineLoader<LatestPeriodKey, CompanyPeriod>(
  (keys, { database }) => loadLatestPeriods(database.prisma, keys),
  latestPeriodText,
)

const marketCapText = (key: MarketCapKey) =>
  [key.assetId, key.ticker, key.mic, key.cik, key.first, key.last, key.filedBy].join(' ')

/** Prices and share counts of a listing. All listings of a request share one statement. */
export const marketCapInputs = defineLoader<MarketCapKey, MarketCapInputs>(
  (keys, { database }) => loadMarketCaps(database, keys),
  marketCapText,
)

const capitalText = ({ assetId, ticker, mic, cik }: CapitalKey) => [assetId, ticker, mic, cik].join(' ')

/** The newest price of a listing with the share counts before it. All listings of a request share one statement. */
export const lastMarketCapInputs = defineLoader<CapitalKey, LastMarketCapInputs>(
  (keys, { database, now }) => loadLastMarketCaps(database, keys, toIsoDate(now)),
  capitalText,
)
