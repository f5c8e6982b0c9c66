import { ApiError } from './errors.js'

/** Why something failed, in the words of what failed; a name that means several addresses fails once for each. */
export function failureText(error: unknown): string {
  if (error instanceof ApiError && error.cause !== undefined) return failureText(error.cause)
  if (error instanceof AggregateError && error.errors.length > 0)
    return error.errors.map(failureText).join('; ')
  return error instanceof Error ? error.message || error.name : String(error)
}
