import { type GraphQLEnumType, type GraphQLLeafType, type GraphQLScalarType, isEnumType } from 'graphql'
import { suggest } from '../../core/suggest.js'
import { enumTexts } from '../text-enum.js'
import { scalarForm } from './scalar-forms.js'
import { shownValue } from './shown-value.js'

/** A value as GraphQL accepts it in variables, or what is wrong with it. */
type LeafReading = { readonly value: unknown } | { readonly problem: string }

export type TextReader = (text: string) => LeafReading
export type JsonReader = (value: unknown) => LeafReading

const INT_MIN = -(2 ** 31)
const INT_MAX = 2 ** 31 - 1

const MAX_NAMES_SHOWN = 20

/** GraphQL writes enum values by name. REST writes them by text, in upper or lower case. */
type EnumStyle = 'names' | 'texts'

/** Creates a strict parser of path and query string values; it rejects the empty string. */
export function textReader(type: GraphQLLeafType): TextReader {
  const read = isEnumType(type) ? enumReader(type, 'texts') : scalarTextReader(type)
  return (text) => (text === '' ? { problem: 'must not be empty' } : read(text))
}

/** Creates a check of JSON values, which must have the JSON type of the scalar or enum. */
export function jsonReader(type: GraphQLLeafType, enums: EnumStyle = 'names'): JsonReader {
  if (isEnumType(type)) return enumReader(type, enums)
  switch (type.name) {
    case 'Int':
      return (value) => (typeof value === 'number' ? readInt(value, value) : refuse('a whole number', value))
    case 'Float':
      return (value) => (typeof value === 'number' ? { value } : refuse('a number', value))
    case 'Boolean':
      return (value) => (typeof value === 'boolean' ? { value } : refuse('true or false', value))
    case 'String':
    case 'ID':
      return (value) => (typeof value === 'string' ? { value } : refuse('a string', value))
    default:
      return customReader(type)
  }
}

function scalarTextReader(type: GraphQLScalarType): TextReader {
  switch (type.name) {
    case 'Int':
      return readIntText
    case 'Float':
      return readFloat
    case 'Boolean':
      return readBoolean
    case 'String':
    case 'ID':
      return (text) => ({ value: text })
    default:
      return customReader(type)
  }
}

/** Errors show a number out of range in JSON notation, as they do for a body or a variable. */
function readIntText(text: string): LeafReading {
  const number = /^-?\d+$/.test(text) ? Number(text) : Number.NaN
  return Number.isFinite(number) ? readInt(number, number) : refuse('a whole number', text)
}

function readInt(number: number, given: unknown): LeafReading {
  if (!Number.isInteger(number)) return refuse('a whole number', given)
  if (number >= INT_MIN && number <= INT_MAX) return { value: number }
  return refuse(`between ${INT_MIN} and ${INT_MAX}`, given)
}

function readFloat(text: string): LeafReading {
  const number = /^-?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text) ? Number(text) : Number.NaN
  return Number.isFinite(number) ? { value: number } : refuse('a number', text)
}

function readBoolean(text: string): LeafReading {
  if (text === 'true') return { value: true }
  return text === 'false' ? { value: false } : refuse('true or false', text)
}

function enumReader(type: GraphQLEnumType, style: EnumStyle): JsonReader {
  const values = type.getValues()
  const texts = enumTexts(type)
  const names = style === 'texts' ? texts : values.map(({ name }) => name)
  // Maps each accepted notation to the value that GraphQL accepts in variables.
  const known = new Map<unknown, unknown>()
  for (const [at, { name }] of values.entries()) {
    if (style === 'names') known.set(name, name).set(texts[at], texts[at])
    else known.set(texts[at]?.toLowerCase(), name)
  }
  const keyOf = (value: unknown) =>
    style === 'texts' && typeof value === 'string' ? value.toLowerCase() : value
  const more = names.length > MAX_NAMES_SHOWN ? ', …' : ''
  const list = `must be one of ${names.slice(0, MAX_NAMES_SHOWN).join(', ')}${more}`
  return (value) => {
    const found = known.get(keyOf(value))
    if (found !== undefined) return { value: found }
    // Texts as short as 1h differ by one character from each other, so a suggestion would be arbitrary.
    const near = typeof value === 'string' && value.length > 2 ? suggest(value, names) : null
    return {
      problem: near === null ? `${list}; got ${shownValue(value)}` : `${list}; did you mean "${near}"?`,
    }
  }
}

/** The scalar does the check, but its messages name GraphQL, so the gateway's own messages replace them. */
function customReader(type: GraphQLScalarType): JsonReader {
  const { jsonType, expected, explain } = scalarForm(type.name)
  return (value) => {
    if (typeof value !== jsonType) return refuse(expected, value)
    try {
      type.parseValue(value)
      return { value }
    } catch {
      const problem = explain?.(String(value)) ?? null
      return problem === null ? refuse(expected, value) : { problem }
    }
  }
}

function refuse(expected: string, given: unknown): LeafReading {
  return { problem: `must be ${expected}; got ${shownValue(given)}` }
}
