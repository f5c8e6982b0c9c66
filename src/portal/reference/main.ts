import './style.css'
import { adoptStyles } from './adopted-styles.js'
import { keepNamesMended } from './mended-names.js'
import { FILLED_SCHEME, type OpenApiView, preparedDocument, requestReads } from './prepared-document.js'

/** What the gateway writes into the page. */
interface ReferenceConfig {
  readonly openApiPath: string
  /** Where Scalar's script is. */
  readonly scriptPath: string
  /** What the samples of the document ask. */
  readonly sampleUrl: string
  /** Authorises trials of what only reads; null outside development. */
  readonly developmentKey: string | null
}

interface ScalarWindow {
  readonly Scalar: { createApiReference(element: Element, configuration: object): unknown }
}

const config: ReferenceConfig = JSON.parse(document.getElementById('config')?.textContent ?? '')

async function start(root: HTMLElement): Promise<void> {
  const [content] = await Promise.all([preparedOpenApi(), loadScalar()])
  root.replaceChildren()
  keepNamesMended(root)
  const { Scalar } = window as unknown as ScalarWindow // made by its script
  Scalar.createApiReference(root, { content, ...options(), onBeforeRequest: mended(content) })
}

async function preparedOpenApi(): Promise<OpenApiView> {
  const response = await fetch(config.openApiPath)
  if (!response.ok) throw new Error(`${config.openApiPath} answered ${response.status}`)
  const { sampleUrl, developmentKey } = config
  const hasSharedKey = developmentKey !== null
  return preparedDocument(await response.json(), { sampleUrl, origin: location.origin, hasSharedKey })
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

/** What Scalar would send, put right. */
function mended(content: OpenApiView): (sent: { request: Request }) => void {
  const withhold = withholdKey(content)
  return (sent) => {
    withhold(sent)
    // It asks for the first type of the document, which is that of dry runs where a success has no body or is a 201.
    sent.request.headers.set('Accept', '*/*')
  }
}

/** Scalar gives what is filled in to operations that name another scheme too, so the key is taken back from changes. */
function withholdKey(content: OpenApiView): (sent: { request: Request }) => void {
  return ({ request }) => {
    const isShared = request.headers.get('X-API-Key') === config.developmentKey
    if (isShared && !requestReads(content, request.method, new URL(request.url).pathname))
      request.headers.delete('X-API-Key')
  }
}

/** Nothing but this gateway is asked: no fonts, proxy, telemetry or assistant of Scalar's maker. */
function options(): object {
  const { developmentKey } = config
  const filled = developmentKey === null ? {} : { [FILLED_SCHEME]: { value: developmentKey } }
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
    hiddenClients: true,
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
  start(root).catch((error: unknown) => {
    const text = document.createElement('p')
    text.className = 'loading'
    text.setAttribute('role', 'alert')
    text.textContent = `The documentation could not be loaded: ${error instanceof Error ? error.message : error}.`
    root.replaceChildren(text)
  })
}
