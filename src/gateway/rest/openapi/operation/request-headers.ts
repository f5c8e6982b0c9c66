import { type GraphQLOutputType, getNullableType, isObjectType } from 'graphql'
import { RECEIPT, RETURN_MINIMAL } from '../../../../platform/request/preference.js'
import type { TextMediaType } from '../../response/export-type.js'
import { FORMAT, FORMATS } from '../../response/format-parameter.js'
import type { RestEndpoint } from '../../routes/rest-route.js'
import type { JsonSchema } from '../json-schema.js'
import { componentReference } from '../types.js'

/** Media type of a dry run. It is distinct, so that the JSON schema of a route's 200 describes only its data. */
export const DRY_RUN_TYPE = 'application/vnd.market-data-gateway.cost+json'

const text = { type: 'string', maxLength: 255 }

/** The parameter `format` of lists and series. `files` says what the files contain. */
export function formatParameter(files: string): JsonSchema {
  return {
    name: FORMAT,
    in: 'query',
    description: `Format of the response. The ending of the path does the same, e.g. \`/v1/forex.csv\`. Default: the one that \`Accept\` prefers. ${files}`,
    schema: { type: 'string', enum: FORMATS },
  }
}

/** Request headers other than credentials, as OpenAPI parameters. */
export const REQUEST_HEADERS: Readonly<Record<string, JsonSchema>> = {
  'X-Dry-Run': {
    name: 'X-Dry-Run',
    in: 'header',
    description: `Returns the price of the request as ${DRY_RUN_TYPE} without running it: \`{"cost": {"charged": 0, "remaining": 13, "price": 1}}\`. Free of charge.`,
    schema: { type: 'string', enum: ['cost'] },
  },
  'X-Request-Id': {
    name: 'X-Request-Id',
    in: 'header',
    description:
      'Your identifier of this request in the logs: 8 to 64 letters, digits, . _ or -. Otherwise the gateway generates one.',
    schema: text,
  },
  'If-None-Match': {
    name: 'If-None-Match',
    in: 'header',
    description:
      'ETags of responses that you have, or * for any. If the response is unchanged, you get a 304, free of charge.',
    schema: { type: 'string', maxLength: 8192 },
  },
  Prefer: {
    name: 'Prefer',
    in: 'header',
    description: `\`${RETURN_MINIMAL}\` leaves out the members of \`meta\` and \`_meta\` that are null. Schemas describe the response without it. \`${RECEIPT}\` adds the header X-Receipt, a signed receipt of the answer, if it has data and the gateway has a signing key.`,
    schema: { type: 'string', enum: [RETURN_MINIMAL, RECEIPT] },
  },
  'Idempotency-Key': {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'Makes a retry safe: a second request with the same key is a 409 that names the result of the first one.',
    schema: { ...text, minLength: 1 },
  },
}

/** Creates references to the headers that a route reads. `file` is the export format, or null for JSON. */
export function createRequestHeaders(
  { field, rest }: RestEndpoint,
  file: TextMediaType | null,
): readonly JsonSchema[] {
  const names = ['X-Dry-Run', 'X-Request-Id']
  if (rest.method === 'GET') names.push('If-None-Match')
  if (file === null && hasMeta(field.type)) names.push('Prefer')
  if (rest.idempotent === true) names.push('Idempotency-Key')
  return names.map((name) => componentReference('parameters', name))
}

function hasMeta(type: GraphQLOutputType): boolean {
  const body = getNullableType(type)
  return isObjectType(body) && ['meta', '_meta'].some((name) => name in body.getFields())
}
