import type { GraphQLSchema } from 'graphql'
import type { Config } from '../config.js'
import type { DocumentSource } from '../graphql/documents/document-source.js'
import { persistedDocuments } from '../graphql/documents/persisted-documents.js'
import { createDocumentReader } from '../graphql/documents/read-document.js'
import { trustedDocuments } from '../graphql/documents/trusted-documents.js'
import type { OperationStore } from '../platform/operation-store/operation-store.js'
import { readTrustedTexts } from './trusted-texts.js'

/** Trusted documents alone where the configuration names them, else any, persisted on demand. */
export function configuredDocuments(
  { trustedDocuments: path }: Pick<Config, 'trustedDocuments'>,
  schema: GraphQLSchema,
  store: OperationStore,
): DocumentSource {
  const read = createDocumentReader(schema)
  return path === null
    ? persistedDocuments(read, store)
    : trustedDocuments(read, readTrustedTexts(path, schema))
}
