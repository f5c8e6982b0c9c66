import { type DocumentNode, Kind, visit } from 'graphql'

/** Members that change each time a cached response is served. core/response-template.ts finds them by name. */
const SERVED_MEMBERS: ReadonlySet<string> = new Set(['data_freshness_seconds', 'cache_hit'])

const checked = new WeakMap<DocumentNode, boolean>()

/** Whether responses to the document may be cached: no alias hides or imitates a member that changes with the clock. */
export function isCacheableDocument(document: DocumentNode): boolean {
  const known = checked.get(document)
  if (known !== undefined) return known
  let isHidden = false
  visit(document, {
    [Kind.FIELD]: ({ alias, name }) => {
      if (alias && (SERVED_MEMBERS.has(alias.value) || SERVED_MEMBERS.has(name.value))) isHidden = true
    },
  })
  checked.set(document, !isHidden)
  return !isHidden
}
