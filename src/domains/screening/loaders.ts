import { groupBy } from '../../core/group-by.js'
import type { Lei } from '../../core/identifiers.js'
import { defineSharedLoader } from '../../platform/request/loaders/define-loader.js'
import type { RequestContext } from '../../platform/request/request-context.js'
import { type KnownSubject, loadLegalNames, loadSubjects } from './screened-store.js'

/** An identifier and the instant whose knowledge is requested. Null means now. */
interface KnownKey<Identifier extends string> {
  readonly identifier: Identifier
  readonly asOf: Date | null
}

type Found<Value> = ReadonlyMap<string, Value>

const asOfText = ({ asOf }: KnownKey<string>) => String(asOf?.getTime())
const keyText = (key: KnownKey<string>) => `${key.identifier} ${asOfText(key)}`

/** A loader whose identifiers of an instant share one statement. */
function knowledgeLoader<Identifier extends string, Value>(
  load: (
    identifiers: readonly Identifier[],
    asOf: Date | null,
    context: RequestContext,
  ) => Promise<Found<Value>>,
) {
  const loadAll = async (keys: readonly KnownKey<Identifier>[], context: RequestContext) => {
    const found = new Map<string, Value>()
    for (const group of groupBy(keys, asOfText).values()) {
      const [{ asOf }] = group
      const values = await load(
        group.map(({ identifier }) => identifier),
        asOf,
        context,
      )
      for (const [identifier, value] of values) found.set(keyText({ identifier, asOf }), value)
    }
    return found
  }
  return defineSharedLoader({ load: loadAll, keyText, batchKey: asOfText })
}

/** The entries of an identifier, by its key, in the lists. */
export const knownSubjectsLoader = knowledgeLoader<string, readonly KnownSubject[]>(
  async (keys, asOf, { database }) => {
    const subjects = await loadSubjects(database, keys, asOf)
    return new Map(keys.map((key, at) => [key, subjects[at] ?? []]))
  },
)

/** The legal name of an LEI in the register. */
export const legalNameLoader = knowledgeLoader<Lei, string>((leis, asOf, { database }) =>
  loadLegalNames(database.prisma, leis, asOf),
)
