import {
  type GraphQLArgument,
  type GraphQLInputField,
  type GraphQLInputType,
  getNullableType,
  isInputObjectType,
  isListType,
  isNonNullType,
} from 'graphql'
import { ApiError } from '../../../core/errors.js'
import { isObject } from '../../../core/is-object.js'
import type { Problems } from '../../../core/problems.js'
import type { Exchange } from '../../../platform/request/exchange.js'
import { isJsonType } from '../../../platform/request/json-type.js'
import { parseBody } from '../../../platform/request/parse-body.js'
import { type ArgumentHints, hintsOf } from '../../../schema-kit/endpoint.js'
import { jsonReader } from '../../../schema-kit/values/leaf-values.js'
import { shownValue } from '../../../schema-kit/values/shown-value.js'
import { type ArgumentValues, unknownName } from './parameters.js'

/** Checks a value and returns it for GraphQL; adds errors to `problems` under the path of the field. */
type ValueReader = (value: unknown, field: string, problems: Problems) => unknown

interface BodyField {
  readonly isRequired: boolean
  readonly isNullable: boolean
  readonly read: ValueReader
}

/** The fields of a JSON object, compiled once from arguments or from an input type. */
export interface BodyShape {
  readonly fields: ReadonlyMap<string, BodyField>
  readonly isRequired: boolean
}

export function compileBody(inputs: readonly (GraphQLArgument | GraphQLInputField)[]): BodyShape {
  const fields = new Map(inputs.map((input) => [input.name, compileField(input)]))
  return { fields, isRequired: [...fields.values()].some((field) => field.isRequired) }
}

/**
 * Adds the members of the body to `values`, and errors to `problems`. Throws 415 unless the body is application/json, and
 * 400 unless it is one JSON object. An absent body means {} if no field is required. Values are not coerced. Null for a
 * nullable member means that the member is absent.
 */
export function readJsonBody(
  shape: BodyShape,
  exchange: Pick<Exchange, 'header' | 'body'>,
  values: ArgumentValues,
  problems: Problems,
): void {
  if (shape.fields.size === 0) return
  const contentType = exchange.header('content-type')
  const isAbsent = (exchange.body?.length ?? 0) === 0
  const isUntyped = contentType === null && !isAbsent
  if (isUntyped || (contentType !== null && !isJsonType(contentType)))
    throw new ApiError('unsupported_media_type')
  const body = isAbsent && !shape.isRequired ? {} : parseBody(exchange)
  if (!isObject(body))
    throw new ApiError('bad_request', {
      message: `The body must be a JSON object; it is ${shownValue(body)}.`,
    })
  Object.assign(values, readMembers(shape, body, '', problems))
}

function readMembers(
  shape: BodyShape,
  body: Readonly<Record<string, unknown>>,
  prefix: string,
  problems: Problems,
): ArgumentValues {
  const values: ArgumentValues = {}
  for (const name of Object.keys(body)) {
    if (problems.isFull) return values
    if (!shape.fields.has(name))
      problems.add(`${prefix}${name}`, unknownName('field', name, [...shape.fields.keys()]))
  }
  for (const [name, field] of shape.fields) {
    if (problems.isFull) return values
    const path = `${prefix}${name}`
    const value = Object.hasOwn(body, name) ? body[name] : undefined
    if (value === undefined) {
      if (field.isRequired) problems.add(path, 'is required')
    } else if (value !== null) values[name] = field.read(value, path, problems)
    else if (!field.isNullable) problems.add(path, 'must not be null')
  }
  return values
}

function compileField(input: GraphQLArgument | GraphQLInputField): BodyField {
  const isNullable = !isNonNullType(input.type)
  return {
    isNullable,
    isRequired: !isNullable && input.defaultValue === undefined,
    read: compileValue(input.type, hintsOf(input)),
  }
}

function compileValue(type: GraphQLInputType, hints: ArgumentHints = {}): ValueReader {
  const nullable = getNullableType(type)
  if (isListType(nullable)) return compileList(nullable.ofType)
  if (isInputObjectType(nullable)) {
    const shape = compileBody(Object.values(nullable.getFields()))
    return (value, field, problems) => {
      if (isObject(value)) return readMembers(shape, value, `${field}.`, problems)
      problems.add(field, `must be an object; got ${shownValue(value)}`)
      return undefined
    }
  }
  const read = jsonReader(nullable, 'texts', hints)
  return (value, field, problems) => {
    const reading = read(value)
    if ('value' in reading) return reading.value
    problems.add(field, reading.problem)
    return undefined
  }
}

function compileList(type: GraphQLInputType): ValueReader {
  const read = compileValue(type)
  const isNullable = !isNonNullType(type)
  return (value, field, problems) => {
    if (!Array.isArray(value)) {
      problems.add(field, `must be a list; got ${shownValue(value)}`)
      return undefined
    }
    return value.map((element: unknown, index) => {
      const path = `${field}[${index}]`
      if (element !== null) return read(element, path, problems)
      if (!isNullable) problems.add(path, 'must not be null')
      return null
    })
  }
}
