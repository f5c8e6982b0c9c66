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
import { toIsoDate } from '../core/time.js'

const DAY_TEXT = /^[12]\d{3}-[01]\d-[0-3]\d$/

/** A calendar day is text, `YYYY-MM-DD`, in input and output. Prisma's client gives midnight UTC for a column of days. */
const day = GraphQLLocalDate.toConfig()

export const DateScalar = new GraphQLScalarType({
  ...day,
  // Strings of this shape come from date columns or the calendar, so only other values need the library's check.
  serialize: (value) => {
    if (typeof value === 'string' && DAY_TEXT.test(value)) return value
    return value instanceof Date ? toIsoDate(value) : day.serialize(value)
  },
  name: 'Date',
  description: 'A calendar day, `YYYY-MM-DD`.',
  specifiedByURL: 'https://www.rfc-editor.org/rfc/rfc3339#section-5.6',
})

const instant = GraphQLDateTimeISO.toConfig()

/** Matches any year. The library and the services check whether the day exists. */
const DAY_SHAPE = /^\d{4}-\d{2}-\d{2}$/

/** Length of the longest accepted instant: nanoseconds and an offset. */
export const MAX_INSTANT_LENGTH = '2026-01-31T12:00:00.000000000+00:00'.length

/** A calendar day as an instant means its start, as most callers expect. */
function startOfDayText(value: unknown): unknown {
  if (typeof value !== 'string') return value
  if (value.length > MAX_INSTANT_LENGTH)
    throw new GraphQLError(
      `A date-time may have at most ${MAX_INSTANT_LENGTH} characters; got ${value.length}.`,
    )
  return DAY_SHAPE.test(value) ? `${value}T00:00:00Z` : value
}

export const DateTimeScalar = new GraphQLScalarType({
  ...instant,
  name: 'DateTime',
  specifiedByURL: 'https://www.rfc-editor.org/rfc/rfc3339#section-5.6',
  description:
    'An instant in UTC, RFC 3339 with milliseconds: `2026-11-20T12:00:00.000Z`. An input may also be a calendar day, which means the start of that day.',
  // Nearly every value is a Date that this code created. The library copies and checks each one twice.
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
  description: 'A JSON object. The description of the field lists its members.',
  specifiedByURL: 'https://www.rfc-editor.org/rfc/rfc8259#section-4',
})

export const EntityScalar = new GraphQLScalarType({
  ...GraphQLJSONObject.toConfig(),
  name: '_Any',
  description: 'An entity as a router of a federated graph sends it: its `__typename` and one of its keys.',
  specifiedByURL:
    'https://www.apollographql.com/docs/graphos/schema-design/federated-schemas/reference/subgraph-spec',
})

export const JsonScalar = new GraphQLScalarType({
  ...GraphQLJSON.toConfig(),
  name: 'JSON',
  description: 'A JSON number, boolean, string or null.',
  specifiedByURL: 'https://www.rfc-editor.org/rfc/rfc8259#section-3',
})

const uuid = GraphQLUUID.toConfig()

export const UuidScalar = new GraphQLScalarType({
  ...uuid,
  // Every value comes from a uuid column. Another check would cost time for each row.
  serialize: (value) => (typeof value === 'string' ? value : uuid.serialize(value)),
  name: 'UUID',
  description: 'A UUID in lower case.',
  specifiedByURL: 'https://www.rfc-editor.org/rfc/rfc9562',
})

const url = GraphQLURL.toConfig()

export const UrlScalar = new GraphQLScalarType<unknown, string>({
  ...url,
  // URLs were checked on input and are returned unchanged. The library would add a slash.
  serialize: (value) => (typeof value === 'string' ? value : String(url.serialize(value))),
  name: 'URL',
  description: 'An absolute URL.',
  specifiedByURL: 'https://url.spec.whatwg.org/#url-writing',
})

const whole = GraphQLBigInt.toConfig()

export const BigIntScalar = new GraphQLScalarType<unknown, unknown>({
  ...whole,
  // JSON contains the value as a number. The library checks every other value.
  serialize: (value) =>
    typeof value === 'number' && Number.isInteger(value) ? value : whole.serialize(value),
  name: 'BigInt',
  description: 'A whole number that may exceed 32 bits. JSON contains it as a number.',
  specifiedByURL: 'https://www.rfc-editor.org/rfc/rfc8259#section-6',
})
