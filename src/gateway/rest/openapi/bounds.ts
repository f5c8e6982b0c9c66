import { MAX_ANSWER_BYTES } from '../../graphql/plan/budget.js'
import type { JsonSchema } from './json-schema.js'

/** Bounds of a GraphQL Int. */
export const INT32: JsonSchema = { format: 'int32', minimum: -(2 ** 31), maximum: 2 ** 31 - 1 }

/** Whole numbers that JavaScript represents exactly. */
export const INT64: JsonSchema = {
  type: 'integer',
  format: 'int64',
  minimum: Number.MIN_SAFE_INTEGER,
  maximum: Number.MAX_SAFE_INTEGER,
}

/** A count, or an instant in epoch seconds. */
export const WHOLE: JsonSchema = {
  type: 'integer',
  format: 'int64',
  minimum: 0,
  maximum: Number.MAX_SAFE_INTEGER,
}

/** No response is longer, so no text in one is. */
export const MAX_ANSWER_TEXT_LENGTH = MAX_ANSWER_BYTES

/** An element and its comma have at least two bytes, so no list in a response has more elements. */
export const MAX_LIST_ITEMS = MAX_ANSWER_BYTES / 2

/** An ISO 8601 day. */
const DAY_LENGTH = '2026-11-20'.length

/** An instant in a response: UTC with milliseconds. */
const INSTANT_LENGTH = '2026-11-20T12:00:00.000Z'.length

const UUID_LENGTH = '00000000-0000-0000-0000-000000000000'.length

const LENGTHS: Readonly<Record<string, number>> = {
  Date: DAY_LENGTH,
  DateTime: INSTANT_LENGTH,
  UUID: UUID_LENGTH,
}

/** The maximum text length of a scalar in a response. */
export function lengthOfScalar(name: string): number {
  return LENGTHS[name] ?? MAX_ANSWER_TEXT_LENGTH
}

/** A text in a response. */
export const TEXT: JsonSchema = { type: 'string', maxLength: MAX_ANSWER_TEXT_LENGTH }

/** Node limits all request headers to this size, so no response header that repeats one is longer. */
const MAX_HEADER_LENGTH = 16 * 1024

/** The value of a text header. */
export const HEADER_TEXT: JsonSchema = { type: 'string', maxLength: MAX_HEADER_LENGTH }
