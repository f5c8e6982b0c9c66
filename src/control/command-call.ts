/** One call of a command, from the process that does its work. */
export interface CommandCall {
  readonly args: readonly string[]
  /** Directory of another process, which paths in `args` are relative to; null: this process was called itself. */
  readonly directory: string | null
  /** Whether the caller's error output is a terminal, where progress is shown. */
  readonly isTerminal: boolean
  /** Aborted when the caller interrupts, or is gone; its reason says which. */
  readonly signal: AbortSignal
  /** To the caller's standard output. */
  out(text: string): void
  /** To the caller's error output. */
  err(text: string): void
}

/** Does the work of a command and answers its exit code. */
export type RunCommand = (call: CommandCall) => Promise<number>

/** Why a call was aborted. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted'
}
