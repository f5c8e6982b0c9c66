import { type GraphQLEnumType, type GraphQLLeafType, type GraphQLScalarType, isEnumType } from 'graphql'
import { suggest } from '../../core/suggest.js'
import type { ArgumentHints } from '../endpoint.js'
import { enumTexts, isTextEnum, valueOfText } from '../text-enum.js'
import { scalarForm } from './scalar-forms.js'
import { shortText, shownValue } from './shown-value.js'

/** A value as GraphQL accepts it in variables, or what is wrong with it. */
type LeafReading = { readonly value: unknown } | { readonly problem: string }

export type TextReader = (text: string) => LeafReading
/** `sent` is how the caller wrote a number, which errors show: a long one is rounded when it is read. */
export type JsonReader = (value: unknown, sent?: string) => LeafReading

const INT_MIN = -(2 ** 31)
const INT_MAX = 2 ** 31 - 1

const MAX_NAMES_SHOWN = 20

/** GraphQL accepts enum values by name, and those of text enums by text too. REST accepts them by text. */
type EnumStyle = 'names' | 'texts'

/** The bounds of a parameter, which an error about a number that no Int can hold names. */
type Bounds = Pick<ArgumentHints, 'minimum' | 'maximum'>

/** Creates a strict parser of path and query string values; it rejects the empty string. */
export function textReader(type: GraphQLLeafType, bounds: Bounds = {}): TextReader {
  const read = isEnumType(type) ? enumReader(type, 'texts') : scalarTextReader(type, bounds)
  return (text) => (text === '' ? { problem: 'must not be empty' } : read(text))
}

/** Creates a check of JSON values, which must have the JSON type of the scalar or enum. */
export function jsonReader(
  type: GraphQLLeafType,
  enums: EnumStyle = 'names',
  bounds: Bounds = {},
): JsonReader {
  if (isEnumType(type)) return enumReader(type, enums)
  switch (type.name) {
    case 'Int':
      return (value, sent) =>
        typeof value === 'number' ? readInt(value, bounds, sent) : refuse('a whole number', value)
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

function scalarTextReader(type: GraphQLScalarType, bounds: Bounds): TextReader {
  switch (type.name) {
    case 'Int':
      return (text) => readIntText(text, bounds)
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

function readIntText(text: string, bounds: Bounds): LeafReading {
  const number = /^-?\d+$/.test(text) ? Number(text) : Number.NaN
  return Number.isFinite(number) ? readInt(number, bounds, text) : refuse('a whole number', text)
}

function readInt(
  number: number,
  { minimum = INT_MIN, maximum = INT_MAX }: Bounds,
  sent = String(number),
): LeafReading {
  if (!Number.isInteger(number)) return { problem: `must be a whole number; got ${shortText(sent)}` }
  if (number >= INT_MIN && number <= INT_MAX) return { value: number }
  return { problem: `must be between ${minimum} and ${maximum}; got ${shortText(sent)}` }
}

function readFloat(text: string): LeafReading {
  const number = /^-?(\d+(?:\.\d*)?|\.\d+)(e[+-]?\d+)?$/i.test(text) ? Number(text) : Number.NaN
  return Number.isFinite(number) ? { value: number } : refuse('a number', text)
}

function readBoolean(text: string): LeafReading {
  if (text === 'true') return { value: true }
  return text === 'false' ? { value: false } : refuse('true or false', text)
}

/** Texts may be in upper or lower case. Errors name the texts in both styles, because both accept them. */
function enumReader(type: GraphQLEnumType, style: EnumStyle): JsonReader {
  const texts = enumTexts(type)
  const takesTexts = style === 'texts' || isTextEnum(type)
  const more = texts.length > MAX_NAMES_SHOWN ? ', …' : ''
  const list = `must be one of ${texts.slice(0, MAX_NAMES_SHOWN).join(', ')}${more}`
  return (given) => {
    const text = typeof given === 'string' ? given : null
    if (text !== null && style === 'names' && type.getValue(text)) return { value: text }
    const found = takesTexts ? valueOfText(type, given) : undefined
    if (found !== undefined) return { value: found.name }
    // Texts as short as 1h differ by one character from each other, so a suggestion would be arbitrary.
    const near = text !== null && text.length > 2 ? suggest(text, texts) : null
    return {
      problem: near === null ? `${list}; got ${shownValue(given)}` : `${list}; did you mean "${near}"?`,
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
