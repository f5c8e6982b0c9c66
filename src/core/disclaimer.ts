import type { Method } from './method.js'

/** Part of every AI answer and every derived figure; the English text is binding. */
export const DISCLAIMER = 'Not financial advice. Not a fatwa. Methodology disclosed.'

export const DISCLAIMER_FR = 'Ceci n’est ni un conseil financier ni une fatwa. Méthodologie publiée.'

/** The members of an envelope's `meta` that carry the disclaimer. */
export const DISCLAIMER_META = {
  disclaimer: DISCLAIMER,
  disclaimer_lang_canonical: 'en',
  disclaimer_translations: { fr: DISCLAIMER_FR },
} as const

/** The members of `meta` of an answer with derived values: the method, when they were computed, and the disclaimer. */
export function derivedMeta(method: Method, computedAt: Date) {
  return { ...DISCLAIMER_META, data_methodology: method, computed_at: computedAt }
}
