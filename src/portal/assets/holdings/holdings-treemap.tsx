import type { JSX } from 'preact'
import { useMemo } from 'preact/hooks'
import { formatPercent, formatQuantity } from '../../parts/format.js'
import type { Holding } from './holding.js'
import { Treemap, type TreemapItem } from './treemap.js'

export interface HoldingsTreemapProps {
  /** The first page of a report, the heaviest first. */
  readonly holdings: readonly Holding[]
  /** Number of holdings on all pages. */
  readonly total: number
}

/** The weights of a fund as areas. Holdings of later pages share a tile, and short positions have none. */
export function HoldingsTreemap({ holdings, total }: HoldingsTreemapProps): JSX.Element {
  const items = useMemo(() => toItems(holdings, total), [holdings, total])
  const shortCount = holdings.filter(({ weight }) => weight < 0).length
  const [largest] = holdings
  return (
    <>
      <Treemap
        items={items}
        name="Treemap"
        summary={`Treemap of ${formatQuantity(items.length, 'weight')}; the largest holding is ${largest?.name}, ${formatPercent(largest?.weight ?? null)}. The table below lists all of them.`}
      />
      {shortCount > 0 && (
        <p class="quiet">
          The treemap leaves out {formatQuantity(shortCount, 'short position')} with a negative weight.
        </p>
      )}
    </>
  )
}

function toItems(holdings: readonly Holding[], total: number): readonly TreemapItem[] {
  const items = holdings
    .filter(({ weight }) => weight > 0)
    .map(({ position, name, ticker, weight, instrument }) => ({
      key: position,
      label: ticker ?? name,
      name,
      figure: formatPercent(weight),
      weight,
      path: instrument === null ? null : `/assets/${instrument.slug}`,
    }))
  const rest = 1 - holdings.reduce((sum, { weight }) => sum + weight, 0)
  const otherCount = total - holdings.length
  if (otherCount <= 0 || rest <= 0) return items
  const others = {
    key: 'others',
    label: formatQuantity(otherCount, 'other'),
    name: formatQuantity(otherCount, 'lighter holding'),
    figure: formatPercent(rest),
    weight: rest,
    path: null,
  }
  return [...items, others].sort((a, b) => b.weight - a.weight)
}
