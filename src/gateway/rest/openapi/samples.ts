import { type GraphQLArgument, isRequiredArgument } from 'graphql'
import { hintsOf } from '../../../schema-kit/endpoint.js'
import { EXTENSIONS, type TextMediaType } from '../response/export-type.js'
import { argumentsByPlace, type RestEndpoint } from '../routes/rest-route.js'
import type { JsonSchema } from './json-schema.js'
import type { AnswerExample } from './responses.js'
import { type SampleRequest, writeSamples } from './sample-languages.js'

/** A UUID or the id of a release identifies something of one account or gateway, so no example is valid for all readers. */
const OWN_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-|^\d{8}T\d{6}\.\d{3}Z-[0-9a-f]{12}$/

/**
 * Creates samples of an operation in curl, TypeScript and Python. They send the request of the shown response, or else one
 * built from the examples of the arguments. `file` is the export format, or null for JSON.
 */
export function createSamples(
  endpoint: RestEndpoint,
  file: TextMediaType | null,
  { baseUrl, example }: { baseUrl: string; example: AnswerExample | undefined },
): readonly JsonSchema[] {
  const { method, status } = endpoint.rest
  const { target, body } = example === undefined ? byHints(endpoint) : exampleRequest(example)
  const answer = status === 204 ? 'none' : file === null ? 'json' : 'text'
  const url = baseUrl + (file === null ? target : asFile(target, file))
  return writeSamples({ method, url, credential: credentialOf(endpoint), body, answer })
}

type SampleTarget = Pick<SampleRequest, 'body'> & { readonly target: string }

/** Parses the request of an example: target and, for POST, the body. */
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
  const search = new URLSearchParams(
    query.filter(isRequiredArgument).map((argument) => [argument.name, exampleText(argument)]),
  )
  const members = body
    .map((argument) => [argument.name, hintsOf(argument).example] as const)
    .filter(([, value]) => value !== undefined)
  return {
    target: search.size > 0 ? `${target}?${search}` : target,
    body: members.length > 0 ? Object.fromEntries(members) : null,
  }
}

/** The example encoded for a path, or the name of an environment variable in braces. */
function pathValue(argument: GraphQLArgument): string {
  const { example } = hintsOf(argument)
  return example === undefined || OWN_ID.test(String(example))
    ? `{${argument.name.toUpperCase()}}`
    : encodeURIComponent(String(example))
}

/** Throws for a required argument without an example, because the operation could not have a sample. */
function exampleText(argument: GraphQLArgument): string {
  const { example } = hintsOf(argument)
  if (example === undefined)
    throw new Error(`Argument ${argument.name} has no example; add one to its hints.`)
  return String(example)
}

function asFile(target: string, file: TextMediaType): string {
  const [path, query] = target.split('?')
  return `${path}.${EXTENSIONS[file]}${query === undefined ? '' : `?${query}`}`
}

function credentialOf({ endpoint }: RestEndpoint): SampleRequest['credential'] {
  if (endpoint.access === 'open') return null
  return endpoint.access === 'token' ? 'TOKEN' : 'KEY'
}
