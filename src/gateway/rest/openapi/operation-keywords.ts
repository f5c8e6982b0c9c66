import KEYWORDS from './operation-keywords.json' with { type: 'json' }

/**
 * Words that people use for what an operation returns, beside those of its summary and description. Searches in the REST
 * reference (`x-keywords`) and by agents find operations by them.
 */
export const OPERATION_KEYWORDS: Readonly<Record<string, readonly string[]>> = KEYWORDS
