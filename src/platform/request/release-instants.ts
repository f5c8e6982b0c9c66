import type { DatasetName } from '../../core/datasets.js'
import { definePort } from './ports.js'

/** A release that an answer is read by. */
export interface FoundRelease {
  readonly knownAt: Date
  /** The dataset of the gateway that its rows belong to. */
  readonly partOf: DatasetName
}

export interface ReleaseInstants {
  /**
   * Null for an unknown release, and for one that was stored after `storedBy`. Throws 503 if the store of releases cannot be
   * reached.
   */
  find(dataset: string, releaseId: string, storedBy?: Date): Promise<FoundRelease | null>
  /** Names of the released datasets whose rows belong to datasets of the gateway. */
  datasetsOf(parts: readonly DatasetName[]): readonly string[]
}

export const releaseInstantsPort = definePort<ReleaseInstants>('release instants')
