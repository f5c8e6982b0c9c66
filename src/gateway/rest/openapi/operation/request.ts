import { type GraphQLArgument, isRequiredArgument } from 'graphql'
import { defaultSentence } from '../../../../schema-kit/bounds-text.js'
import { hintsOf } from '../../../../schema-kit/endpoint.js'
import { argumentsByPlace, type RestEndpoint } from '../../routes/rest-route.js'
import type { JsonSchema } from '../json-schema.js'
import { argumentSchema, componentReference } from '../types.js'

export function createParameter(argument: GraphQLArgument, place: 'path' | 'query'): JsonSchema {
  const { example } = hintsOf(argument)
  return {
    name: argument.name,
    in: place,
    ...(place === 'path' || isRequiredArgument(argument) ? { required: true } : {}),
    description: descriptionOf(argument),
    schema: argumentSchema(argument, 'text'),
    ...(example === undefined ? {} : { example }),
    ...(argument.deprecationReason ? { deprecated: true } : {}),
  }
}

export function createRequestBody(body: readonly GraphQLArgument[], name: string | undefined): JsonSchema {
  return {
    description: BODY_TEXT,
    required: body.some(isRequiredArgument),
    content: {
      'application/json': {
        schema: name === undefined ? bodySchema(body) : componentReference('schemas', name),
        ...exampleBody(body),
      },
    },
  }
}

/** An example of the body from those of its members; none if a required member has none. */
function exampleBody(body: readonly GraphQLArgument[]): JsonSchema {
  const isComplete = body.every((one) => !isRequiredArgument(one) || hintsOf(one).example !== undefined)
  const members = body.map((one) => [one.name, hintsOf(one).example] as const)
  return isComplete ? { example: Object.fromEntries(members) } : {}
}

export function namedBodies(endpoints: readonly RestEndpoint[]): Readonly<Record<string, JsonSchema>> {
  const named = endpoints.flatMap((endpoint) => {
    const { bodyName } = endpoint.rest
    if (bodyName === undefined) return []
    const schema = { description: BODY_TEXT, ...bodySchema(argumentsByPlace(endpoint).body) }
    return [[bodyName, schema] as const]
  })
  return Object.fromEntries(named)
}

const BODY_TEXT = 'The arguments as a JSON object. Unknown members are errors.'

function bodySchema(body: readonly GraphQLArgument[]): JsonSchema {
  const required = body.filter(isRequiredArgument).map((argument) => argument.name)
  const properties = body.map((argument) => [
    argument.name,
    { ...argumentSchema(argument, 'body'), description: descriptionOf(argument), ...examplesOf(argument) },
  ])
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    ...(required.length > 0 ? { required } : {}),
    additionalProperties: false,
  }
}

function examplesOf(argument: GraphQLArgument): JsonSchema {
  const { example } = hintsOf(argument)
  return example === undefined ? {} : { examples: [example] }
}

function descriptionOf(argument: GraphQLArgument): string {
  const { defaultText } = hintsOf(argument)
  const description = argument.description ?? argument.name
  return defaultText === undefined ? description : `${description} ${defaultSentence(defaultText)}`
}
