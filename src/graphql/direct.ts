import { type DocumentNode, type ExecutionResult, type GraphQLSchema, getOperationAST } from 'graphql'
import { z } from 'zod'
import type { DoorContext } from '../platform/door-context.js'
import type { PlainAnswer } from '../platform/plain-answer.js'
import type { RequestFacts } from '../platform/request-facts.js'
import { graphqlAnswer, jsonTypeFor } from './answers.js'
import type { GetEnveloped } from './door-plugin.js'

export interface DirectGraphQLOptions {
  readonly schema: GraphQLSchema
  readonly upgradeUrl: string
  readonly getEnveloped: GetEnveloped
}

/** The members of GraphQL over HTTP, §5.3; whoever sends others, or others' types, is told by yoga what is wrong. */
const Parameters = z.strictObject({
  query: z.string(),
  variables: z.record(z.string(), z.unknown()).nullish(),
  operationName: z.string().nullish(),
})

/**
 * The GraphQL door for queries by POST, without a fetch Request and Response in between: the same parsing, validation,
 * plugins, execution and errors. Null, before anything ran or was charged, for all else: what is no valid query is
 * told, and what is no query is run, by yoga.
 */
export function createDirectGraphQL({ schema, upgradeUrl, getEnveloped }: DirectGraphQLOptions) {
  return async (body: string, request: RequestFacts, door: DoorContext): Promise<PlainAnswer | null> => {
    const mediaType = jsonTypeFor(request.headers.get('accept'))
    const params = parametersOf(body)
    if (mediaType === null || params === null) return null
    const { query, operationName = null, variables } = params
    const enveloped = getEnveloped(Object.assign(door, { request, params }))
    const document = validDocument(schema, query, enveloped)
    if (document === null || getOperationAST(document, operationName)?.operation !== 'query') return null
    const contextValue: object = await enveloped.contextFactory()
    const variableValues = variables ?? {}
    const result: unknown = await enveloped.execute({
      schema,
      document,
      operationName,
      variableValues,
      contextValue,
    })
    return graphqlAnswer(result as ExecutionResult, mediaType, door, upgradeUrl) // a query is no stream
  }
}

function parametersOf(body: string): z.infer<typeof Parameters> | null {
  try {
    return Parameters.safeParse(JSON.parse(body)).data ?? null
  } catch {
    return null
  }
}

function validDocument(
  schema: GraphQLSchema,
  query: string,
  { parse, validate }: ReturnType<GetEnveloped>,
): DocumentNode | null {
  try {
    const document: DocumentNode = parse(query)
    const errors: readonly unknown[] = validate(schema, document)
    return errors.length === 0 ? document : null
  } catch {
    return null
  }
}
