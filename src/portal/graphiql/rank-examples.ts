/** What the search reads of an operation. */
export interface SearchedOperation {
  readonly operation: string
  readonly tag: string
  readonly summary: string
  /** Words that people use for the result. */
  readonly keywords: readonly string[]
}

/** The operations that contain every word of a text, those that match best first. An empty text keeps all in their order. */
export function rankExamples<Example extends SearchedOperation>(
  text: string,
  examples: readonly Example[],
): readonly Example[] {
  const wanted = toWords(text)
  if (wanted === '') return examples
  const ranked = examples.map((example) => ({ example, score: scoreOf(wanted, example) }))
  return ranked
    .filter(({ score }) => score > 0)
    .sort((left, right) => right.score - left.score)
    .map(({ example }) => example)
}

/** `asset_index` and `Asset index` are the same words. */
function toWords(text: string): string {
  return text
    .toLowerCase()
    .split(/[\s_,.]+/)
    .filter((word) => word !== '')
    .join(' ')
}

function scoreOf(wanted: string, { operation, tag, summary, keywords }: SearchedOperation): number {
  const name = toWords(operation)
  const phrases = keywords.map(toWords)
  if (name === wanted) return 6
  if (phrases.includes(wanted)) return 5 + 1 / (2 + phrases.indexOf(wanted))
  if (name.includes(wanted)) return 4
  if (phrases.some((phrase) => phrase.includes(wanted))) return 3
  if (toWords(summary).includes(wanted)) return 2
  const all = [name, ...phrases, toWords(summary), toWords(tag)].join(' ')
  return wanted.split(' ').every((word) => all.includes(word)) ? 1 : 0
}
