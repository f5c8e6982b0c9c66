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
 * Patterns and lengths of text fields by field name. A name has the same meaning in every response. Only identifiers that
 * are verified on input and ingest are listed.
 */
const FORMS: Readonly<Record<string, JsonSchema>> = {
  isin: { pattern: ISIN_SHAPE.source, maxLength: 12 },
  figi: { pattern: FIGI_SHAPE.source, maxLength: 12 },
  mic: { pattern: STORED_MIC_SHAPE.source, maxLength: 4 },
  cik: { pattern: STORED_CIK_SHAPE.source, maxLength: 10 },
  slug: { pattern: SLUG_SHAPE.source, maxLength: 64 },
}

/** Returns the pattern and length of a text field; {} for most fields. */
export function fieldForm({ name, type }: GraphQLField<unknown, unknown>): JsonSchema {
  return getNamedType(type).name === 'String' ? (FORMS[name] ?? {}) : {}
}
