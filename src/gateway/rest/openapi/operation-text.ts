import type { AccessRule } from '../../../policy/decide.js'
import { SCOPES } from '../../../policy/scopes.js'
import type { CostRule, EndpointSpec } from '../../../schema-kit/endpoint.js'
import { EXPORT_MEDIA_TYPES, type ExportMediaType } from '../response/table-export.js'
import type { PublishedOperation } from '../routes/published-operation.js'
import { exportPath, type RestEndpoint } from '../routes/rest-route.js'
import { DRY_RUN_TYPE } from './request-headers.js'

export const FILE_NAMES: Readonly<Record<ExportMediaType, string>> = {
  'text/csv': 'as CSV',
  'application/x-ndjson': 'as NDJSON',
}

/** What an operation is, who may ask it, its price, and the operation of GraphQL with the same answer. */
export function descriptionOfOperation(
  { field, rest, endpoint }: RestEndpoint,
  file: ExportMediaType | null,
  twin: PublishedOperation,
): string {
  const files = EXPORT_MEDIA_TYPES.map((type) => `\`${exportPath(rest.path, type)}\``).join(' and ')
  const formats =
    file === null
      ? `Also ${files}, or by \`Accept\`: ${EXPORT_MEDIA_TYPES.join(', ')}.`
      : 'The rows of one page: `X-Total-Count` says how many there are on all pages, `Link` leads to the next.'
  return [
    field.description ?? endpoint.summary,
    ...(rest.table ? [formats] : []),
    `${termsText(endpoint)} ${DRY_RUN_TEXT}`,
    twinText(twin, file),
  ].join('\n\n')
}

/** Its answer has a media type of its own: as content of the 200 it would make each client's answer a union. */
const DRY_RUN_TEXT = `With \`X-Dry-Run: cost\` it runs nothing and answers its price, as ${DRY_RUN_TYPE}: \`{"cost": {"charged": 0, "remaining": 13, "price": 1}}\`.`

function twinText({ name, path }: PublishedOperation, file: ExportMediaType | null): string {
  const same = file === null ? 'The same answer' : 'The same rows'
  return `${same} through GraphQL: the operation [${name}](${path}).`
}

/** Who may ask, and what that is charged. */
function termsText({ access, cost }: EndpointSpec): string {
  return `${accessText(access)} ${COST_TEXTS[cost]}`
}

const COST_TEXTS: Readonly<Record<CostRule, string>> = {
  metered: 'Costs 1 unit.',
  discover: 'Costs 1 unit, and counts on the window of discoveries.',
  free: 'Free of charge.',
}

function accessText(access: AccessRule): string {
  if (access === 'open') return 'Needs no key.'
  if (access === 'token') return 'Needs an access token (`POST /auth/login`), of any tier.'
  if (access === 'caller') return 'Needs a key of any tier.'
  const { from } = SCOPES[access]
  return `Needs the scope \`${access}\`: ${from === null ? 'by grant only' : `tier ${from} and above`}.`
}
