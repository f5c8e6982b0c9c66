import { groupBy } from '../../core/group-by.js'
import type { Lei } from '../../core/identifiers.js'
import { defineSharedLoader } from '../../platform/request/loaders/define-loader.js'
import type { RequestContext } from '../../platform/request/request-context.js'
import { type KnownSubject, loadLegalNames, loadSubjects } from './screened-store.js'

/** An LEI and the instant whose knowledge is requested. Null means now. */
export interface KnownKey {
  readonly lei: Lei
  readonly asOf: Date | null
}

export interface KnownEntity {
  readonly subjects: readonly KnownSubject[]
  /** Legal name in the LEI register, or null. */
  readonly legalName: string | null
}

const asOfText = ({ asOf }: KnownKey) => String(asOf?.getTime())
const keyText = (key: KnownKey) => `${key.lei} ${asOfText(key)}`

async function load(
  keys: readonly KnownKey[],
  { database }: RequestContext,
): Promise<ReadonlyMap<string, KnownEntity>> {
  const found = new Map<string, KnownEntity>()
  for (const group of groupBy(keys, asOfText).values()) {
    const [{ asOf }] = group
    const leis = group.map(({ lei }) => lei)
    const [subjects, names] = await Promise.all([
      loadSubjects(database, leis, asOf),
      loadLegalNames(database.prisma, leis, asOf),
    ])
    group.forEach((key, at) => {
      found.set(keyText(key), { subjects: subjects[at] ?? [], legalName: names.get(key.lei) ?? null })
    })
  }
  return found
}

/** The entries of an LEI in the lists and the register. All LEIs of an instant share two statements. */
export const knownEntityLoader = defineSharedLoader({ load, keyText, batchKey: asOfText })
