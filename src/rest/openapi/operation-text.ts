import type { CostRule, EndpointSpec } from '../../graphql/endpoint.js'
import type { AccessRule } from '../../policy/decide.js'
import { SCOPES } from '../../policy/scopes.js'
import { EXPORT_MEDIA_TYPES, type ExportMediaType } from '../response/table-export.js'
import type { PublishedOperation } from '../routes/published-operation.js'
import { exportPath, type RestEndpoint } from '../routes/rest-route.js'

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
    termsText(endpoint),
    twinText(twin, file),
  ].join('\n\n')
}

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
