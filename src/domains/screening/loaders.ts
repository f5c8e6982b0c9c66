import type { Lei } from '../../core/identifiers.js'
import { defineSharedLoader, groupedLoad } from '../../platform/request/loaders/define-loader.js'
import type { RequestContext } from '../../platform/request/request-context.js'
import { type KnownSubject, loadLegalNames, loadSubjects } from './screened-store.js'

/** An identifier and the instant whose knowledge is requested. Null means now. */
interface KnownKey<Identifier extends string> {
  readonly identifier: Identifier
  readonly asOf: Date | null
}

const asOfText = ({ asOf }: KnownKey<string>) => String(asOf?.getTime())

/** A loader whose identifiers of an instant share one statement. */
function knowledgeLoader<Identifier extends string, Value>(
  load: (
    identifiers: readonly Identifier[],
    asOf: Date | null,
    context: RequestContext,
  ) => Promise<ReadonlyMap<string, Value> | readonly Value[]>,
) {
  const grouped = groupedLoad<KnownKey<Identifier>, Value>({
    groupText: asOfText,
    itemText: ({ identifier }) => identifier,
    load: (keys, context) =>
      load(
        keys.map(({ identifier }) => identifier),
        keys[0].asOf,
        context,
      ),
  })
  return defineSharedLoader({ ...grouped, batchKey: asOfText })
}

/** The entries of an identifier, by its key, in the lists. */
export const knownSubjectsLoader = knowledgeLoader<string, readonly KnownSubject[]>(
  (keys, asOf, { database }) => loadSubjects(database, keys, asOf),
)

/** The legal name of an LEI in the register. */
export const legalNameLoader = knowledgeLoader<Lei, string>((leis, asOf, { database }) =>
  loadLegalNames(database.prisma, leis, asOf),
)
