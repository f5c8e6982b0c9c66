import MiniSearch from 'minisearch'
import type { RouteTool } from './tools.js'

/** Words that questions contain and that say nothing about what is wanted. */
const STOP_WORDS = new Set(
  'a about all an and are as at be between by can did do does each for from get give had has have how i in is it its list many me much my of on or show since tell than that the their them then there these this to today until was were what when where which who will with would you'.split(
    ' ',
  ),
)

/** Tables for BI tools repeat what other operations return, so these come first. */
const STAR_BOOST = 0.4

/** Finds operations by the words of a question. */
export interface OperationIndex {
  /** The operations that match best, best first. */
  find(question: string, limit: number): readonly RouteTool[]
  /** The words of a question that are no stop words and that describe no operation: probably names. */
  namesIn(question: string): string
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
      boostDocument: (name) => (String(name).startsWith('star_') ? STAR_BOOST : 1),
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
  const described = new Set(
    tools.flatMap(({ tool, keywords }) =>
      wordsOf([tool.name, tool.title, ...keywords].join(' ')).map(processTerm),
    ),
  )
  return {
    find: (question, limit) =>
      index
        .search(question)
        .slice(0, limit)
        .flatMap(({ id }) => byName.get(String(id)) ?? []),
    namesIn: (question) =>
      wordsOf(question)
        .filter((word) => {
          const term = processTerm(word)
          return term !== null && !described.has(term)
        })
        .join(' '),
  }
}

function wordsOf(text: string): readonly string[] {
  return text.split(/[^\p{L}\p{N}.]+/u).filter((word) => word !== '')
}

/** The form of a word that is compared: lower case, without the plural's s. Null for a stop word. */
function processTerm(word: string): string | null {
  const term = word.toLowerCase()
  if (STOP_WORDS.has(term)) return null
  return term.length > 3 && term.endsWith('s') && !term.endsWith('ss') ? term.slice(0, -1) : term
}
