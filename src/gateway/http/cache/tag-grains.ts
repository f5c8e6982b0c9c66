import type { DatasetName } from '../../../core/datasets.js'
import { type DataPart, datasetOf, grainNameOf } from '../../../platform/database/versions/data-parts.js'
import type { NameSet } from './name-set.js'

const BASE = 36

/** Writes grains for an entity tag, each as `!` with the number of its dataset and its name: `!2:bitcoin!2:ethereum`. */
export function writeGrains(grains: readonly DataPart[], datasets: NameSet<DatasetName>): string {
  return grains
    .map((grain) => `!${datasets.indexOf(datasetOf(grain)).toString(BASE)}:${grainNameOf(grain)}`)
    .join('')
}

/** The grains that `writeGrains` has written; those of unknown datasets are left out. A name that no grain has does not matter. */
export function readGrains(text: string, datasets: NameSet<DatasetName>): readonly DataPart[] {
  const grains: DataPart[] = []
  for (let at = 0; at < text.length; ) {
    const colon = text.indexOf(':', at)
    const next = text.indexOf('!', colon)
    const end = next < 0 ? text.length : next
    const dataset = datasets.nameAt(Number.parseInt(text.slice(at + 1, colon), BASE))
    if (dataset !== null) grains.push(`${dataset}/${text.slice(colon + 1, end)}`)
    at = end
  }
  return grains
}
