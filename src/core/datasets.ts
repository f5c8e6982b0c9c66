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

/** Datasets by name, each with how often it is refreshed. */
export class DatasetRegistry {
  readonly #kinds = new Map<string, DatasetKind>()

  /** Throws where a dataset of another kind has the name already. */
  add(kinds: Readonly<Record<string, DatasetKind>>): void {
    for (const [name, kind] of Object.entries(kinds)) {
      if ((this.#kinds.get(name) ?? kind) !== kind) throw new Error(`there are two datasets ${name}`)
      this.#kinds.set(name, kind)
    }
  }

  /** In the order of the alphabet. */
  names(): readonly string[] {
    return [...this.#kinds.keys()].sort()
  }

  /** The kind of a dataset; `tier` decides where it goes by asset. Throws for a dataset that is not registered. */
  kindOf(dataset: string, tier: number | null): FreshnessKind {
    const kind = this.#kinds.get(dataset)
    if (kind === undefined) throw new Error(`no model that is loaded registers the dataset ${dataset}`)
    return kind === 'tier' ? freshnessKindOfTier(tier) : kind
  }
}

const registry = new DatasetRegistry()

/** Registers the datasets of a model that is loaded. Throws where one of another kind has a name already. */
export function registerDatasets<const Kinds extends Readonly<Record<string, DatasetKind>>>(
  kinds: Kinds,
): Kinds {
  registry.add(kinds)
  return kinds
}

/** The datasets of the models that are loaded, in the order of their names. */
export function registeredDatasets(): readonly DatasetName[] {
  return registry.names() as readonly DatasetName[] // a model adds to both what it registers
}

/** The kind of a dataset; `tier` decides where it goes by asset. Throws where its model is not loaded. */
export function kindOfDataset(dataset: DatasetName, tier: number | null): FreshnessKind {
  return registry.kindOf(dataset, tier)
}
