import type { RestEndpoint } from '../routes/rest-route.js'
import type { JsonSchema } from './json-schema.js'
import { componentReference } from './types.js'

/** Of the answer to a dry run; a type of its own, so that the schema of a route's data stays that of its 200 in JSON. */
export const DRY_RUN_TYPE = 'application/vnd.market-data-gateway.cost+json'

const text = { type: 'string', maxLength: 255 }

/** Headers that a request may carry beside its credentials, as parameters of OpenAPI. */
export const REQUEST_HEADERS: Readonly<Record<string, JsonSchema>> = {
  'X-Dry-Run': {
    name: 'X-Dry-Run',
    in: 'header',
    required: false,
    description: `Answers what the request would be charged, as ${DRY_RUN_TYPE}, and runs nothing. Free of charge.`,
    schema: { type: 'string', enum: ['cost'] },
  },
  'X-Request-Id': {
    name: 'X-Request-Id',
    in: 'header',
    required: false,
    description:
      'A name for this request in our logs; another is made where it is not 8 to 64 letters, digits, . _ or -.',
    schema: text,
  },
  'If-None-Match': {
    name: 'If-None-Match',
    in: 'header',
    required: false,
    description:
      'Entity tags of answers you have, or *, which names any: an answer that is still right is a 304, free of charge.',
    schema: { type: 'string', maxLength: 8192 },
  },
  'Idempotency-Key': {
    name: 'Idempotency-Key',
    in: 'header',
    required: false,
    description:
      'Makes a repeated request safe: the same key again is a 409 that names what the first one made.',
    schema: { ...text, minLength: 1 },
  },
}

/** References to the headers that a route reads. */
export function createRequestHeaders({ rest }: RestEndpoint): readonly JsonSchema[] {
  const names = ['X-Dry-Run', 'X-Request-Id']
  if (rest.method === 'GET') names.push('If-None-Match')
  if (rest.idempotent === true) names.push('Idempotency-Key')
  return names.map((name) => componentReference('parameters', name))
}
