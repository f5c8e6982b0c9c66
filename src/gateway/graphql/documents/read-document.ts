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

/** The introspection query has about 250; the largest useful operation stays below a thousand. */
const MAX_TOKENS = 1500

/** Validation compares each two fields of one name in a selection: thousands of comparisons tell nothing more. */
const MAX_REPETITIONS = 20

/** More tell the client nothing new, and each can cost a comparison with every known name. */
export const MAX_ERRORS = 20

/** The document of a text. Throws DocumentError for wrong syntax, and ApiError for our limits. */
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

/** Parses and validates a text; throws as `parseDocument`. */
export function validDocument(schema: GraphQLSchema, text: string): DocumentNode {
  const document = parseDocument(text)
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

/** The operation that is asked for; 400 where the document leaves it open. */
export function operationOf(document: DocumentNode, operationName: string | null): OperationDefinitionNode {
  const operation = getOperationAST(document, operationName)
  if (operation) return operation
  const names = document.definitions.flatMap((definition) =>
    definition.kind === Kind.OPERATION_DEFINITION ? [definition.name?.value ?? ''] : [],
  )
  const known = names.length === 0 ? 'it has none' : `it has ${names.slice(0, 20).join(', ')}`
  const message =
    operationName === null
      ? `operationName: is required, since the document has not exactly one operation; ${known}.`
      : `operationName: names no operation of the document; ${known}.`
  throw new ApiError('bad_request', { message })
}
