/** A condition with `?` for each of its values; it is omitted when one of them is null. */
export type Condition = readonly [text: string, ...values: readonly unknown[]]

/**
 * Joins the conditions whose values are given by `and`, with parameters numbered after the first `taken`; `true` without
 * values. Each set of conditions has its own text, and so its own plan: a generic plan of `$1 is null or …` cannot use an
 * index.
 */
export function whereGiven(
  conditions: readonly Condition[],
  parameterCount = 0,
): { readonly where: string; readonly parameters: readonly unknown[] } {
  const given = conditions.filter(([, ...values]) => values.every((value) => value !== null))
  let place = parameterCount
  const texts = given.map(([text]) =>
    text.replaceAll('?', () => {
      place += 1
      return `$${place}`
    }),
  )
  return { where: texts.join(' and ') || 'true', parameters: given.flatMap(([, ...values]) => values) }
}
