import type { DatasetName } from '../../../src/core/datasets.js'
import type { DatasetStates } from '../../../src/platform/database/versions/data-version.js'

const COMMIT = '0b5e6a6e-3c1d-4c8e-9a53-1f0a7d2b4c6d'

/** As stampIn names a version in the states below. */
export const stampOf = (version: number) => `${version}@${COMMIT}`

/** States of synthetic datasets by their versions, all as of one instant and one commit. */
export function statesOf(versions: Partial<Record<DatasetName, number>>, at: Date): DatasetStates {
  const facts = {
    source: 'seed',
    isDevDataset: true,
    observedAt: at,
    changedAt: at,
    parts: [],
    commitId: COMMIT,
  }
  const entries = Object.entries(versions) as [DatasetName, number][] // the keys of a record of names
  return new Map(entries.map(([dataset, version]) => [dataset, { dataset, version, ...facts }]))
}
