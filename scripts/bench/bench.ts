import type { Build } from './build.js'
import type { Cleanup } from './cleanup.js'
import type { BenchOptions } from './options.js'
import type { Cores } from './pinning.js'
import type { Installation } from './servers.js'
import type { World } from './world.js'

/** What every part of a run needs. */
export interface Bench {
  readonly options: BenchOptions
  readonly build: Build
  readonly world: World
  readonly installation: Installation
  /** Null: nothing is pinned. */
  readonly cores: Cores | null
  readonly cleanup: Cleanup
  readonly signal: AbortSignal
  /** Tells how far the run is. */
  readonly say: (text: string) => void
}
