import type { GraphQLNamedType } from 'graphql'
import { ApiError } from '../../../core/errors.js'

/**
 * Values that the answer to one operation may hold: rows times fields, and three for each row. With names of common length and figures it is
 * then below half of MAX_ANSWER_BYTES, and made in well under a second.
 */
export const MAX_VALUES = 200_000

/** Operations above it are costly: few of an account run at once, and they are made in slices. */
export const COSTLY_VALUES = MAX_VALUES / 10

/** Bytes of the text of an answer; what holds longer texts than the budget assumes ends here. */
export const MAX_ANSWER_BYTES = 16 * 2 ** 20

/** A row counts as this many values beside its fields: it is read whole, whatever is asked of it. */
export const ROW_VALUES = 3

/** A JSON document counts as this many values: an analysis has two to four kilobytes. */
const JSON_OBJECT_VALUES = 32

/** A name of a member up to this length is counted with its value. */
const NAME_CHARS = 32

/** What one field of one row counts: its name is repeated in each row, so a long one counts as several. */
export function countValues(responseKey: string, type: GraphQLNamedType): number {
  const value = type.name === 'JSONObject' ? JSON_OBJECT_VALUES : 1
  return value + Math.floor(responseKey.length / NAME_CHARS)
}

/** Throws a 422 for an operation that could answer more than an operation may. */
export function assertOperationSize(values: number): void {
  if (values <= MAX_VALUES) return
  throw new ApiError('validation_error', {
    message: `This operation may answer up to ${values} values (rows times fields, and ${ROW_VALUES} for each row) and ${MAX_VALUES} are the most: ask for fewer rows (limit), fields or aliases at a time.`,
  })
}

export function answerTooLarge(): ApiError {
  return new ApiError('validation_error', {
    message: `The answer is larger than ${MAX_ANSWER_BYTES / 2 ** 20} MiB: ask for fewer rows (limit), fields or aliases at a time.`,
  })
}
