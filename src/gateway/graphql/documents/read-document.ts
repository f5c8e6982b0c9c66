import {
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  getOperationAST,
  Kind,
  type OperationDefinitionNode,
  validate,
  visit,
} from 'graphql'
import { Parser } from 'graphql/language/parser.js'
import { ApiError } from '../../../core/errors.js'
import { DocumentError } from './document-error.js'
import { DOCUMENT_RULES } from './document-rules.js'
import { withEnumNames } from './enum-names.js'

/** The introspection query has about 250 tokens; the largest useful operation has fewer than a thousand. */
const MAX_TOKENS = 1500

/** Validation compares every pair of fields with the same name in a selection, so many repetitions would be slow. */
const MAX_REPETITIONS = 20

/** More errors do not help the client, and each can cost a comparison with every known name. */
export const MAX_ERRORS = 20

/** Parses a document. Throws DocumentError for a syntax error, and ApiError above the gateway's limits. */
export function parseDocument(text: string): DocumentNode {
  const parser = new Parser(text, { maxTokens: MAX_TOKENS })
  try {
    const document = parser.parseDocument()
    assertNoRepetition(document)
    return document
  } catch (error) {
    if (parser.tokenCount > MAX_TOKENS) {
      throw new ApiError('bad_request', { message: `A document may have at most ${MAX_TOKENS} tokens.` })
    }
    if (error instanceof GraphQLError) throw new DocumentError([error])
    throw error
  }
}

/** Parses and validates a document like the plugins do. Throws like `parseDocument`. */
export function parseValidDocument(schema: GraphQLSchema, text: string): DocumentNode {
  const document = withEnumNames(schema, parseDocument(text))
  const errors = validate(schema, document, DOCUMENT_RULES, { maxErrors: MAX_ERRORS })
  if (errors.length > 0) throw new DocumentError(errors)
  return document
}

function assertNoRepetition(document: DocumentNode): void {
  visit(document, {
    SelectionSet: ({ selections }) => {
      if (selections.length <= MAX_REPETITIONS) return
      const counts = new Map<string, number>()
      for (const node of selections) {
        const name = node.kind === Kind.FIELD ? (node.alias ?? node.name).value : ''
        const count = (counts.get(name) ?? 0) + 1
        counts.set(name, count)
        if (count <= MAX_REPETITIONS) continue
        const what = name === '' ? 'have fragments more often' : `repeat ${name.slice(0, 60)} more often`
        throw new ApiError('bad_request', {
          message: `A selection may not ${what} than ${MAX_REPETITIONS} times.`,
        })
      }
    },
  })
}

/** Returns the requested operation; throws 400 if operationName is missing or unknown. */
export function operationOf(document: DocumentNode, operationName: string | null): OperationDefinitionNode {
  const operation = getOperationAST(document, operationName)
  if (operation) return operation
  const names = document.definitions.flatMap((definition) =>
    definition.kind === Kind.OPERATION_DEFINITION ? [definition.name?.value ?? ''] : [],
  )
  const known = names.length === 0 ? 'it has none' : `it has ${names.slice(0, 20).join(', ')}`
  const message =
    operationName === null
      ? `operationName: is required, because the document does not have exactly one operation; ${known}.`
      : `operationName: must name an operation of the document; ${known}.`
  throw new ApiError('bad_request', { message })
}
