/** At least one item. */
export type Group<Item> = readonly [Item, ...Item[]]

/** Groups items by text, in their order. */
export function groupBy<Item>(
  items: readonly Item[],
  textOf: (item: Item) => string,
): ReadonlyMap<string, Group<Item>> {
  const groups = new Map<string, [Item, ...Item[]]>()
  for (const item of items) {
    const text = textOf(item)
    const group = groups.get(text)
    if (group === undefined) groups.set(text, [item])
    else group.push(item)
  }
  return groups
}
