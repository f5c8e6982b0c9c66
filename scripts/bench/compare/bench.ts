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
  /** This tree's; all contenders read its database and must answer as it does. */
  readonly own: Gateway
  /** Gateways of other builds, each with a database of its own. */
  readonly others: readonly Gateway[]
  readonly installation: Installation
  /** Null: nothing is pinned. */
  readonly cores: Cores | null
  readonly cleanup: Cleanup
  readonly signal: AbortSignal
  /** Writes how far the run is. */
  readonly say: (text: string) => void
}
