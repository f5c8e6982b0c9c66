import { etfGroups } from './datasets/etf/etf-groups.js'
import { companyFactsGroup } from './datasets/filings/company-facts-group.js'
import { coinUniverseGroup } from './datasets/instruments/coins/coin-universe-group.js'
import { figiSymbolsGroup } from './datasets/instruments/figi-symbols-group.js'
import { questionGroups } from './datasets/instruments/question-groups.js'
import { submissionsGroup } from './datasets/instruments/submissions-group.js'
import { universeGroup } from './datasets/instruments/universe-group.js'
import { tokenSuppliesGroup } from './datasets/market/token-supplies-group.js'
import { newsGroup } from './datasets/news/news-group.js'
import { addressSnapshotsGroup } from './datasets/onchain/address-snapshots-group.js'
import { coinMetricsGroup } from './datasets/onchain-metrics/coin-metrics-group.js'
import { operatorFiles } from './datasets/operator-files.js'
import { alpacaGroup } from './datasets/prices/alpaca-group.js'
import { tiingoGroup } from './datasets/prices/tiingo-group.js'
import { legalNamesGroup } from './datasets/screening/legal-names-group.js'
import { openSanctionsGroups } from './datasets/screening/open-sanctions-groups.js'
import type { FeedGroup } from './feed-group.js'

/** Groups with a section of their own in the help of `ingest`, by its title. */
export const HELP_SECTIONS = {
  'Holdings of ETFs': etfGroups,
  Chains: [tokenSuppliesGroup, addressSnapshotsGroup, coinMetricsGroup],
  News: [newsGroup],
  'Your own files, CSV in UTF-8, read by --file': operatorFiles,
} as const satisfies Readonly<Record<string, readonly FeedGroup[]>>

/** Every group. */
export const FEED_GROUPS: readonly FeedGroup[] = [
  universeGroup,
  coinUniverseGroup,
  ...HELP_SECTIONS.Chains,
  ...openSanctionsGroups,
  ...HELP_SECTIONS.News,
  ...HELP_SECTIONS['Holdings of ETFs'],
  legalNamesGroup,
  submissionsGroup,
  figiSymbolsGroup,
  ...questionGroups,
  companyFactsGroup,
  tiingoGroup,
  alpacaGroup,
  ...operatorFiles,
]
