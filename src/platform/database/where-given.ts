/** A condition with `?` for each of its values; it is omitted when one of them is null. */
export type Condition = readonly [text: string, ...values: readonly unknown[]]

/**
 * The conditions whose values are given, joined by `and`, with parameters numbered after the first `taken`; `true` when
 * none is given. A statement of which a condition is left out keeps a plan of its own: in `$1 is null or …` a plan that
 * serves all values cannot begin with an index. So texts are as many as there are sets of conditions.
 */
export function whereGiven(
  conditions: readonly Condition[],
  taken = 0,
): { readonly where: string; readonly parameters: readonly unknown[] } {
  const given = conditions.filter(([, ...values]) => values.every((value) => value !== null))
  let place = taken
  const texts = given.map(([text]) =>
    text.replaceAll('?', () => {
      place += 1
      return `$${place}`
    }),
  )
  return { where: texts.join(' and ') || 'true', parameters: given.flatMap(([, ...values]) => values) }
}
