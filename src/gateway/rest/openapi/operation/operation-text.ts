import type { AccessRule } from '../../../../policy/decide.js'
import { SCOPES } from '../../../../policy/scopes.js'
import type { CostRule, EndpointSpec } from '../../../../schema-kit/endpoint.js'
import {
  EXPORT_MEDIA_TYPES,
  EXTENSIONS,
  FORMAT_NAMES,
  type TextMediaType,
} from '../../response/export-type.js'
import type { PublishedOperation } from '../../routes/published-operation.js'
import type { RestEndpoint } from '../../routes/rest-route.js'
import type { OpenApiForm } from '../openapi-form.js'
import { DRY_RUN_TYPE } from './request-headers.js'

const FORMATS_TEXT = new Intl.ListFormat('en').format(Object.values(FORMAT_NAMES))

/** Describes an operation: its formats, required access, price and equivalent GraphQL operation. */
export function descriptionOfOperation(
  { field, rest, endpoint }: RestEndpoint,
  file: TextMediaType | null,
  twin: PublishedOperation,
  form: OpenApiForm,
): string {
  const formats =
    file === null
      ? form === 'short'
        ? 'Also as a file, by `format`.'
        : `Also available as ${FORMATS_TEXT}, by \`Accept\` or by the ending of the path: ${EXPORT_MEDIA_TYPES.map((type) => `\`.${EXTENSIONS[type]}\``).join(', ')}.`
      : 'Returns the rows of one page. `X-Total-Count` is the number of rows on all pages; `Link` points to the next page.'
  return [
    field.description ?? endpoint.summary,
    ...(rest.table ? [formats] : []),
    form === 'short' ? termsText(endpoint) : `${termsText(endpoint)} ${DRY_RUN_TEXT}`,
    form === 'short' ? `[In GraphQL](${twin.path}).` : twinText(twin, file),
  ].join('\n\n')
}

/**
 * The dry run is not part of the 200's content, because it would make the response type of generated clients a union. The
 * parameter describes it further, and alone in the short form.
 */
const DRY_RUN_TEXT = `\`X-Dry-Run: cost\` returns the price as ${DRY_RUN_TYPE} instead.`

function twinText({ name, path }: PublishedOperation, file: TextMediaType | null): string {
  const same = file === null ? 'the same data' : 'the same rows'
  return `The GraphQL operation [${name}](${path}) returns ${same}.`
}

/** Required access and price. */
function termsText({ access, cost, rowsPerUnit }: EndpointSpec): string {
  const costText =
    rowsPerUnit === undefined ? COST_TEXTS[cost] : `Costs 1 unit per ${rowsPerUnit} rows, at least 1.`
  return `${accessText(access)} ${costText}`
}

const COST_TEXTS: Readonly<Record<CostRule, string>> = {
  metered: 'Costs 1 unit.',
  discover: 'Costs 1 unit and counts towards the discover limit.',
  free: 'Free of charge.',
}

function accessText(access: AccessRule): string {
  if (access === 'open') return 'Requires no key.'
  if (access === 'token') return 'Requires an access token (`POST /auth/login`) of any tier.'
  if (access === 'caller' || access === 'account') return 'Requires a key of any tier.'
  const { from } = SCOPES[access]
  return `Requires the scope \`${access}\` (${from === null ? 'by grant only' : `tier ${from} and above`}).`
}
