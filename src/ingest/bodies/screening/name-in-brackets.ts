/** Splits `E51809923 (China)` into the text and what stands in the brackets at its end; null without such brackets. */
export function splitNameInBrackets(text: string): readonly [before: string, name: string | null] {
  const opening = text.lastIndexOf('(')
  if (opening < 0 || text.indexOf(')', opening) !== text.length - 1) return [text, null]
  return [text.slice(0, opening).trimEnd(), text.slice(opening + 1, -1)]
}
