import {
  FACT_ASSET_FUNDAMENTALS,
  FACT_ONCHAIN_ADVANCED,
  FACT_ONCHAIN_CORE,
  FACT_PROTOCOL_ECONOMICS,
  FACT_PROTOCOL_TVL,
  SAT_ASSET_METADATA,
  SAT_PROTOCOL_TVL_SELF,
} from './chain-facts.js'
import { FACT_AI_ANALYSIS, FACT_EVENT, FACT_NEWS_MENTION, SAT_ASSET_NEWS } from './content-facts.js'
import { DIMENSIONS } from './dimension-tables.js'
import {
  FACT_MARKET_SNAPSHOT,
  FACT_VWAP_CONSENSUS,
  FACT_VWAP_DAILY,
  FACT_VWAP_HOURLY,
  SAT_ASSET_MARKET_DERIVED,
} from './market-facts.js'
import { SERIES_FACTS } from './series-facts.js'
import { isServed, type StarTable } from './table.js'

/** Every view of the schema `star_public`, in the order of creation. */
export const STAR_TABLES: readonly StarTable[] = [
  ...DIMENSIONS,
  FACT_MARKET_SNAPSHOT,
  FACT_VWAP_CONSENSUS,
  FACT_ONCHAIN_CORE,
  FACT_ONCHAIN_ADVANCED,
  FACT_ASSET_FUNDAMENTALS,
  FACT_PROTOCOL_TVL,
  FACT_PROTOCOL_ECONOMICS,
  FACT_NEWS_MENTION,
  FACT_AI_ANALYSIS,
  FACT_EVENT,
  SAT_ASSET_METADATA,
  SAT_ASSET_NEWS,
  SAT_ASSET_MARKET_DERIVED,
  SAT_PROTOCOL_TVL_SELF,
  FACT_VWAP_HOURLY,
  FACT_VWAP_DAILY,
  ...SERIES_FACTS,
]

/** The views that REST and GraphQL serve. */
export const SERVED_TABLES = STAR_TABLES.filter(isServed)
