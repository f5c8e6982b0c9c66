/** Adds two sets of counts; the result has the counts that the first one has. */
export function addCounts<Name extends string>(
  first: Readonly<Record<Name, number>>,
  second: Readonly<Record<NoInfer<Name>, number>>,
): Record<Name, number> {
  const names = Object.keys(first) as Name[] // a set of counts has no other members
  return Object.fromEntries(names.map((name) => [name, first[name] + second[name]])) as Record<Name, number>
}
