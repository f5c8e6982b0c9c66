import { memoizeByObject } from '../../../core/memoize-by-object.js'
import type { CompatFailure, CompatInterface, CompatRequest, TranslatedCall } from '../compat-interface.js'
import { jsonBody } from '../json-body.js'
import { toOperationCall } from '../operation-call.js'
import { UDF } from '../udf/udf.js'
import { toChart, toMetric, toTable } from './views.js'
import { APPS, toWidgets } from './widgets.js'

const UDF_PREFIX = '/udf'

const knownWidgets = memoizeByObject(toWidgets)

/** A backend of OpenBB Workspace: a widget for every operation, and the charts of UDF. */
export const OPENBB: CompatInterface = {
  title: 'OpenBB Workspace',
  summary: 'Tables, charts and figures of every operation as widgets.',
  routes: [
    { path: '/widgets.json', translate: () => ({ describe: knownWidgets }) },
    { path: '/apps.json', translate: () => APPS },
    { path: '/table/{operation}', translate: view((_, answer) => toTable(answer)) },
    { path: '/chart/{operation}', translate: view(toChart) },
    { path: '/metric/{operation}', translate: view(toMetric) },
    ...UDF.routes.map((route) => ({ ...route, path: `${UDF_PREFIX}${route.path}` })),
  ],
  toError,
  uses: [{ client: 'Connect backend', text: '{base} with the query parameter token = {key}' }],
}

/** Parameters that the client adds for a chart, or leaves empty, are no arguments. */
function view(toValue: (operation: string, answer: unknown) => unknown) {
  return ({ path, query }: CompatRequest): TranslatedCall => {
    const given = [...query].filter(([name, value]) => value !== '' && name !== 'theme' && name !== 'raw')
    const call = toOperationCall({ path, query: new URLSearchParams(given) })
    return { ...call, toBody: (answer) => jsonBody(toValue(call.operation, answer)) }
  }
}

function toError(failure: CompatFailure) {
  if (failure.path.startsWith(`${UDF_PREFIX}/`)) return UDF.toError(failure)
  const [problem] = failure.error.details
  const detail = problem === undefined ? failure.message : `${problem.field}: ${problem.message}`
  return { status: failure.error.status, ...jsonBody({ detail }) }
}
