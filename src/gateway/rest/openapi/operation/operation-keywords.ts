import { MACRO_PUBLISHERS } from '../../../../core/providers.js'
import KEYWORDS from './operation-keywords.json' with { type: 'json' }

/**
 * Words that people use for what an operation returns, beside those of its summary and description. Searches in the REST
 * reference (`x-keywords`) and by agents find operations by them.
 */
export const OPERATION_KEYWORDS: Readonly<Record<string, readonly string[]>> = {
  ...KEYWORDS,
  ...Object.fromEntries(
    MACRO_PUBLISHERS.flatMap(({ id, keywords }) =>
      Object.entries(keywords).map(([name, words = []]) => [`${id}_${name}`, words]),
    ),
  ),
}
