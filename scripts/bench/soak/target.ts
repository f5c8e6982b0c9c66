/** The gateway that a load is sent to. */
export interface Target {
  /** Without a path. */
  readonly url: string
  readonly apiKey: string
}
