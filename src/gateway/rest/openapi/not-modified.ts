import type { EndpointSpec } from '../../../schema-kit/endpoint.js'
import type { RestEndpoint } from '../routes/rest-route.js'
import { ANSWER_HEADERS, headerReferences, LIFE_HEADERS, METER_HEADERS } from './components.js'
import type { JsonSchema } from './json-schema.js'

/** Open endpoints are not metered. */
export function meterOf({ access }: EndpointSpec): typeof METER_HEADERS | readonly [] {
  return access === 'open' ? [] : METER_HEADERS
}

/** Responses that depend on the clock or on a third party have no ETag. Responses about accounts have no data version. */
export function lifeOf(
  { reads, isVolatile }: EndpointSpec,
  method: string,
): readonly (typeof LIFE_HEADERS)[number][] {
  if (reads !== null) return LIFE_HEADERS
  return isVolatile === true || method !== 'GET' ? [] : ['ETag', 'Cache-Control']
}

/** Name of the 304 of an endpoint. Endpoints whose 304s have the same headers share one. */
export function notModifiedName({ endpoint }: Pick<RestEndpoint, 'endpoint'>): string {
  const { access, reads, isVolatile } = endpoint
  const about = reads !== null ? 'data' : isVolatile === true ? 'volatile' : 'account'
  return `not_modified_${access === 'open' ? 'open_' : ''}${about}`
}

/** One response component per kind of 304. */
export function notModifiedResponses(
  endpoints: readonly RestEndpoint[],
): Readonly<Record<string, JsonSchema>> {
  const reading = endpoints.filter(({ rest }) => rest.method === 'GET')
  return Object.fromEntries(
    reading.map((endpoint) => [notModifiedName(endpoint), notModifiedResponse(endpoint)]),
  )
}

function notModifiedResponse({ endpoint, rest }: RestEndpoint): JsonSchema {
  return {
    description: 'The response has not changed since the ETag in `If-None-Match`. Free of charge.',
    headers: headerReferences([
      ...ANSWER_HEADERS,
      'Link',
      ...meterOf(endpoint),
      ...lifeOf(endpoint, rest.method),
    ]),
  }
}
