import type { MacroObservation } from '../../../domains/macro/model.js'
import type { Page, ParseContext, Parsed } from '../../feed.js'

/** An observation with its position in the body, or a rejection. */
export type PlacedObservation =
  | { readonly kind: 'row'; readonly row: MacroObservation; readonly position: string }
  | { readonly kind: 'rejected'; readonly position: string; readonly reason: string }

/**
 * The items of all pages, each period of a series once. A period that the pages give with two values is rejected wherever it
 * stands.
 *
 * @param read Reads a page. Its positions begin with `place`, which names the page if there are several.
 */
export function observedOnce(
  pages: readonly Page[],
  { onRead, onAbsent }: ParseContext,
  read: (page: Page, place: string) => Iterable<PlacedObservation>,
): readonly Parsed<MacroObservation>[] {
  const all = pages.flatMap((page, at) => {
    const found = [...read(page, pages.length > 1 ? `page ${at + 1}, ` : '')]
    onRead((at + 1) / pages.length)
    return found
  })
  const first = new Map<string, PlacedObservation>()
  const contested = new Set<string>()
  for (const item of all) {
    if (item.kind === 'rejected') continue
    const key = keyOf(item.row)
    const earlier = first.get(key)
    if (earlier === undefined) first.set(key, item)
    else if (earlier.kind === 'row' && textOf(earlier.row) !== textOf(item.row)) contested.add(key)
  }
  return all.flatMap((item): readonly Parsed<MacroObservation>[] => {
    if (item.kind === 'rejected') return [item]
    const key = keyOf(item.row)
    if (contested.has(key)) {
      const reason = 'the body has the period twice, with different values; neither is used'
      return [{ kind: 'rejected', position: item.position, reason }]
    }
    if (first.get(key) === item) return [{ kind: 'row', row: item.row }]
    onAbsent()
    return []
  })
}

function textOf({ value, note }: MacroObservation): string {
  return JSON.stringify([value, note ?? null])
}

function keyOf({ series: { dataset, seriesKey }, periodStart }: MacroObservation): string {
  return `${dataset} ${seriesKey} ${periodStart}`
}
