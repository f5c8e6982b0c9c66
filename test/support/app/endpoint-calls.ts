import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLObjectType,
  getNamedType,
  isCompositeType,
  isObjectType,
  isRequiredArgument,
} from 'graphql'
import { argumentsByPlace } from '../../../src/gateway/rest/routes/rest-route.js'
import type { AccessRule } from '../../../src/policy/decide.js'
import { graphSchema } from '../../../src/schema.js'
import { type EndpointSpec, endpointOf, hintsOf, type RestRoute } from '../../../src/schema-kit/endpoint.js'
import type { Answer, CallOptions, GraphQLAnswer, TestApp } from './app.js'

/** A root field of the schema, to be called over both transports without knowing which one it is. */
export interface RootField {
  readonly name: string
  readonly operation: 'query' | 'mutation'
  readonly field: GraphQLField<unknown, unknown>
  readonly endpoint: EndpointSpec
}

export type Arguments = Readonly<Record<string, unknown>>

/** Every root field that answers once, in the order of the schema. */
export function rootFields(): readonly RootField[] {
  return [
    ...fieldsOf('query', graphSchema.getQueryType()),
    ...fieldsOf('mutation', graphSchema.getMutationType()),
  ]
}

function fieldsOf(operation: RootField['operation'], type: GraphQLObjectType | null | undefined) {
  return Object.values(type?.getFields() ?? {}).map((field): RootField => {
    return { name: field.name, operation, field, endpoint: endpointOf(field) }
  })
}

/** The required arguments, and those of the path, which another argument may replace in GraphQL. */
function neededArguments({ field, endpoint }: RootField): readonly GraphQLArgument[] {
  return field.args.filter(
    (argument) => isRequiredArgument(argument) || endpoint.rest?.path.includes(`{${argument.name}}`),
  )
}

/** Required arguments that neither `given` nor a hint of the schema has an example for. */
export function argumentsWithoutExample(root: RootField, given: Arguments): readonly string[] {
  return neededArguments(root)
    .filter((argument) => given[argument.name] === undefined && hintsOf(argument).example === undefined)
    .map((argument) => argument.name)
}

/** Lists are asked for one entry: what is older or further down may need more than the access rule says. */
const hasLimit = ({ args }: Pick<GraphQLField<unknown, unknown>, 'args'>) =>
  args.some(({ name }) => name === 'limit')

/** The required arguments by their examples, and whatever is given; one entry of a list. */
export function exampleArguments(root: RootField, given: Arguments): Arguments {
  const examples = neededArguments(root).map(
    (argument) => [argument.name, hintsOf(argument).example] as const,
  )
  return {
    ...Object.fromEntries(examples),
    ...(hasLimit(root.field) && { limit: 1 }),
    ...ONE_OF_SEVERAL[root.name],
    ...given,
  }
}

/** Roots of which no argument is required by itself, but one of several is. */
const ONE_OF_SEVERAL: Readonly<Record<string, Arguments>> = { check_sanctions: { imos: ['9187629'] } }

/** Asks through the field's route. */
export function callRest(app: TestApp, root: RootField, rest: RestRoute, args: Arguments, ask: CallOptions) {
  const places = argumentsByPlace({ ...root, rest, rootType: root.operation })
  const members = places.body.filter(({ name }) => name in args).map(({ name }) => [name, args[name]])
  return app.rest<unknown>(restPath(root, rest, args), {
    ...ask,
    method: rest.method,
    ...(places.body.length > 0 ? { body: Object.fromEntries(members) } : {}),
  })
}

/** The path and the query of a request to the field's route. */
export function restPath(root: RootField, rest: RestRoute, args: Arguments): string {
  const places = argumentsByPlace({ ...root, rest, rootType: root.operation })
  let path = rest.path
  for (const { name } of places.path) path = path.replace(`{${name}}`, encodeURIComponent(String(args[name])))
  const query = new URLSearchParams()
  for (const { name } of places.query) if (name in args) query.set(name, String(args[name]))
  return query.size > 0 ? `${path}?${query}` : path
}

/** Asks the same through GraphQL, with the arguments as variables and as little of the answer as can be asked for. */
export function callGraphql(
  app: TestApp,
  root: RootField,
  args: Arguments,
  ask: CallOptions,
  wanted = '{ __typename }',
) {
  const given = root.field.args.filter(({ name }) => name in args)
  const declared = given.map(({ name, type }) => `$${name}: ${type}`).join(', ')
  const passed = given.map(({ name }) => `${name}: $${name}`).join(', ')
  const selection = isCompositeType(getNamedType(root.field.type)) ? ` ${wanted}` : ''
  const inBrackets = (text: string) => (text === '' ? '' : `(${text})`)
  const query = `${root.operation} ${inBrackets(declared)} { ${root.name}${inBrackets(passed)}${selection} }`
  return app.graphql<Readonly<Record<string, unknown>>>(query, { ...ask, variables: args })
}

/** A nested field with an access rule of its own, and where it can be asked for. */
export interface Edge {
  /** Type and field. */
  readonly name: string
  readonly access: AccessRule
  readonly root: RootField
  /** Selection of the root field that leads to the edge. */
  readonly wanted: string
}

/** Every edge of the schema; throws for one that no query reaches without passing another edge. */
export function edges(): readonly Edge[] {
  const ways = waysToTypes()
  return Object.values(graphSchema.getTypeMap()).flatMap((type) => {
    if (!isObjectType(type)) return []
    return Object.values(type.getFields()).flatMap((field) => {
      const { name, extensions } = field
      const { edge } = extensions
      if (!edge) return []
      const way = ways.get(type.name)
      if (!way) throw new Error(`no query reaches ${type.name}`)
      const wanted = [...way.path, hasLimit(field) ? `${name}(limit: 1)` : name].reduceRight(
        (inner, step) => `{ ${step} ${inner} }`,
        '{ __typename }',
      )
      return [{ name: `${type.name}.${name}`, access: edge.access, root: way.root, wanted }]
    })
  })
}

/** The shortest way to each type: a query and the fields below it, none of which needs an argument. */
function waysToTypes() {
  const ways = new Map<string, { readonly root: RootField; readonly path: readonly string[] }>()
  const next = rootFields()
    .filter(({ operation }) => operation === 'query')
    .map((root) => ({ type: getNamedType(root.field.type), root, path: [] as readonly string[] }))
  for (const { type, root, path } of next) {
    if (!isObjectType(type) || ways.has(type.name)) continue
    ways.set(type.name, { root, path })
    for (const field of Object.values(type.getFields())) {
      if (field.extensions.edge || field.args.some(isRequiredArgument)) continue
      // The list grows while it is walked: breadth first.
      next.push({ type: getNamedType(field.type), root, path: [...path, field.name] })
    }
  }
  return ways
}

/** What a transport answered to a call. */
export interface Outcome {
  readonly status: number
  /** In lower case; null for a success. */
  readonly error: string | null
  readonly requiredScope: string | null
  readonly hasUpgrade: boolean
}

interface Refusal {
  readonly error?: string
  readonly required_scope?: string
  readonly upgrade_url?: string
}

export function restOutcome({ status, body }: Answer): Outcome {
  const refusal = (status < 400 ? {} : body) as Refusal // the error body of the contract
  return {
    status,
    error: refusal.error ?? null,
    requiredScope: refusal.required_scope ?? null,
    hasUpgrade: refusal.upgrade_url !== undefined,
  }
}

/** The status is the error's own: an answer with errors can be a 200 for clients of plain JSON. */
export function graphqlOutcome(answer: Answer<GraphQLAnswer<Readonly<Record<string, unknown>>>>): Outcome {
  const error = answer.body.errors?.[0]
  // What is refused before it reaches either transport has the body of REST.
  if (error === undefined) return restOutcome(answer)
  const { code, http, required_scope, upgrade_url } = error.extensions
  return {
    status: http.status,
    error: code.toLowerCase(),
    requiredScope: required_scope ?? null,
    hasUpgrade: upgrade_url !== undefined,
  }
}
