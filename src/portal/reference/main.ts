import './style.css'
import { authenticateFetch } from '../client/authenticate-fetch.js'
import { session } from '../client/session.js'
import { showPageAccess } from '../parts/show-page-access.js'
import { adoptStyles } from './adopted-styles.js'
import { keepNamesFixed } from './fixed-names.js'
import {
  FILLED_SCHEME,
  type GraphQLOperation,
  type OpenApiView,
  preparedDocument,
  requestReads,
} from './prepared-document.js'

/** The configuration that the gateway embeds in the page. */
interface ReferenceConfig {
  readonly openApiPath: string
  /** Path of the list of GraphQL operations. */
  readonly operationsPath: string
  /** Path of Scalar's script. */
  readonly scriptPath: string
  /** Authenticates test requests that only read. Null without a key. */
  readonly pageKey: string | null
  /** Whether that key is the demo key, which the gateway lets read only. */
  readonly isDemoKey: boolean
}

interface ScalarWindow {
  readonly Scalar: { createApiReference(element: Element, configuration: object): unknown }
}

const config: ReferenceConfig = JSON.parse(document.getElementById('config')?.textContent ?? '')

async function start(root: HTMLElement): Promise<void> {
  const [content] = await Promise.all([preparedOpenApi(), loadScalar()])
  root.replaceChildren()
  keepNamesFixed(root)
  const { Scalar } = window as unknown as ScalarWindow // Scalar's script defines it
  Scalar.createApiReference(root, { content, ...options(), onBeforeRequest: correctRequest(content) })
}

async function preparedOpenApi(): Promise<OpenApiView> {
  const { openApiPath, operationsPath } = config
  const [document, operations] = await Promise.all([loadJson(openApiPath), loadJson(operationsPath)])
  // The gateway writes both.
  return preparedDocument(
    document as OpenApiView,
    (operations as { data: readonly GraphQLOperation[] }).data,
    { hasSharedKey: isWithholding() },
  )
}

async function loadJson(path: string): Promise<unknown> {
  const response = await fetch(path)
  if (!response.ok) throw new Error(`${path} answered ${response.status}`)
  return response.json()
}

function loadScalar(): Promise<void> {
  return new Promise((resolve, reject) => {
    const script = document.createElement('script')
    script.addEventListener('load', () => resolve())
    script.addEventListener('error', () => reject(new Error(`${config.scriptPath} did not load`)))
    script.src = config.scriptPath
    document.head.append(script)
  })
}

/** Corrects the requests that Scalar sends. */
function correctRequest(content: OpenApiView): (sent: { request: Request }) => void {
  const withhold = withholdKey(content)
  return (sent) => {
    if (isWithholding()) withhold(sent)
    // Scalar accepts only the first media type of the document, which is that of dry runs for a 201 or a 204.
    sent.request.headers.set('Accept', '*/*')
  }
}

/** A development key may change data, so requests that do so need the reader's own. */
function isWithholding(): boolean {
  return config.pageKey !== null && !config.isDemoKey && session() === null
}

/** Scalar sends the filled-in key to operations of other schemes too; this removes it from requests that change data. */
function withholdKey(content: OpenApiView): (sent: { request: Request }) => void {
  return ({ request }) => {
    const isShared = request.headers.get('X-API-Key') === config.pageKey
    if (isShared && !requestReads(content, request.method, new URL(request.url).pathname))
      request.headers.delete('X-API-Key')
  }
}

/** Keeps every request on this gateway: disables the fonts, proxy, telemetry and assistant of Scalar's vendor. */
function options(): object {
  const { pageKey } = config
  const filled = pageKey === null ? {} : { [FILLED_SCHEME]: { value: pageKey } }
  return {
    theme: 'none',
    withDefaultFonts: false,
    telemetry: false,
    proxyUrl: '',
    agent: { disabled: true },
    mcp: { disabled: true },
    hideClientButton: true,
    showDeveloperTools: 'never',
    documentDownloadType: 'none',
    defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
    hideModels: true,
    defaultOpenFirstTag: false,
    orderSchemaPropertiesBy: 'preserve',
    persistAuth: false,
    authentication: { securitySchemes: filled },
  }
}

const root = document.getElementById('root')
if (root !== null) {
  adoptStyles()
  authenticateFetch(() => !isWithholding())
  showPageAccess()
  start(root).catch((error: unknown) => {
    const text = document.createElement('p')
    text.className = 'loading'
    text.setAttribute('role', 'alert')
    text.textContent = `The documentation could not be loaded: ${error instanceof Error ? error.message : error}. Reload the page.`
    root.replaceChildren(text)
  })
}
