import { GUIDES } from '../../generated/page-assets/guides.js'
import type { Exchange } from '../../platform/request/exchange.js'
import type { OpenSite } from '../pipeline.js'
import { isReadMethod } from '../read-method.js'
import { pageAssets } from './page-assets.js'
import {
  DOCS_PATH,
  docsPage,
  graphiqlPage,
  guidePage,
  guidePath,
  landingJson,
  landingPage,
  OPENAPI_PATH,
  trustedOnlyPage,
} from './page-html.js'
import { type StaticFile, serveFile, textFile } from './static-files.js'

export interface PagesOptions {
  readonly graphqlPath: '/graphql'
  /** The OpenAPI document as JSON text. Called once, by the first request that needs it. */
  readonly openApi: () => string
  /** Put into the explorers so that they work at once. Null outside development: pages are open to everybody. */
  readonly developmentKey: string | null
  /** Only trusted documents run, so the GraphQL explorer says why it is off. */
  readonly isTrustedOnly: boolean
  readonly version: string
}

/** Nothing but this origin: inline styles are what the editor and Swagger UI set, fonts are inside the style sheet. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'self'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self' data:",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

const DOCUMENT_HEADERS = {
  'cache-control': 'no-cache', // keep, but ask with the ETag
  'referrer-policy': 'no-referrer',
}
const PAGE_HEADERS = {
  ...DOCUMENT_HEADERS,
  'content-security-policy': CONTENT_SECURITY_POLICY,
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'x-frame-options': 'DENY', // frame-ancestors, for what does not know it
}
/** For paths that answer browsers and programs differently. */
const BY_ACCEPT = { vary: 'Accept, Accept-Encoding' }

/** Serves the pages people explore with: landing page, GraphiQL, REST documentation. Everything comes from here. */
export function pages(options: PagesOptions): OpenSite {
  const files = pagesOf(options)
  return (exchange) => {
    const choose = files.get(exchange.path)
    if (choose === undefined || !isReadMethod(exchange.method)) return null
    const file = choose(exchange)
    return file === null ? null : serveFile(file, exchange)
  }
}

/** Which file a path gives for a request; null where it is not a page that is wanted. */
type Choose = (exchange: Exchange) => StaticFile | null

function pagesOf(options: PagesOptions): ReadonlyMap<string, Choose> {
  const { developmentKey, isTrustedOnly, version } = options
  const page = (text: string, headers = {}) =>
    textFile('text/html; charset=utf-8', text, { ...PAGE_HEADERS, ...headers })
  const json = (text: string, headers = {}) =>
    textFile('application/json', text, { ...DOCUMENT_HEADERS, ...headers })
  const graphiql = page(isTrustedOnly ? trustedOnlyPage() : graphiqlPage(developmentKey), BY_ACCEPT)
  const docs = page(docsPage(developmentKey))
  const landing = {
    html: page(landingPage(version, isTrustedOnly, GUIDES), BY_ACCEPT),
    json: json(landingJson(version), BY_ACCEPT),
  }
  let openApi: StaticFile | undefined
  const pages: readonly (readonly [string, Choose])[] = [
    ['/', (exchange) => (prefersHtml(exchange) ? landing.html : landing.json)],
    [
      options.graphqlPath,
      (exchange) => (prefersHtml(exchange) && !isForeignFetch(exchange) ? graphiql : null),
    ],
    [DOCS_PATH, (exchange) => (isForeignFetch(exchange) ? null : docs)],
    [OPENAPI_PATH, () => (openApi ??= json(options.openApi()))],
  ]
  const assets = [...pageAssets()].map(([path, file]) => [path, always(file)] as const)
  const guides = GUIDES.map((guide) => [guidePath(guide), always(page(guidePage(guide, GUIDES)))] as const)
  return new Map([...pages, ...guides, ...assets])
}

function always(file: StaticFile): Choose {
  return () => file
}

/** True for scripts of other sites. CORS is open, so they would read the development key out of the page. */
function isForeignFetch(exchange: Exchange): boolean {
  const site = exchange.header('sec-fetch-site') // absent outside browsers
  return exchange.header('sec-fetch-mode') === 'cors' && (site === 'cross-site' || site === 'same-site')
}

/** True for browsers: text/html is named, and no JSON is wanted as much. */
function prefersHtml(exchange: Exchange): boolean {
  const accept = exchange.header('accept') ?? ''
  const html = qualityOf(accept, /^text\/html$/)
  return html > 0 && html > qualityOf(accept, /^application\/([\w.-]+\+)?json$/)
}

/** Highest weight that an Accept header gives a media type by name; 0 where it is not named. */
function qualityOf(accept: string, type: RegExp): number {
  const weights = accept.split(',').map((entry) => {
    const [name = '', ...parameters] = entry.split(';').map((part) => part.trim().toLowerCase())
    if (!type.test(name)) return 0
    const weight = parameters.find((parameter) => parameter.startsWith('q='))
    return weight === undefined ? 1 : Number(weight.slice(2)) || 0
  })
  return Math.max(0, ...weights)
}
