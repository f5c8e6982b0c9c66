import { canonicalJson } from '../../src/core/canonical-json.js'
import type { Received } from '../fuzz/send.js'
import { inRouteWords } from '../support/app/route-words.js'
import { namesNothing, type ParityRoute } from './routes.js'

/** Members that differ between two answers to one question by contract, by route; the reason beside them. */
const OWN_MEMBERS: Readonly<Record<string, readonly string[]>> = {
  // Each call makes a key of its own.
  create_api_key: ['key_id', 'key_prefix', 'raw_key'],
  rotate_api_key: ['key_id', 'key_prefix', 'raw_key'],
  // Each registration makes an account of its own; a token names its account.
  register: ['id', 'access_token'],
  login: ['id', 'access_token'],
  // Each call makes a login of its own.
  create_sql_credentials: ['credential_id', 'username', 'password'],
  // Each call makes a webhook or a secret of its own.
  create_webhook: ['webhook_id', 'secret'],
  rotate_webhook_secret: ['secret'],
  // Each call asks the resolver and the receiver again, each in its own time.
  test_webhook: ['duration_ms', 'error'],
  // Asking notes the use of the key, in a moment of its own.
  api_keys: ['last_used_at'],
  api_key: ['last_used_at'],
}

/** Headers that say the same in both styles: what is left, when to come back, how to authenticate, what was read. */
const SAME_HEADERS = [
  'ratelimit',
  'ratelimit-policy',
  'x-ratelimit-limit',
  'x-ratelimit-remaining',
  'x-ratelimit-reset',
  'retry-after',
  'www-authenticate',
  'x-data-version',
] as const

/** A provider that rests does so by the clock of the machine, and the two answers are made at two moments of it. */
const MOMENTS_SECONDS = 2

interface RestError {
  readonly error: string
  readonly retry_after?: number
  readonly message: string
  readonly details?: readonly { readonly field: string; readonly message: string }[]
}

interface GraphQLBody {
  readonly data?: Readonly<Record<string, unknown>> | null
  readonly errors?: readonly {
    readonly message: string
    readonly extensions: Readonly<Record<string, unknown>> & {
      readonly code: string
      readonly http: { readonly status: number }
    }
  }[]
}

/** What is not the same in the two answers to one question; null: nothing. */
export function differenceOf(route: ParityRoute, rest: Received, graphql: Received): string | null {
  const body = JSON.parse(graphql.text) as GraphQLBody
  const inHeaders = SAME_HEADERS.filter((name) => !isOfCaller(route, name)).find(
    (name) =>
      rest.headers[name] !== graphql.headers[name] &&
      !(name === 'retry-after' && isOfTwoMoments(rest.status, rest.headers[name], graphql.headers[name])),
  )
  if (rest.status < 400)
    return answersDiffer(route, rest, graphql, body) ?? headersDiffer(rest, graphql, inHeaders)
  return errorsDiffer(route, rest, graphql, body) ?? headersDiffer(rest, graphql, inHeaders)
}

/** An open route does not look at credentials: it says nothing of quotas. What is left after asking others depends on who asked first. */
function isOfCaller({ spec, mayAskOthers }: ParityRoute, header: string): boolean {
  return (spec.endpoint.access === 'open' || mayAskOthers) && header.includes('ratelimit')
}

function headersDiffer(rest: Received, graphql: Received, name: string | undefined): string | null {
  return name === undefined ? null : `${name}: ${rest.headers[name]} and ${graphql.headers[name]}`
}

function answersDiffer(
  { name }: ParityRoute,
  rest: Received,
  graphql: Received,
  { data, errors }: GraphQLBody,
): string | null {
  if (errors !== undefined || graphql.status !== 200) {
    return `REST answers ${rest.status}, GraphQL ${graphql.status} ${errors?.[0]?.message ?? ''}`
  }
  const answer = data?.[name]
  if (rest.status === 204) return answer === true ? null : `204 and ${JSON.stringify(answer)}`
  // The same bytes; else the same value, but for what is each one's own.
  if (graphql.text.startsWith(`{"data":{"${name}":${rest.text}}`)) return null
  const [own, theirs] = [canonicalOf(name, JSON.parse(rest.text)), canonicalOf(name, answer)]
  return own === theirs ? null : firstDifference(own, theirs)
}

function errorsDiffer(
  route: ParityRoute,
  rest: Received,
  graphql: Received,
  { errors, data }: GraphQLBody,
): string | null {
  const error = JSON.parse(rest.text) as RestError
  const [first, second] = errors ?? []
  if (first === undefined || second !== undefined || data != null)
    return `REST refuses with ${error.error}: ${error.message}, GraphQL answers ${graphql.status}`
  const { code, http, ...members } = first.extensions
  const message = inRouteWords(first.message)
  const expected: Record<string, unknown> = { error: code.toLowerCase(), message, ...members }
  const isTyped = expected.error === 'bad_request' && graphql.status === 400 && http.status === 400
  // By contract a variable that is no value of its type is a 400, and in the path of REST what names nothing a 404.
  if (isTyped && error.error === 'validation_error' && rest.status === 422)
    expected.error = 'validation_error'
  else if (isTyped && error.error === 'not_found' && isUnnamed(route, expected.details)) return null
  else if (rest.status !== graphql.status || http.status !== rest.status)
    return `REST refuses with ${rest.status} ${error.message}, GraphQL with ${graphql.status} ${first.message}`
  if (isOfTwoMoments(rest.status, error.retry_after, expected.retry_after))
    expected.retry_after = error.retry_after
  const [own, theirs] = [canonicalJson(error), canonicalJson(expected)]
  return own === theirs ? null : firstDifference(own, theirs)
}

/** Whether two times of a 503 are the same but for the time between the two answers. */
function isOfTwoMoments(status: number, own: unknown, theirs: unknown): boolean {
  return status === 503 && Math.abs(Number(own) - Number(theirs)) <= MOMENTS_SECONDS
}

function isUnnamed(route: ParityRoute, details: unknown): boolean {
  return (details as RestError['details'])?.some(({ field }) => namesNothing(route, field)) ?? false
}

function canonicalOf(name: string, value: unknown): string {
  return canonicalJson(JSON.parse(comparableText(name, JSON.stringify(value))))
}

/** The text itself; where answers have members of their own, its JSON without the values of these. */
function comparableText(name: string, text: string): string {
  const own = OWN_MEMBERS[name]
  if (own === undefined) return text
  return JSON.stringify(JSON.parse(text, (member, its: unknown) => (own.includes(member) ? 'own' : its)))
}

const AROUND = 60

function firstDifference(own: string, theirs: string): string {
  let at = 0
  while (own[at] === theirs[at]) at++
  const around = (text: string) => text.slice(Math.max(0, at - AROUND), at + AROUND)
  return `…${around(own)}… and …${around(theirs)}…`
}

/** The same answer from the cache says so; everything else in it is the same. */
export function warmDiffers({ name }: ParityRoute, cold: Received, warm: Received): string | null {
  if (cold.status >= 400 && warm.status === 429) return null
  if (cold.status !== warm.status)
    return warm.status === 429 ? null : `${cold.status}, asked again ${warm.status}`
  const bare = ({ text }: Received) =>
    comparableText(name, text).replace(/"(cache_hit)":(?:true|false)/, '"$1":null')
  return cold.status < 400 && bare(cold) !== bare(warm) ? firstDifference(bare(cold), bare(warm)) : null
}
