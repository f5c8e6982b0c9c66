import { loadSlugByTickerOrIsin } from '../../domains/assets/by-store.js'
import { DOCUMENTS, GUIDES } from '../../generated/page-assets/guides.js'
import type { PrismaModels } from '../../platform/database/prisma/prisma-models.js'
import type { Exchange, Reply } from '../../platform/request/exchange.js'
import { JSON_UTF8 } from '../../platform/request/json-type.js'
import type { ServedInterface } from '../compat/served-interfaces.js'
import { isForeignFetch } from '../http/identity/is-foreign-fetch.js'
import type { OpenSite } from '../http/pipeline.js'
import { isReadMethod } from '../http/read-method.js'
import { createGuideSearch } from './guide-search.js'
import { llmsFull, llmsIndex } from './llms-texts.js'
import { pageAssets } from './page-assets.js'
import {
  docsPage,
  documentPage,
  documentPath,
  graphiqlPage,
  guideIndexPage,
  guidePage,
  guidePath,
  guideSearchPage,
  landingJson,
  MAX_GUIDE_SEARCH_LENGTH,
  SEARCH_PARAMETER,
  trustedOnlyPage,
} from './page-html.js'
import { DOCS_PATH, FULL_OPENAPI_PATH, GUIDES_PATH, OPENAPI_PATH } from './page-paths.js'
import {
  type PortalPageOptions,
  parsePortalPath,
  portalConfig,
  portalPages,
  unknownPage,
} from './portal-page.js'
import { prefersHtml } from './prefers-html.js'
import { type StaticFile, serveFile, textFile } from './static-files.js'

export interface PagesOptions {
  readonly graphqlPath: '/graphql'
  /** The OpenAPI documents as JSON text. Each is called once, by the first request that needs it. */
  readonly openApi: Readonly<Record<'short' | 'full', () => Promise<string>>>
  /** URL that the examples in the guides call. */
  readonly sampleUrl: string
  /** Key that the pages use while nobody is signed in: the demo key or a development key. Null without either. */
  readonly pageKey: string | null
  readonly isDemoKey: boolean
  /** Whether only trusted documents run. The GraphQL page then says that the explorer is off. */
  readonly isTrustedOnly: boolean
  /** The compatible interfaces that are served. */
  readonly interfaces: readonly ServedInterface[]
  readonly version: string
}

/** Allows resources of this origin only. */
function contentSecurityPolicy(styles: string, formTargets = "'none'"): string {
  return [
    "default-src 'self'",
    "script-src 'self'",
    `style-src ${styles}`,
    "img-src 'self' data:",
    "font-src 'self' data:",
    "object-src 'none'",
    "base-uri 'none'",
    `form-action ${formTargets}`,
    "frame-ancestors 'none'",
  ].join('; ')
}

const DOCUMENT_HEADERS = {
  'cache-control': 'no-cache', // browsers keep a copy and revalidate it by ETag
  'referrer-policy': 'no-referrer',
}
const PAGE_HEADERS = {
  ...DOCUMENT_HEADERS,
  // GraphiQL's editor adds styles to the page, and its style sheets contain fonts.
  'content-security-policy': contentSecurityPolicy("'self' 'unsafe-inline'"),
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'x-frame-options': 'DENY', // for browsers that do not support frame-ancestors
}
const STRICT_STYLES = { 'content-security-policy': contentSecurityPolicy("'self'") }
/** For pages with the search of the guides. */
const SEARCH_FORM = { 'content-security-policy': contentSecurityPolicy("'self'", "'self'") }
const PORTAL_HEADERS = { ...PAGE_HEADERS, ...STRICT_STYLES }
/** For paths that respond differently to browsers and programs. */
const BY_ACCEPT = { vary: 'Accept' }

/** Serves the portal, GraphiQL, the REST documentation, the guides and all their files. */
export function pages(options: PagesOptions): OpenSite {
  const portal = portalOf(options)
  const files = pagesOf(options, portal)
  return (exchange) => {
    if (!isReadMethod(exchange.method)) return null
    const choose = files.get(exchange.path) ?? portal
    const file = choose(exchange)
    if (file === null) return null
    return file instanceof Promise
      ? file.then((loaded) => serveFile(loaded, exchange))
      : serveFile(file, exchange)
  }
}

/** Selects the file for a request; null if the request does not want a page. */
type Choose = (exchange: Exchange) => StaticFile | Promise<StaticFile> | null

function pagesOf(options: PagesOptions, portal: Choose): ReadonlyMap<string, Choose> {
  const { isTrustedOnly, version, sampleUrl } = options
  const page = (text: string, headers = {}) =>
    textFile('text/html; charset=utf-8', text, { ...PAGE_HEADERS, ...headers })
  const json = (text: string, headers = {}) => textFile(JSON_UTF8, text, { ...DOCUMENT_HEADERS, ...headers })
  const explorer = { ...options, shared: portalConfig({ ...options, guides: GUIDES }) }
  const keyless = { ...options, config: portalConfig({ ...options, pageKey: null, guides: GUIDES }) }
  const graphiql = page(isTrustedOnly ? trustedOnlyPage(keyless) : graphiqlPage(explorer), BY_ACCEPT)
  const docs = page(docsPage(explorer), STRICT_STYLES)
  const links = json(landingJson(version), BY_ACCEPT)
  const openApi = (form: 'short' | 'full'): Choose => {
    let file: Promise<StaticFile> | undefined
    return () => (file ??= options.openApi[form]().then((text) => json(text)))
  }
  const pages: readonly (readonly [string, Choose])[] = [
    ['/', (exchange) => portal(exchange) ?? links],
    [options.graphqlPath, (exchange) => (wantsPage(exchange) ? graphiql : null)],
    [DOCS_PATH, (exchange) => (isForeignFetch(exchange) ? null : docs)],
    [OPENAPI_PATH, openApi('short')],
    [FULL_OPENAPI_PATH, openApi('full')],
  ]
  const text = (body: string) => always(textFile('text/plain; charset=utf-8', body, DOCUMENT_HEADERS))
  const forModels = [
    ['/llms.txt', text(llmsIndex(GUIDES, sampleUrl))],
    ['/llms-full.txt', text(llmsFull(GUIDES, sampleUrl))],
  ] as const
  const assets = [...pageAssets()].map(([path, file]) => [path, always(file)] as const)
  const guides = GUIDES.map(
    (guide) => [guidePath(guide), always(page(guidePage(guide, GUIDES, sampleUrl, keyless)))] as const,
  )
  const documents = DOCUMENTS.map(
    (document) => [documentPath(document), always(page(documentPage(document, GUIDES, keyless)))] as const,
  )
  const list = page(guideIndexPage(GUIDES, DOCUMENTS, keyless), SEARCH_FORM)
  const index = [GUIDES_PATH, (exchange: Exchange) => (wantedWords(exchange) === '' ? list : null)] as const
  return new Map([...pages, index, ...guides, ...documents, ...forModels, ...assets])
}

/** The words that a reader looks for in the guides; empty without any. */
function wantedWords({ search }: Exchange): string {
  const text = new URLSearchParams(search).get(SEARCH_PARAMETER) ?? ''
  return text.trim().slice(0, MAX_GUIDE_SEARCH_LENGTH)
}

/** Serves the search of the list of guides. */
export function guideSearch(options: Omit<PortalPageOptions, 'guides'>): OpenSite {
  const keyless = { ...options, config: portalConfig({ ...options, pageKey: null, guides: GUIDES }) }
  const search = createGuideSearch(GUIDES)
  return (exchange) => {
    const words = wantedWords(exchange)
    if (exchange.path !== GUIDES_PATH || words === '' || !isReadMethod(exchange.method)) return null
    const html = guideSearchPage(words, search(words), keyless)
    return serveFile(
      textFile('text/html; charset=utf-8', html, { ...PAGE_HEADERS, ...SEARCH_FORM }),
      exchange,
    )
  }
}

/** The portal is for browsers only. Programs get the usual response at these paths. */
function portalOf(options: PagesOptions): Choose {
  const texts = portalPages(options, portalConfig({ ...options, guides: GUIDES }))
  const toFile = (html: string) =>
    textFile('text/html; charset=utf-8', html, { ...PORTAL_HEADERS, ...BY_ACCEPT })
  const files = new Map([...texts].map(([page, html]) => [page, toFile(html)]))
  return (exchange) => {
    const page = parsePortalPath(exchange.path)
    return page !== null && wantsPage(exchange) ? (files.get(page) ?? null) : null
  }
}

/** `/assets/AAPL`, `/assets/brk.b` or `/assets/US0378331005`. The portal has the paths that may be those of slugs. */
const TICKER_OR_ISIN_PATH = /^\/assets\/([A-Z0-9.-]{1,20})$/i

/**
 * Leads browsers from a ticker or an ISIN to the page of the asset, and serves them the 404 page at other paths. It must be the
 * last site; paths of REST never reach it.
 */
export function unknownPages(options: Omit<PortalPageOptions, 'guides'>, prisma: PrismaModels): OpenSite {
  const body = unknownPage(options, portalConfig({ ...options, guides: GUIDES }))
  const headers = Object.entries({
    ...PORTAL_HEADERS,
    ...BY_ACCEPT,
    'content-type': 'text/html; charset=utf-8',
  })
  const unknown: Reply = { status: 404, headers: headers.flat(), body }
  const toPage = async (tickerOrIsin: string): Promise<Reply> => {
    const slug = await loadSlugByTickerOrIsin(prisma, tickerOrIsin)
    if (slug === null) return unknown
    return {
      status: 302,
      headers: ['location', `/assets/${slug}`, ...Object.entries(BY_ACCEPT).flat()],
      body: '',
    }
  }
  return (exchange) => {
    if (!isReadMethod(exchange.method) || !wantsPage(exchange)) return null
    const name = TICKER_OR_ISIN_PATH.exec(exchange.path)?.[1]
    return name === undefined ? unknown : toPage(name.toUpperCase())
  }
}

function always(file: StaticFile): Choose {
  return () => file
}

/** Whether a browser opens the page. False for a script of another site: CORS is open, so it could read the key in the page. */
function wantsPage(exchange: Exchange): boolean {
  return prefersHtml(exchange) && !isForeignFetch(exchange)
}
