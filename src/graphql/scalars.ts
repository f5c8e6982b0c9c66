import { GraphQLScalarType, Kind } from 'graphql'
import { GraphQLDateTimeISO, GraphQLJSONObject, GraphQLLocalDate } from 'graphql-scalars'
import { parseIsoDate } from '../core/time.js'

/** A calendar day as text: `YYYY-MM-DD` in and out, never a Date, so that no time zone can move it. */
export const DateScalar = new GraphQLScalarType({
  ...GraphQLLocalDate.toConfig(),
  name: 'Date',
  description: 'A calendar day, `YYYY-MM-DD`.',
  specifiedByURL: 'https://www.rfc-editor.org/rfc/rfc3339#section-5.6',
})

const instant = GraphQLDateTimeISO.toConfig()

/** A calendar day where an instant is due means its first instant, as most who write one expect. */
function startOfDayText(value: unknown): unknown {
  return typeof value === 'string' && parseIsoDate(value) !== null ? `${value}T00:00:00Z` : value
}

export const DateTimeScalar = new GraphQLScalarType({
  ...instant,
  name: 'DateTime',
  description:
    'An instant in UTC, RFC 3339 with milliseconds: `2026-11-20T12:00:00.000Z`. As an input a calendar day is its start.',
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
})

export const JsonValueScalar = new GraphQLScalarType<unknown, unknown>({
  name: 'JSONValue',
  description: 'A number, a truth value, a short text or null, as JSON has them.',
})
