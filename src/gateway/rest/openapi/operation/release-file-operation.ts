import { ERROR_TABLE, type ErrorCode } from '../../../../core/errors.js'
import { FILE_BYTES_PER_UNIT } from '../../../../policy/limits.js'
import { RELEASE_FILE_PATH } from '../../../paths.js'
import type { RestEndpoint } from '../../routes/rest-route.js'
import { HEADER_TEXT } from '../bounds.js'
import { ANSWER_HEADERS, headerReferences, METER_HEADERS } from '../components.js'
import type { JsonSchema } from '../json-schema.js'
import { componentReference } from '../types.js'

/** Errors of the route that downloads a file. It has no root field, so nothing else declares them. */
const RELEASE_FILE_ERRORS: readonly ErrorCode[] = [
  'bad_request',
  'unauthorized',
  'forbidden',
  'not_found',
  'not_acceptable',
  'range_not_satisfiable',
  'validation_error',
  'rate_limit_exceeded',
  'internal_error',
  'service_unavailable',
]

const PARQUET_TYPE = 'application/vnd.apache.parquet'

const DESCRIPTION = `A file that the manifest of a release names, or \`manifest.json\` or \`seal.json\`. It never changes: the ETag is its SHA-256. \`Range\` returns one part of it, so that a download can be resumed; \`If-Range\` takes the ETag. If the gateway keeps releases in an object store, the response to a Parquet file is a 302 to an address there, which is valid for minutes and needs no key.

Requires the scope \`bulk:read\` (tier growth and above). Costs 1 unit per ${FILE_BYTES_PER_UNIT / 1_000_000} MB of the requested part, at least 1; with a 302, of the whole file.`

function text(name: string, place: 'path' | 'header', description: string, example: string): JsonSchema {
  return {
    name,
    in: place,
    required: place === 'path',
    description,
    schema: { type: 'string', maxLength: 100 },
    example,
  }
}

function header(description: string, example: string): JsonSchema {
  return { description, schema: HEADER_TEXT, example }
}

const RELEASE_ID = '20261120T120000.000Z-0123456789ab'

/** The path of the files of releases, which is the only one without a root field; nothing for a schema without releases. */
export function releaseFileOperation(endpoints: readonly RestEndpoint[]) {
  const hasReleases = endpoints.some(({ rest }) => RELEASE_FILE_PATH.startsWith(`${rest.path}/files/`))
  return hasReleases ? { paths: releaseFilePaths(), errors: RELEASE_FILE_ERRORS } : { paths: {}, errors: [] }
}

function releaseFilePaths(): Readonly<Record<string, Readonly<Record<string, JsonSchema>>>> {
  const headers = {
    ...headerReferences([...ANSWER_HEADERS, ...METER_HEADERS, 'ETag', 'Cache-Control']),
    'Repr-Digest': header('SHA-256 of the file (RFC 9530).', 'sha-256=:…:'),
  }
  const content = { [PARQUET_TYPE]: { schema: { contentMediaType: PARQUET_TYPE } } }
  const errors = RELEASE_FILE_ERRORS.map((code) => [
    ERROR_TABLE[code].status,
    componentReference('responses', code),
  ])
  const operation: JsonSchema = {
    operationId: 'release_file',
    tags: ['releases'],
    summary: 'A file of a release',
    description: DESCRIPTION,
    parameters: [
      text('dataset', 'path', 'The dataset of the release.', 'forex'),
      text('release_id', 'path', 'The id of the release.', RELEASE_ID),
      text('name', 'path', 'Name of the file in the manifest.', '2026.parquet'),
      text('Range', 'header', 'One part of the file, in bytes.', 'bytes=1048576-'),
      text('If-Range', 'header', 'The ETag of the file that the part belongs to.', '"9f86d081…"'),
      ...['X-Dry-Run', 'X-Request-Id', 'If-None-Match'].map((name) => componentReference('parameters', name)),
    ],
    responses: {
      200: { description: 'The file.', headers, content },
      206: {
        description: 'The requested part.',
        headers: { ...headers, 'Content-Range': header('The part and the size.', 'bytes 0-99/1234') },
        content,
      },
      302: {
        description: 'The address of the file in the object store.',
        headers: {
          ...headerReferences([...ANSWER_HEADERS, ...METER_HEADERS]),
          Location: header('The address. Send no key there.', 'https://bucket.example.com/…'),
        },
      },
      304: { description: 'You have the file. Free of charge.', headers },
      ...Object.fromEntries(errors),
    },
    'x-required-scope': 'bulk:read',
  }
  return { [RELEASE_FILE_PATH]: { get: operation } }
}
