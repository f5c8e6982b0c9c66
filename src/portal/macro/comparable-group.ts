import type { CatalogueSeries } from './catalogue.js'
import { unitText } from './unit-text.js'

/** Series whose values one axis can show: a dataset of the BIS, or series of another publisher with one unit and frequency. */
export interface ComparableGroup {
  readonly key: string
  readonly name: string
  readonly providerName: string
  readonly series: readonly CatalogueSeries[]
}

/** The groups of at least two series, in the order of the catalogue. */
export function listComparableGroups(catalogue: readonly CatalogueSeries[]): readonly ComparableGroup[] {
  const groups = new Map<string, CatalogueSeries[]>()
  for (const series of catalogue) {
    const key = toGroupKey(series)
    groups.set(key, [...(groups.get(key) ?? []), series])
  }
  return [...groups].flatMap(([key, series]) => {
    const [first] = series
    if (first === undefined || series.length < 2) return []
    const unit = unitText(first.unit ?? '')
    const name = [first.datasetName, unit, first.frequency].filter((part) => part).join(', ')
    return { key, name, providerName: first.providerName, series }
  })
}

function toGroupKey({ providerName, datasetName, unit, frequency }: CatalogueSeries): string {
  return [providerName, datasetName ?? unit, frequency].join(': ')
}

/** What distinguishes a series from the others of its group. */
export function toLabelInGroup({ datasetName, country, name }: CatalogueSeries): string {
  return datasetName === null ? name : country
}
