import { GraphQLEnumType } from 'graphql'
import { textReader } from '../../../schema-kit/values/leaf-values.js'
import type { ArgumentValues, TextParameter } from '../parameters/parameters.js'
import { EXPORT_MEDIA_TYPES, EXTENSIONS, type ExportMediaType } from './export-type.js'

/** Name of the parameter that selects the format of a list or series. */
export const FORMAT = 'format'

const JSON_FORMAT = 'json'

/** The texts of the parameter. */
export const FORMATS: readonly string[] = [JSON_FORMAT, ...EXPORT_MEDIA_TYPES.map((type) => EXTENSIONS[type])]

/** The parameter of each route with a table. It is no argument of the field, so GraphQL does not have it. */
export const FORMAT_PARAMETER: TextParameter = {
  name: FORMAT,
  isList: false,
  isRequired: false,
  read: textReader(
    new GraphQLEnumType({
      name: 'Format',
      values: Object.fromEntries(FORMATS.map((text) => [text, { value: text }])),
    }),
  ),
}

/** Removes the format from the values. Returns its media type, or undefined if the request has none. */
export function takeFormat(values: ArgumentValues): ExportMediaType | 'application/json' | undefined {
  const text = values[FORMAT]
  delete values[FORMAT]
  if (text === undefined) return undefined
  return EXPORT_MEDIA_TYPES.find((type) => EXTENSIONS[type] === text) ?? 'application/json'
}
