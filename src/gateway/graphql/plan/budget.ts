import type { GraphQLNamedType } from 'graphql'
import { ApiError } from '../../../core/errors.js'

/**
 * Maximum number of values in the response to one operation: rows times fields, plus three per row. With numbers and names
 * of common length such a response is below half of MAX_ANSWER_BYTES and takes well under a second.
 */
export const MAX_VALUES = 200_000

/** Maximum size of a response. It stops responses whose texts are longer than MAX_VALUES assumes. */
export const MAX_ANSWER_BYTES = 16 * 2 ** 20

/** A row counts as this many additional values, because the whole row is loaded for any selection. */
export const ROW_VALUES = 3

/** A JSON document counts as this many values: an analysis has two to four kilobytes. */
const JSON_OBJECT_VALUES = 32

/** A name of a member up to this length is counted with its value. */
const NAME_CHARS = 32

/** The number of values of one field in one row. Each row repeats the name, so a long name counts as several values. */
export function countValues(responseKey: string, type: GraphQLNamedType): number {
  const value = type.name === 'JSONObject' ? JSON_OBJECT_VALUES : 1
  return value + Math.floor(responseKey.length / NAME_CHARS)
}

/** Throws a 422 for an operation whose response could exceed MAX_VALUES. */
export function assertOperationSize(values: number): void {
  if (values <= MAX_VALUES) return
  throw new ApiError('validation_error', {
    message: `This operation may return up to ${values} values (rows times fields, plus ${ROW_VALUES} per row); the maximum is ${MAX_VALUES}. Request fewer rows (limit), fields or aliases.`,
  })
}

export function answerTooLarge(): ApiError {
  return new ApiError('validation_error', {
    message: `The response exceeds ${MAX_ANSWER_BYTES / 2 ** 20} MiB. Request fewer rows (limit), fields or aliases.`,
  })
}
