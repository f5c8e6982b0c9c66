import type { InstrumentFacts } from '../model.js'

/** A stored asset with its primary listing. */
export interface StoredMaster extends InstrumentFacts {
  /** Provider of the asset. */
  readonly source: string
}

/** A line of the list that makes no asset, with the reason. */
export interface RefusedLine {
  readonly position: string
  readonly reason: string
}
