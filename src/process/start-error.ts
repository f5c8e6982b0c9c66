/** A start that cannot go on for a reason that the operator can remove; the message says how. */
export class StartError extends Error {
  override readonly name = 'StartError'
}
