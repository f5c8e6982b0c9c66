import MiniSearch from 'minisearch'
import { STOP_WORDS } from '../../core/question-words.js'
import { isForexCurrency } from '../../domains/forex/model.js'
import type { RouteTool } from './tools.js'

/** Tables for BI tools repeat what other operations return, so these come first. */
const STAR_BOOST = 0.4

/** Operations of the class of the asset that a question names come before those of other classes. */
const OWN_CLASS_BOOST = 1.5
const OTHER_CLASS_BOOST = 0.5

/** The class is a term too, for a question that only names the asset. */
const CLASS_TERM_BOOST = 0.3

/** Paths of the operations that serve one class of assets only. */
const CLASS_PATHS: readonly (readonly [path: RegExp, assetClass: string])[] = [
  [/^\/v1\/assets\/\{id\}(?!\/ai$)/, 'crypto'],
  [/^\/v1\/stocks\b/, 'stock'],
  [/^\/v1\/etf\b/, 'etf'],
  [/^\/v1\/commodities\b/, 'commodity'],
]

/** Finds operations by the words of a question. */
export interface OperationIndex {
  /** The operations that match best, best first. `assetClass` is that of the asset which the question names. */
  find(question: string, limit: number, assetClass?: string | null): readonly RouteTool[]
}

export function createOperationIndex(tools: readonly RouteTool[]): OperationIndex {
  const byName = new Map(tools.map((tool) => [tool.tool.name, tool]))
  const index = new MiniSearch({
    idField: 'name',
    fields: ['name', 'keywords', 'title', 'description'],
    processTerm,
    searchOptions: {
      boost: { name: 2, keywords: 4, title: 3 },
      prefix: (term) => term.length > 3,
      fuzzy: (term) => (term.length > 4 ? 0.2 : false),
    },
  })
  index.addAll(
    tools.map(({ tool, keywords }) => ({
      name: tool.name,
      keywords: keywords.join(' '),
      title: tool.title,
      description: tool.description,
    })),
  )
  return {
    find: (question, limit, assetClass = null) =>
      index
        .search([question, assetClass ?? ''].join(' '), {
          processTerm: processAskedTerm,
          boostTerm: (term) => (term === assetClass ? CLASS_TERM_BOOST : 1),
          boostDocument: (name) => boostOf(byName.get(String(name)), assetClass),
        })
        .slice(0, limit)
        .flatMap(({ id }) => byName.get(String(id)) ?? []),
  }
}

function boostOf(operation: RouteTool | undefined, assetClass: string | null): number {
  if (operation?.tool.name.startsWith('star_')) return STAR_BOOST
  const served = CLASS_PATHS.find(([path]) => operation !== undefined && path.test(operation.route.path))
  if (served === undefined || assetClass === null) return 1
  return served[1] === assetClass ? OWN_CLASS_BOOST : OTHER_CLASS_BOOST
}

/** A currency code also means the word currency. */
function processAskedTerm(word: string): string | string[] | null {
  const term = processTerm(word)
  return term !== null && isForexCurrency(word) ? [term, 'currency'] : term
}

/** The form of a word that is compared: lower case, without the plural's s. Null for a stop word. */
function processTerm(word: string): string | null {
  const term = word.toLowerCase()
  if (STOP_WORDS.has(term)) return null
  return term.length > 3 && term.endsWith('s') && !term.endsWith('ss') ? term.slice(0, -1) : term
}
