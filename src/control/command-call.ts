/** One call of a command, for the process that runs it. */
export interface CommandCall {
  readonly args: readonly string[]
  /** The directory of the calling process, to which paths in `args` are relative; null if this process was called itself. */
  readonly directory: string | null
  /** Whether the caller's error output is a terminal, where progress is shown. */
  readonly isTerminal: boolean
  /** Aborted when the caller interrupts or disappears; its reason says which. */
  readonly signal: AbortSignal
  /** To the caller's standard output. */
  out(text: string): void
  /** To the caller's error output. */
  err(text: string): void
}

/** Runs a command and returns its exit code. */
export type RunCommand = (call: CommandCall) => Promise<number>

/** Why a call was aborted. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted'
}
