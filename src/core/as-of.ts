/** By whose clock knowledge counts: when this gateway learned a value, or when its publisher made it known. */
export const KNOWLEDGE_BASES = ['observed', 'published'] as const

export type KnowledgeBasis = (typeof KNOWLEDGE_BASES)[number]

/** The instant whose knowledge is read. Where it is null, what is known now by observation is read. */
export interface AsOf {
  readonly at: Date
  readonly basis: KnowledgeBasis
}

/** The knowledge of an instant, null for null; observed unless a basis is given. */
export function createAsOf(at: Date | null, basis?: KnowledgeBasis | null): AsOf | null {
  return at === null ? null : { at, basis: basis ?? 'observed' }
}

/** The knowledge as text; equal knowledge has equal texts. */
export function asOfText(asOf: AsOf | null): string {
  return asOf === null ? 'now' : `${asOf.basis} ${asOf.at.getTime()}`
}

/** The instant for tables whose publishers state none; their fields refuse `published` before they read. */
export function observedInstant(asOf: AsOf | null): Date | null {
  if (asOf?.basis === 'published') throw new Error('a table without a published instant was read by it')
  return asOf?.at ?? null
}

/** The end of a sentence about what was known: empty for now. */
export function knownAtText(asOf: AsOf | null): string {
  if (asOf === null) return ''
  return ` that was ${asOf.basis === 'observed' ? 'known' : 'published'} at ${asOf.at.toISOString()}`
}
