import { ApiError } from './errors.js'

/** The message of a failure; for a name with several addresses, of each failed attempt. */
export function failureText(error: unknown): string {
  if (error instanceof ApiError && error.cause !== undefined) return failureText(error.cause)
  if (error instanceof AggregateError && error.errors.length > 0)
    return error.errors.map(failureText).join('; ')
  return error instanceof Error ? error.message || error.name : String(error)
}
