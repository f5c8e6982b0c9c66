import { escapeHtml } from '../../core/escape-html.js'
import { SCOPE_NAMES, SCOPES } from '../../policy/scopes.js'
import { GRAPHQL_PATH } from '../paths.js'
import { ASSET_PATHS } from './page-assets.js'
import {
  configBlock,
  DOCS_PATH,
  type Guide,
  guidePath,
  htmlPage,
  OPENAPI_PATH,
  PRODUCT,
} from './page-html.js'

/** Paths of the portal's pages; `placeOf` in src/portal/location.ts parses them. */
const PORTAL_PATH = /^\/(?:account|assets\/[a-z0-9-]{1,100}|snapshots\/[0-9a-f-]{36})?$/

export function isPortalPath(path: string): boolean {
  return PORTAL_PATH.test(path)
}

export interface PortalPageOptions {
  /** Key that the portal uses; null outside development. */
  readonly developmentKey: string | null
  readonly version: string
  /** Whether only trusted documents run. The first page of the portal then omits the parts that need GraphQL. */
  readonly isTrustedOnly: boolean
  readonly guides: readonly Guide[]
}

/** The page of the portal. Without JavaScript it shows links. */
export function portalPage({ developmentKey, version, isTrustedOnly, guides }: PortalPageOptions): string {
  const config = {
    developmentKey,
    version,
    isTrustedOnly,
    guides: guides.map((guide) => ({ path: guidePath(guide), title: guide.title })),
    scopes: SCOPE_NAMES.flatMap((name) => {
      const { from, opens } = SCOPES[name]
      return from === null ? [] : [{ name, from, opens }]
    }),
  }
  return htmlPage(PRODUCT, {
    styles: [ASSET_PATHS.portalStyle],
    scripts: [ASSET_PATHS.portalScript],
    body: `<div id="root"><main><h1>${PRODUCT}</h1><p>Version ${escapeHtml(version)}. Market data through GraphQL and REST, on the same resolvers.</p>
<ul><li><a href="${DOCS_PATH}">REST documentation</a></li><li><a href="${OPENAPI_PATH}">OpenAPI document</a></li><li><a href="${GRAPHQL_PATH}">GraphQL</a>${isTrustedOnly ? ', trusted documents only' : ''}</li></ul></main></div>${configBlock(config)}`,
  })
}

/** The 404 page for browsers, without scripts. */
export function unknownPage(): string {
  return htmlPage(`${PRODUCT}: page not found`, {
    styles: [ASSET_PATHS.portalStyle],
    scripts: [],
    body: `<main><h1>Page not found</h1><p>Go to <a href="/">the overview</a> or search <a href="/docs">the REST reference</a>.</p></main>`,
  })
}
