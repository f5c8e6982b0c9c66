import { type GraphQLArgument, isRequiredArgument } from 'graphql'
import { hintsOf } from '../../../schema-kit/endpoint.js'
import { EXTENSIONS, type ExportMediaType } from '../response/table-export.js'
import { argumentsByPlace, type RestEndpoint } from '../routes/rest-route.js'
import type { JsonSchema } from './json-schema.js'
import type { AnswerExample } from './responses.js'
import { type SampleRequest, samplesIn } from './sample-languages.js'

/** Names something that an account made, so that no value is right for all readers. */
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-/

/**
 * Samples of an operation in curl, TypeScript and Python. They make the request of the answer that is shown, else one of
 * the examples of the arguments. `file`: the export as which the answer is asked for; null: JSON.
 */
export function createSamples(
  endpoint: RestEndpoint,
  file: ExportMediaType | null,
  { baseUrl, example }: { baseUrl: string; example: AnswerExample | undefined },
): readonly JsonSchema[] {
  const { method, status } = endpoint.rest
  const { target, body } = example === undefined ? byHints(endpoint) : exampleRequest(example)
  const answer = status === 204 ? 'none' : file === null ? 'json' : 'text'
  const url = baseUrl + (file === null ? target : asFile(target, file))
  return samplesIn({ method, url, credential: credentialOf(endpoint), body, answer })
}

type SampleTarget = Pick<SampleRequest, 'body'> & { readonly target: string }

/** The request that an answer names: method, target and, by POST, the body. */
export function exampleRequest({ request }: AnswerExample): SampleTarget {
  const [, target = '', body] = /^\S+ (\S+)(?: (.+))?$/.exec(request) ?? []
  return { target, body: body === undefined ? null : JSON.parse(body) }
}

function byHints(endpoint: RestEndpoint): SampleTarget {
  const { path, query, body } = argumentsByPlace(endpoint)
  const target = path.reduce(
    (text, argument) => text.replace(`{${argument.name}}`, pathValue(argument)),
    endpoint.rest.path,
  )
  const asked = new URLSearchParams(
    query.filter(isRequiredArgument).map((argument) => [argument.name, exampleText(argument)]),
  )
  const members = body
    .map((argument) => [argument.name, hintsOf(argument).example] as const)
    .filter(([, value]) => value !== undefined)
  return {
    target: asked.size > 0 ? `${target}?${asked}` : target,
    body: members.length > 0 ? Object.fromEntries(members) : null,
  }
}

/** Encoded for a path, or the environment variable that has it. */
function pathValue(argument: GraphQLArgument): string {
  const { example } = hintsOf(argument)
  return example === undefined || UUID.test(String(example))
    ? `{${argument.name.toUpperCase()}}`
    : encodeURIComponent(String(example))
}

/** Throws for a required argument without an example: its operation could have no sample. */
function exampleText(argument: GraphQLArgument): string {
  const { example } = hintsOf(argument)
  if (example === undefined) throw new Error(`argument ${argument.name} has no example`)
  return String(example)
}

function asFile(target: string, file: ExportMediaType): string {
  const [path, query] = target.split('?')
  return `${path}.${EXTENSIONS[file]}${query === undefined ? '' : `?${query}`}`
}

function credentialOf({ endpoint }: RestEndpoint): SampleRequest['credential'] {
  if (endpoint.access === 'open') return null
  return endpoint.access === 'token' ? 'TOKEN' : 'KEY'
}
