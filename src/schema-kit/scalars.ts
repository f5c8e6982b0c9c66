import { GraphQLError, GraphQLScalarType, Kind } from 'graphql'
import {
  GraphQLBigInt,
  GraphQLDateTimeISO,
  GraphQLJSON,
  GraphQLJSONObject,
  GraphQLLocalDate,
  GraphQLURL,
  GraphQLUUID,
} from 'graphql-scalars'
import { instantText } from '../core/instant-text.js'

const DAY_TEXT = /^[12]\d{3}-[01]\d-[0-3]\d$/

/** A calendar day as text: `YYYY-MM-DD` in and out, never a Date, so that no time zone can move it. */
const day = GraphQLLocalDate.toConfig()

export const DateScalar = new GraphQLScalarType({
  ...day,
  // A day of ours comes from a date column or the calendar; what merely looks like one is what the library is for.
  serialize: (value) => (typeof value === 'string' && DAY_TEXT.test(value) ? value : day.serialize(value)),
  name: 'Date',
  description: 'A calendar day, `YYYY-MM-DD`.',
  specifiedByURL: 'https://www.rfc-editor.org/rfc/rfc3339#section-5.6',
})

const instant = GraphQLDateTimeISO.toConfig()

/** Any year: which days and years there are, the library and the service judge, each with a reason of its own. */
const DAY_SHAPE = /^\d{4}-\d{2}-\d{2}$/

/** An instant that a client may write, at most: nanoseconds and an offset. */
export const MAX_INSTANT_LENGTH = '2026-01-31T12:00:00.000000000+00:00'.length

/** A calendar day where an instant is due means its first instant, as most who write one expect. */
function startOfDayText(value: unknown): unknown {
  if (typeof value !== 'string') return value
  if (value.length > MAX_INSTANT_LENGTH)
    throw new GraphQLError(`An instant has at most ${MAX_INSTANT_LENGTH} characters.`)
  return DAY_SHAPE.test(value) ? `${value}T00:00:00Z` : value
}

export const DateTimeScalar = new GraphQLScalarType({
  ...instant,
  name: 'DateTime',
  specifiedByURL: 'https://www.rfc-editor.org/rfc/rfc3339#section-5.6',
  description:
    'An instant in UTC, RFC 3339 with milliseconds: `2026-11-20T12:00:00.000Z`. As an input a calendar day is its start.',
  // Nearly every value is a Date of ours; the library copies and checks each one twice.
  serialize: (value) =>
    value instanceof Date && !Number.isNaN(value.getTime()) ? instantText(value) : instant.serialize(value),
  parseValue: (value) => instant.parseValue(startOfDayText(value)),
  parseLiteral: (node, variables) =>
    node.kind === Kind.STRING
      ? instant.parseValue(startOfDayText(node.value))
      : instant.parseLiteral(node, variables),
})

export const JsonObjectScalar = new GraphQLScalarType({
  ...GraphQLJSONObject.toConfig(),
  name: 'JSONObject',
  description: 'A JSON object whose members are described by the field.',
  specifiedByURL: 'https://www.rfc-editor.org/rfc/rfc8259#section-4',
})

export const JsonScalar = new GraphQLScalarType({
  ...GraphQLJSON.toConfig(),
  name: 'JSON',
  description: 'A number, a truth value, a short text or null, as JSON has them.',
  specifiedByURL: 'https://www.rfc-editor.org/rfc/rfc8259#section-3',
})

const uuid = GraphQLUUID.toConfig()

export const UuidScalar = new GraphQLScalarType({
  ...uuid,
  // Every value is of a column of this type: checking it again would cost each row.
  serialize: (value) => (typeof value === 'string' ? value : uuid.serialize(value)),
  name: 'UUID',
  description: 'A UUID in lower case.',
  specifiedByURL: 'https://www.rfc-editor.org/rfc/rfc9562',
})

const url = GraphQLURL.toConfig()

export const UrlScalar = new GraphQLScalarType<unknown, string>({
  ...url,
  // An address was parsed where it came in, and is shown as it was written there; the library would add a slash.
  serialize: (value) => (typeof value === 'string' ? value : String(url.serialize(value))),
  name: 'URL',
  description: 'An absolute address.',
  specifiedByURL: 'https://url.spec.whatwg.org/#url-writing',
})

const whole = GraphQLBigInt.toConfig()

export const BigIntScalar = new GraphQLScalarType<unknown, unknown>({
  ...whole,
  // JSON has it as a number; what is none is for the library to judge.
  serialize: (value) =>
    typeof value === 'number' && Number.isInteger(value) ? value : whole.serialize(value),
  name: 'BigInt',
  description: 'A whole number that may be above 2^31; a number in JSON.',
  specifiedByURL: 'https://www.rfc-editor.org/rfc/rfc8259#section-6',
})
