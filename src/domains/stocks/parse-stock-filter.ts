import { type Given, parseMicArgument, shownText } from '../../core/argument-parsers.js'
import type { Problems } from '../../core/problems.js'
import { suggest } from '../../core/suggest.js'
import type { RequestContext } from '../../platform/request/request-context.js'
import { requireAccess } from '../../policy/decide.js'
import type { FigureName } from '../filings/figures/figure-rules-model.js'
import type { FundamentalsPeriod } from '../filings/model.js'
import { GICS_SECTORS } from '../instruments/model.js'
import type { StockFilter, StockOrder } from './stock-list-store.js'

interface OrderArgs {
  readonly sort?: Given<FigureName>
  readonly period?: Given<FundamentalsPeriod>
  readonly order?: Given<'asc' | 'desc'>
}

interface FilterArgs extends OrderArgs {
  readonly mic?: Given<string>
  readonly sector?: Given<string>
}

/**
 * Parses the filters and the order of a list of stocks, and adds a problem for each wrong one. An order by a figure needs the scope
 * of fundamentals; without it the caller gets a 403.
 */
export function parseStockFilter(
  given: FilterArgs,
  problems: Problems,
  { principal }: RequestContext,
): StockFilter {
  const mic = parseMicArgument(problems, given.mic)
  const sector = GICS_SECTORS.find((name) => name === given.sector) ?? null
  if (given.sector != null && sector === null) {
    const near = suggest(given.sector, GICS_SECTORS)
    const hint = near === null ? `; use one of ${GICS_SECTORS.join(', ')}` : `; did you mean ${near}?`
    problems.add('sector', `must be a GICS sector; got ${shownText(given.sector)}${hint}`)
  }
  const order = parseStockOrder(given, problems)
  if (order !== null) requireAccess(principal, 'fundamentals:read')
  return { mic, sector, order }
}

function parseStockOrder({ sort, period, order }: OrderArgs, problems: Problems): StockOrder | null {
  if (sort != null) return { figure: sort, period: period ?? 'year', isDescending: order === 'desc' }
  if (period != null) problems.add('period', 'needs sort: it is the period of the figure')
  if (order != null) problems.add('order', 'needs sort: without it the order is that of the keys')
  return null
}
