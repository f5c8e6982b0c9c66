import { type GraphQLArgument, type GraphQLSchema, isRequiredArgument } from 'graphql'
import { Problems } from '../../../core/problems.js'
import { hintsOf } from '../../../schema-kit/endpoint.js'
import {
  type ArgumentValues,
  compileTextParameter,
  parsePathValues,
  parseQuery,
  parseQueryValues,
  type QueryPairs,
} from '../parameters/parameters.js'
import { type PublishedOperation, publishedOperations } from '../routes/published-operation.js'
import { argumentsByPlace, type RestEndpoint, restEndpoints } from '../routes/rest-route.js'
import { parameterName } from '../routes/route-table.js'
import { type AnswerExample, exampleRequest } from './operation/responses.js'

/** A published operation with the tag, summary, keywords and variables that the list of operations shows. */
export interface ExampleOperation extends PublishedOperation {
  readonly tag: string
  readonly summary: string
  readonly keywords: readonly string[]
  /** The arguments of the route's example. A required argument without an example is absent. */
  readonly variables: Readonly<ArgumentValues>
}

/** Lists the operation of each route in schema order. Throws for an example that its route would reject. */
export async function exampleOperations(
  schema: GraphQLSchema,
  examples: Readonly<Record<string, AnswerExample>>,
): Promise<readonly ExampleOperation[]> {
  const published = await publishedOperations(schema)
  const endpoints = new Map(restEndpoints(schema).map((endpoint) => [endpoint.field.name, endpoint]))
  return published.flatMap((operation) => {
    const endpoint = endpoints.get(operation.name)
    if (endpoint === undefined) return []
    const {
      field,
      rest,
      endpoint: { summary, keywords = [] },
    } = endpoint
    const example = examples[field.name]
    const variables = example === undefined ? byHints(endpoint) : ofRequest(endpoint, example)
    return [{ ...operation, tag: rest.tag, summary, keywords, variables }]
  })
}

/** Parses the arguments of the example's request. */
function ofRequest(endpoint: RestEndpoint, example: AnswerExample): ArgumentValues {
  const { path, query } = argumentsByPlace(endpoint)
  const { target, body } = exampleRequest(example)
  const at = target.indexOf('?')
  const [pathname, search] = at < 0 ? [target, ''] : [target.slice(0, at), target.slice(at)]
  const values: ArgumentValues = {}
  const problems = new Problems()
  parsePathValues(compiled(path), pathPairs(endpoint.rest.path, pathname), values, problems)
  parseQueryValues(compiled(query), parseQuery(search), values, problems, () => 'is not a parameter')
  problems.refuse()
  return { ...values, ...body }
}

function compiled(argumentList: readonly GraphQLArgument[]) {
  return new Map(argumentList.map((argument) => [argument.name, compileTextParameter(argument)]))
}

/** The value of each path parameter. */
function pathPairs(template: string, pathname: string): QueryPairs {
  const segments = pathname.split('/')
  return template.split('/').flatMap((part, place) => {
    const name = parameterName(part)
    return name === null ? [] : [[name, decodeURIComponent(segments[place] ?? '')] as const]
  })
}

function byHints(endpoint: RestEndpoint): ArgumentValues {
  const { path, query, body } = argumentsByPlace(endpoint)
  const shown = [...path, ...query.filter(isRequiredArgument), ...body]
  const entries = shown.map((argument) => [argument.name, hintsOf(argument).example] as const)
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined))
}
