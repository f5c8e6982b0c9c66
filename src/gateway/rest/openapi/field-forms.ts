import { type GraphQLField, getNamedType } from 'graphql'
import {
  FIGI_SHAPE,
  ISIN_SHAPE,
  SLUG_SHAPE,
  STORED_CIK_SHAPE,
  STORED_MIC_SHAPE,
} from '../../../core/identifiers.js'
import type { JsonSchema } from './json-schema.js'

/**
 * The form of texts by the name of their field, which means the same in every answer. Only what is verified wherever it
 * comes in: an answer that differs would be a mistake of ours.
 */
const FORMS: Readonly<Record<string, JsonSchema>> = {
  isin: { pattern: ISIN_SHAPE.source, maxLength: 12 },
  figi: { pattern: FIGI_SHAPE.source, maxLength: 12 },
  mic: { pattern: STORED_MIC_SHAPE.source, maxLength: 4 },
  cik: { pattern: STORED_CIK_SHAPE.source, maxLength: 10 },
  slug: { pattern: SLUG_SHAPE.source, maxLength: 64 },
}

/** What the name of a field says of its text beside its type; nothing for most. */
export function fieldForm({ name, type }: GraphQLField<unknown, unknown>): JsonSchema {
  return getNamedType(type).name === 'String' ? (FORMS[name] ?? {}) : {}
}
