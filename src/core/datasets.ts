import { freshnessKindOfTier, type RefreshedKind } from './freshness.js'

/** How often a dataset is refreshed: like one kind of data, or by the tier of the observed asset. */
export type DatasetKind = RefreshedKind | 'tier'

/** The members that the datasets of one domain add to `Datasets`. */
export type Registered<Kinds extends Readonly<Record<string, DatasetKind>>> = Readonly<Kinds>

/** Every dataset by its name. The model of a domain registers its own and adds them here. */
// biome-ignore lint/suspicious/noEmptyInterface: its members come from the models of the domains
export interface Datasets {}

/** The name of a dataset; each has its own data version. */
export type DatasetName = keyof Datasets

/** Datasets by name, each with its refresh kind. */
export class DatasetRegistry {
  readonly #kinds = new Map<string, DatasetKind>()

  /** Throws if a dataset of another kind already has the name. */
  add(kinds: Readonly<Record<string, DatasetKind>>): void {
    for (const [name, kind] of Object.entries(kinds)) {
      if ((this.#kinds.get(name) ?? kind) !== kind) throw new Error(`there are two datasets ${name}`)
      this.#kinds.set(name, kind)
    }
  }

  /** In alphabetical order. */
  names(): readonly string[] {
    return [...this.#kinds.keys()].sort()
  }

  /** The kind of a dataset; `tier` decides for datasets by asset. Throws for an unregistered dataset. */
  kindOf(dataset: string, tier: number | null): RefreshedKind {
    const kind = this.#kinds.get(dataset)
    if (kind === undefined) throw new Error(`no model that is loaded registers the dataset ${dataset}`)
    return kind === 'tier' ? freshnessKindOfTier(tier) : kind
  }
}

const registry = new DatasetRegistry()

/** Registers the datasets of a model. Throws if one of another kind already has a name. */
export function registerDatasets<const Kinds extends Readonly<Record<string, DatasetKind>>>(
  kinds: Kinds,
): Kinds {
  registry.add(kinds)
  return kinds
}

/** The datasets of all loaded models, in the order of their names. */
export function registeredDatasets(): readonly DatasetName[] {
  return registry.names() as readonly DatasetName[] // a model adds to both what it registers
}

/** The kind of a dataset; `tier` decides for datasets by asset. Throws if its model is not loaded. */
export function kindOfDataset(dataset: DatasetName, tier: number | null): RefreshedKind {
  return registry.kindOf(dataset, tier)
}
