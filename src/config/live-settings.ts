import type { Config } from '../config.js'

/** What a running gateway has read last; see `RELOADABLE`. */
export interface LiveSettings {
  readonly config: Config
  /** The key that the pages use: the demo key or a development key. Null without either. */
  readonly pageKey: string | null
}
