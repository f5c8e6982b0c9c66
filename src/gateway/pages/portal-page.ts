import { escapeHtml } from '../../core/escape-html.js'
import { fullTextOf, MACRO_PUBLISHERS, publishersText } from '../../core/providers.js'
import { FOREX_BASE, FOREX_CURRENCIES } from '../../domains/forex/model.js'
import { SCOPE_NAMES, SCOPES } from '../../policy/scopes.js'
import { GRAPHQL_PATH, STATUS_PATH } from '../paths.js'
import { ASSET_PATHS, type PortalPageName, portalImports } from './page-assets.js'
import {
  configBlock,
  DOCS_PATH,
  type Guide,
  guidePath,
  htmlPage,
  OPENAPI_PATH,
  PRODUCT,
} from './page-html.js'

interface PortalPage {
  readonly path: string
  /** The script that draws the page. */
  readonly module: PortalPageName
  readonly title: string
  readonly description: string
}

/** The pages of the portal with a fixed path. `parsePageRoute` in src/portal/location.ts knows the same paths. */
const FIXED_PAGES = [
  {
    path: '/',
    module: 'overview-page',
    title: PRODUCT,
    description: 'Market data through GraphQL and REST that says where it comes from and how fresh it is.',
  },
  {
    path: '/assets',
    module: 'assets-page',
    title: 'Assets',
    description: 'All crypto assets, stocks, ETFs and commodities with price, market value and age.',
  },
  {
    path: '/currencies',
    module: 'currencies-page',
    title: 'Currencies',
    description:
      'Convert between currencies, chart any pair, compare up to six currencies, and see when rates were published.',
  },
  {
    path: '/macro',
    module: 'macro-page',
    title: 'Macro series',
    description: `Series of ${publishersText(fullTextOf)}, with what was known when.`,
  },
  {
    path: '/screening',
    module: 'screening-page',
    title: 'Screening',
    description: 'Check up to 50 LEIs against sanctions lists.',
  },
  {
    path: '/data',
    module: 'data-page',
    title: 'Data freshness',
    description: 'The age, sources and next refresh of every dataset, and which are late.',
  },
  {
    path: '/changes',
    module: 'change-feed-page',
    title: 'Changes',
    description: 'What changed in the analyses of assets, and why.',
  },
  {
    path: STATUS_PATH,
    module: 'data-page',
    title: 'Status',
    description: 'Which datasets are late, and why. Programs get the same as JSON here.',
  },
  {
    path: '/account',
    module: 'account-page',
    title: 'Account',
    description: 'Sign in, manage API keys and see your usage.',
  },
] as const satisfies readonly PortalPage[]

/** `/assets/bitcoin` or `/snapshots/<UUID>`. */
const NAMED_PATH = /^\/(?:(assets)\/[a-z0-9-]{1,100}|(snapshots)\/[0-9a-f-]{36})$/

/** Pages whose path ends in a name. The script replaces the title by that of what it shows. */
const NAMED_PAGES = [
  {
    path: 'assets',
    module: 'asset-page',
    title: 'Asset',
    description: 'Price, history and evidence of one asset.',
  },
  {
    path: 'snapshots',
    module: 'snapshot-check-page',
    title: 'Analysis',
    description: 'One analysis, and the proof that it has not been changed.',
  },
] as const satisfies readonly PortalPage[]

/** Which of the portal's pages a path shows; null for every other path. */
export function parsePortalPath(path: string): string | null {
  if (FIXED_PATHS.has(path)) return path
  const [, assets, snapshots] = NAMED_PATH.exec(path) ?? []
  return assets ?? snapshots ?? null
}

const FIXED_PATHS: ReadonlySet<string> = new Set(FIXED_PAGES.map(({ path }) => path))

export interface PortalPageOptions {
  /** Key that the portal uses while nobody is signed in. Null without one. */
  readonly pageKey: string | null
  readonly isDemoKey: boolean
  readonly version: string
  /** Whether only trusted documents run. The first page of the portal then omits the parts that need GraphQL. */
  readonly isTrustedOnly: boolean
  readonly guides: readonly Guide[]
}

/** The HTML of each page of the portal, by what `parsePortalPath` returns. */
export function portalPages(options: PortalPageOptions): ReadonlyMap<string, string> {
  const body = portalBody(options)
  return new Map(
    [...FIXED_PAGES, ...NAMED_PAGES].map(({ path, module, title, description }) => [
      path,
      htmlPage(title === PRODUCT ? PRODUCT : `${title}: ${PRODUCT}`, {
        description,
        styles: [ASSET_PATHS.portalStyle],
        scripts: [],
        module: { path: ASSET_PATHS.portalScript, imports: portalImports(module) },
        body,
      }),
    ]),
  )
}

/** What every page of the portal holds: its configuration, and links for visitors without JavaScript. */
function portalBody({ pageKey, isDemoKey, version, isTrustedOnly, guides }: PortalPageOptions): string {
  const config = {
    pageKey,
    isDemoKey,
    version,
    isTrustedOnly,
    pages: FIXED_PAGES.map(({ path, title, description }) => ({ path, title, description })),
    currencies: [{ code: FOREX_BASE, name: 'Euro' }, ...FOREX_CURRENCIES],
    macroPublishers: MACRO_PUBLISHERS.map(({ id, name, shortName = name, path, seriesIds }) => ({
      id,
      name,
      shortName,
      path,
      hasSeriesIds: seriesIds !== undefined,
    })),
    guides: guides.map((guide) => ({ path: guidePath(guide), title: guide.title })),
    scopes: SCOPE_NAMES.flatMap((name) => {
      const { from, opens } = SCOPES[name]
      return from === null ? [] : [{ name, from, opens }]
    }),
  }
  return `<div id="root"><main><h1>${PRODUCT}</h1><p>Version ${escapeHtml(version)}. Market data through GraphQL and REST, on the same resolvers.</p>
<ul><li><a href="${DOCS_PATH}">REST documentation</a></li><li><a href="${OPENAPI_PATH}">OpenAPI document</a></li><li><a href="${GRAPHQL_PATH}">GraphQL</a>${isTrustedOnly ? ', trusted documents only' : ''}</li></ul></main></div>${configBlock(config)}`
}

/** The 404 page for browsers, without scripts. */
export function unknownPage(): string {
  return htmlPage(`${PRODUCT}: page not found`, {
    styles: [ASSET_PATHS.portalStyle],
    scripts: [],
    body: `<main><h1>Page not found</h1><p>Go to <a href="/">the overview</a> or search <a href="/docs">the REST reference</a>.</p></main>`,
  })
}
