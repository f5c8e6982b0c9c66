import { fullTextOf, MACRO_PUBLISHERS, publishersText } from '../../core/providers.js'
import { FOREX_BASE, FOREX_CURRENCIES } from '../../domains/forex/model.js'
import { SCOPE_NAMES, SCOPES } from '../../policy/scopes.js'
import type { ServedInterface } from '../compat/served-interfaces.js'
import { STATUS_PATH } from '../paths.js'
import { ASSET_PATHS, type PortalPageName, portalImports } from './page-assets.js'
import type { FrameOptions } from './page-frame.js'
import { configBlock, type Guide, guidePath, htmlPage } from './page-html.js'
import { DOCS_PATH, PRODUCT } from './page-paths.js'

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
    description: 'Check LEIs, ISINs, IMO numbers, wallets and registration numbers against sanctions lists.',
  },
  {
    path: '/data',
    module: 'data-page',
    title: 'Datasets',
    description:
      'What each dataset has, since when, how many rows, how fresh, under which terms, with columns and releases.',
  },
  {
    path: '/changes',
    module: 'change-feed-page',
    title: 'Changes',
    description: 'What changed in the analyses of assets, and why.',
  },
  {
    path: '/receipts',
    module: 'receipt-page',
    title: 'Receipts',
    description: 'Check whether a receipt belongs to an answer, and whether the same request still gives it.',
  },
  {
    path: STATUS_PATH,
    module: 'status-page',
    title: 'Status',
    description:
      'Whether the interfaces answer, which datasets are late, and the incidents of the last 90 days.',
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

export interface PortalPageOptions extends FrameOptions {
  /** Key that the portal uses while nobody is signed in. Null without one. */
  readonly pageKey: string | null
  readonly isDemoKey: boolean
  readonly guides: readonly Guide[]
  /** The compatible interfaces that are served. */
  readonly interfaces: readonly ServedInterface[]
}

/** The HTML of each page of the portal, by what `parsePortalPath` returns. */
export function portalPages(frame: FrameOptions, config: object): ReadonlyMap<string, string> {
  return new Map(
    [...FIXED_PAGES, ...NAMED_PAGES].map(({ path, module, title, description }) => [
      path,
      htmlPage(title === PRODUCT ? PRODUCT : `${title}: ${PRODUCT}`, {
        frame,
        description,
        styles: [ASSET_PATHS.portalStyle],
        scripts: [],
        module: { path: ASSET_PATHS.portalScript, imports: portalImports(module) },
        body: `<div id="root"><main id="content"><h1>${title}</h1><p>${description}</p></main></div>${configBlock(config)}`,
      }),
    ]),
  )
}

/** The configuration that every page with a key holds, for the portal and for the search of all pages. */
export function portalConfig({
  pageKey,
  isDemoKey,
  isTrustedOnly,
  guides,
  interfaces,
}: PortalPageOptions): object {
  return {
    pageKey,
    isDemoKey,
    isTrustedOnly,
    pages: FIXED_PAGES.map(({ path, title, description }) => ({ path, title, description })),
    currencies: [{ code: FOREX_BASE, name: 'Euro' }, ...FOREX_CURRENCIES],
    macroPublishers: MACRO_PUBLISHERS.map(({ id, name, shortName = name }) => ({ id, name, shortName })),
    interfaces,
    guides: guides.map((guide) => ({ path: guidePath(guide), title: guide.title })),
    scopes: SCOPE_NAMES.flatMap((name) => {
      const { from, opens } = SCOPES[name]
      return from === null ? [] : [{ name, from, opens }]
    }),
  }
}

/** The 404 page for browsers. */
export function unknownPage(frame: FrameOptions, config: object): string {
  return htmlPage(`${PRODUCT}: page not found`, {
    frame,
    styles: [ASSET_PATHS.portalStyle],
    scripts: [],
    body: `<main id="content"><h1>Page not found</h1><p>Search above, or go to <a href="/">the overview</a>, <a href="/assets">all assets</a> or <a href="${DOCS_PATH}">the REST reference</a>.</p></main>${configBlock(config)}`,
  })
}
