import type { Given } from '../../core/argument-parsers.js'
import type { Problems } from '../../core/problems.js'
import { parseSearchText } from '../assets/search/search-service.js'
import type { CardOrder, CardSort } from './model.js'

/** Parses the order and the text of a list of cards; null: the order of asset_id and every card. */
export function parseCardOrder(
  args: {
    readonly q?: Given<string>
    readonly sort?: Given<CardSort>
    readonly order?: Given<'asc' | 'desc'>
  },
  problems: Problems,
): CardOrder | null {
  const { q = null, sort = null, order = null } = args
  if (order !== null && sort === null)
    problems.add('order', 'needs sort: without it the order is that of asset_id')
  if (q === null && sort === null) return null
  const words = q === null ? [] : parseSearchText(problems, q).split(' ')
  return { sort, isDescending: order === 'desc', words }
}
