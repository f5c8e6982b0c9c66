import type { Build } from '../shared/build.js'
import type { Cleanup } from '../shared/cleanup.js'
import type { Gateway } from '../shared/gateways.js'
import type { BenchOptions } from '../shared/options.js'
import type { Cores } from '../shared/pinning.js'
import type { Installation } from '../shared/servers.js'

/** What every part of a run needs. */
export interface Bench {
  readonly options: BenchOptions
  readonly build: Build
  /** The gateway of this tree. All contenders read its database and must return the same data. */
  readonly own: Gateway
  /** Gateways of other builds, each with its own database. */
  readonly others: readonly Gateway[]
  readonly installation: Installation
  /** Null if nothing is pinned. */
  readonly cores: Cores | null
  readonly cleanup: Cleanup
  readonly signal: AbortSignal
  /** Writes the progress of the run. */
  readonly say: (text: string) => void
}
