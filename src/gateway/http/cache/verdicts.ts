import type { DatasetName } from '../../../core/datasets.js'
import { type DataPart, datasetOf } from '../../../platform/database/versions/data-parts.js'

/** For these datasets the versions are read again for every request. */
const VERDICTS: ReadonlySet<DatasetName> = new Set(['screening'])

/** Whether an answer from these parts must show every commit at once. */
export function isVerdict(reads: readonly DataPart[]): boolean {
  return reads.some((part) => VERDICTS.has(datasetOf(part)))
}
