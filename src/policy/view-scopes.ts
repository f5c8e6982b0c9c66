import type { Scope } from './scopes.js'

/** Views of the star schema that need a scope beside star:read, in REST, GraphQL and SQL alike, with that scope. */
export const VIEW_SCOPES: ReadonlyMap<string, Scope> = new Map([
  ['fact_onchain_advanced', 'onchain:read'],
  ['fact_asset_fundamentals', 'fundamentals:read'],
  ['fact_macro_observation', 'macro:read'],
  ['fact_daily_close', 'instruments:read'],
  ['fact_company_period', 'fundamentals:read'],
])
