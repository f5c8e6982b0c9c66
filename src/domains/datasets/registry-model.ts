import { registeredDatasets } from '../../core/datasets.js'
import { importEach } from '../../platform/import-each.js'

export { kindOfDataset } from '../../core/datasets.js'

// The model of each domain registers its datasets.
await importEach(new URL('../', import.meta.url), 'model')

/** Every dataset of every domain, in the order of their names. */
export const DATASETS = registeredDatasets()
