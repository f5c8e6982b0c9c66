import { type FreshnessKind, freshnessKindOfTier } from './freshness.js'

/** How often a dataset is refreshed: as one kind of data, or by the tier of the asset that an observation is about. */
export type DatasetKind = FreshnessKind | 'tier'

/** The members that the datasets of one domain add to `Datasets`. */
export type Registered<Kinds extends Readonly<Record<string, DatasetKind>>> = Readonly<Kinds>

/** Every dataset by its name. The model of a domain registers its own and adds them here. */
// biome-ignore lint/suspicious/noEmptyInterface: its members come from the models of the domains
export interface Datasets {}

/** What has a data version of its own. */
export type DatasetName = keyof Datasets

const kinds = new Map<string, DatasetKind>()

/** Adds datasets, each with how often it is refreshed. Throws where one of another kind has the name already. */
export function registerDatasets<const Kinds extends Readonly<Record<string, DatasetKind>>>(
  added: Kinds,
): Kinds {
  for (const [name, kind] of Object.entries(added)) {
    const known = kinds.get(name)
    if (known !== undefined && known !== kind) throw new Error(`there are two datasets ${name}`)
    kinds.set(name, kind)
  }
  return added
}

/** The datasets of the models that are loaded, in the order of their names. */
export function registeredDatasets(): readonly DatasetName[] {
  return [...kinds.keys()].sort() as DatasetName[] // no others are registered
}

/** The kind of a dataset; `tier` decides where it goes by asset. Throws where its model is not loaded. */
export function kindOfDataset(dataset: DatasetName, tier: number | null): FreshnessKind {
  const kind = kinds.get(dataset)
  if (kind === undefined) throw new Error(`no model that is loaded registers the dataset ${dataset}`)
  return kind === 'tier' ? freshnessKindOfTier(tier) : kind
}
