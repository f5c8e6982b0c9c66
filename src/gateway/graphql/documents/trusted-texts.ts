import { readFileSync, statSync } from 'node:fs'
import type { GraphQLSchema } from 'graphql'
import { z } from 'zod'
import { findDocumentFaults, type TrustedTexts } from './trusted-documents.js'

/** Enough for tens of thousands of operations, which stay in memory. */
const MAX_BYTES = 32 * 2 ** 20

const Manifest = z.record(z.string(), z.string())

/**
 * Loads a manifest, a JSON object of documents by SHA-256. Throws an error that names the documents that cannot run.
 */
export function loadTrustedTexts(path: string, schema: GraphQLSchema): TrustedTexts {
  const texts = new Map(Object.entries(manifestIn(path)))
  const faults = findDocumentFaults(texts, schema)
  if (faults.length > 0) throw refused(path, ['has documents that cannot run:', ...faults].join('\n  - '))
  return texts
}

function manifestIn(path: string): z.infer<typeof Manifest> {
  let value: unknown
  try {
    const { size } = statSync(path)
    if (size > MAX_BYTES) throw new Error(`it has ${size} bytes, more than ${MAX_BYTES}`)
    value = JSON.parse(readFileSync(path, 'utf8'))
  } catch (error) {
    throw refused(path, `cannot be read: ${error instanceof Error ? error.message : String(error)}`)
  }
  const parsed = Manifest.safeParse(value)
  if (!parsed.success || Object.keys(parsed.data).length === 0)
    throw refused(path, 'must be a JSON object of documents by their SHA-256, {"<64 hex digits>": "query …"}')
  return parsed.data
}

function refused(path: string, why: string): Error {
  return new Error(`TRUSTED_DOCUMENTS: ${path} ${why}`)
}
