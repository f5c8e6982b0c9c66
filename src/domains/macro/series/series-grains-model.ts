import { type DataPart, grainOf, isGrainName } from '../../../platform/database/versions/data-parts.js'
import type { MacroSeries } from '../model.js'

/** The publisher and its dataset, which groups series. */
export type SeriesGroup = Pick<MacroSeries, 'provider' | 'dataset'>

/** The name of the grain that the series of a dataset share, e.g. ws-tc of WS_TC. Null for a code that no grain can name. */
export function seriesGrainName(dataset: string): string | null {
  const name = dataset.toLowerCase().replaceAll('_', '-')
  return isGrainName(name) ? name : null
}

/** The grain of the series of a publisher's dataset; none for a code that no grain can name. */
export function seriesGrains({ provider, dataset }: SeriesGroup): readonly DataPart[] {
  const name = seriesGrainName(dataset)
  return name === null ? [] : [grainOf(provider, name)]
}
