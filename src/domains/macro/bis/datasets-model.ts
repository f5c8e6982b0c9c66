import { ROUTED_PUBLISHERS, type RoutedPublisher, toPublisher } from '../../../core/providers.js'
import DATASETS from './datasets.json' with { type: 'json' }

/** A served dataset of the BIS. */
export interface BisDataset {
  readonly code: string
  readonly name: string
  /** Frequency of its headline series. */
  readonly frequency: 'quarterly' | 'annual'
  /** Unit of its headline series. */
  readonly unit: string
  readonly description: string
  /** Key of the headline series of the country `{CC}`. */
  readonly seriesKeyPattern: string
  /** How the value of a quarter is computed from its months. Null for datasets that are published quarterly. */
  readonly quarterOf: 'mean' | 'last' | null
}

/**
 * The served datasets of the BIS: quarterly datasets, and monthly ones converted to quarters, with their annual series. The
 * annual payment statistics are missing because they have no single series per country.
 */
export const BIS_DATASETS = DATASETS as readonly BisDataset[] // the type of a JSON file has no literals

/** The BIS among the publishers: a dataset and a key name its series. */
export const BIS: RoutedPublisher = toPublisher('bis', ROUTED_PUBLISHERS)

/** The key of the headline series of a country. */
export function headlineKey({ seriesKeyPattern }: BisDataset, country: string): string {
  return seriesKeyPattern.replace('{CC}', country)
}
