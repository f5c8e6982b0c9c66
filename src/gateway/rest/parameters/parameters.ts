import {
  type GraphQLArgument,
  getNamedType,
  getNullableType,
  isLeafType,
  isListType,
  isRequiredArgument,
} from 'graphql'
import { ApiError, notFound } from '../../../core/errors.js'
import type { PublicText } from '../../../core/operation-names.js'
import type { Problems } from '../../../core/problems.js'
import { suggest } from '../../../core/suggest.js'
import { hintsOf } from '../../../schema-kit/endpoint.js'
import { type TextReader, textReader } from '../../../schema-kit/values/leaf-values.js'
import { shownValue } from '../../../schema-kit/values/shown-value.js'

/** A parameter of a path or query string, compiled once from its GraphQL argument. */
export interface TextParameter {
  readonly name: string
  readonly isList: boolean
  readonly isRequired: boolean
  readonly read: TextReader
  /** Message of the 404 for an invalid path parameter. Without it the parameter is a 422. */
  readonly notFoundText?: (text: string) => PublicText
}

/** Decoded names and values of a query string, in order. */
export type QueryPairs = readonly (readonly [name: string, text: string])[]

/** Values by argument name, as GraphQL accepts them in variables. */
export type ArgumentValues = Record<string, unknown>

/** Throws for an argument that is not a scalar or enum, because only a body can contain it. */
export function compileTextParameter(argument: GraphQLArgument): TextParameter {
  const type = getNamedType(argument.type)
  const nullable = getNullableType(argument.type)
  const hints = hintsOf(argument)
  const { notFoundText } = hints
  if (!isLeafType(type))
    throw new Error(`Argument ${argument.name} cannot be a path or query parameter; use POST.`)
  return {
    name: argument.name,
    isList: isListType(nullable),
    isRequired: isRequiredArgument(argument),
    // The hints of a list bound its length.
    read: textReader(type, isListType(nullable) ? {} : hints),
    ...(notFoundText ? { notFoundText } : {}),
  }
}

/** Parses `?a=1&b=2`. Throws 400 for malformed percent-encoding. A second question mark belongs to the value. */
export function parseQuery(search: string): QueryPairs {
  if (search.length < 2) return []
  const parts = search.slice(1).split('&')
  try {
    return parts.filter((part) => part !== '').map(parsePair)
  } catch (cause) {
    throw new ApiError('bad_request', {
      message: 'The query string has malformed percent-encoding; write a literal % as %25.',
      cause,
    })
  }
}

function parsePair(part: string): readonly [string, string] {
  const at = part.indexOf('=')
  return at < 0 ? [decode(part), ''] : [decode(part.slice(0, at)), decode(part.slice(at + 1))]
}

function decode(text: string): string {
  const spaced = text.includes('+') ? text.replaceAll('+', ' ') : text
  return spaced.includes('%') ? decodeURIComponent(spaced) : spaced
}

/**
 * Adds the values of the path to `values`, and errors to `problems`. Throws 404 for an invalid text of a parameter with
 * `notFoundText`.
 */
export function parsePathValues(
  parameters: ReadonlyMap<string, TextParameter>,
  pathValues: QueryPairs,
  values: ArgumentValues,
  problems: Problems,
): void {
  for (const [name, text] of pathValues) {
    const parameter = parameters.get(name)
    if (parameter?.notFoundText && 'problem' in parameter.read(text))
      throw notFound(parameter.notFoundText(text))
    if (parameter) readOne(parameter, text, problems, (value) => store(values, name, value))
  }
}

/**
 * Adds the values of the query string to `values`. Adds unknown names, repeated scalars, invalid values and missing
 * required parameters to `problems`: first the unknown names, then the rest in the order of the parameters, as GraphQL
 * does. `unknownText` returns the message for an unknown name.
 */
export function parseQueryValues(
  parameters: ReadonlyMap<string, TextParameter>,
  pairs: QueryPairs,
  values: ArgumentValues,
  problems: Problems,
  unknownText: (name: string) => string,
): void {
  for (const [name] of pairs) {
    if (problems.isFull) return
    if (!parameters.has(name)) problems.add(name, unknownText(name))
  }
  for (const parameter of parameters.values()) readGiven(parameter, pairs, values, problems)
}

/** Reads all values of one parameter, in order. */
function readGiven(
  parameter: TextParameter,
  pairs: QueryPairs,
  values: ArgumentValues,
  problems: Problems,
): void {
  let isGiven = false
  for (const [name, text] of pairs) {
    if (name !== parameter.name || problems.isFull) continue
    if (parameter.isList) readOne(parameter, text, problems, (value) => append(values, name, value))
    else if (isGiven) problems.add(name, 'is given more than once')
    else readOne(parameter, text, problems, (value) => store(values, name, value))
    isGiven = true
  }
  if (parameter.isRequired && !isGiven) problems.add(parameter.name, 'is required')
}

/** The message for an unknown name, with a similar name or all known ones. */
export function unknownName(kind: string, name: string, known: readonly string[]): string {
  const near = suggest(name, known)
  if (near !== null) return `is not a known ${kind}; did you mean ${shownValue(near)}?`
  return known.length === 0
    ? `is not a known ${kind}; this route has none`
    : `is not a known ${kind}; known: ${known.join(', ')}`
}

function readOne(
  parameter: TextParameter,
  text: string,
  problems: Problems,
  accept: (value: unknown) => void,
): void {
  const reading = parameter.read(text)
  if ('problem' in reading) problems.add(parameter.name, reading.problem)
  else accept(reading.value)
}

function store(values: ArgumentValues, name: string, value: unknown): void {
  values[name] = value
}

function append(values: ArgumentValues, name: string, value: unknown): void {
  const list = values[name]
  if (Array.isArray(list)) list.push(value)
  else values[name] = [value]
}
