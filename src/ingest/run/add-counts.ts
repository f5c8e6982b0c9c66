/** The sums of two sets of counts, of those that the first one has. */
export function addCounts<Name extends string>(
  first: Readonly<Record<Name, number>>,
  second: Readonly<Record<NoInfer<Name>, number>>,
): Record<Name, number> {
  const names = Object.keys(first) as Name[] // nothing else is in a set of counts
  return Object.fromEntries(names.map((name) => [name, first[name] + second[name]])) as Record<Name, number>
}
