import { escapeHtml } from '../../core/escape-html.js'
import { GRAPHQL_PATH, STATUS_PATH } from '../paths.js'
import { DOCS_PATH, FULL_OPENAPI_PATH, GUIDES_PATH, OPENAPI_PATH, PRODUCT } from './page-paths.js'

const LOGO =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#0b5cad"/><path d="M6 22l6-7 5 4 9-11" fill="none" stroke="#fff" stroke-width="3" stroke-linecap="round" stroke-linejoin="round"/></svg>'

/** The logo as the address of an image. */
export const LOGO_URL = `data:image/svg+xml,${encodeURIComponent(LOGO)}`

type Link = readonly [path: string, title: string]

/** The entries of the header that run GraphQL documents of the portal. */
const EXPLORERS: readonly Link[] = [
  ['/assets', 'Assets'],
  ['/currencies', 'Currencies'],
  ['/macro', 'Macro series'],
  ['/screening', 'Screening'],
]

/** The entries of the footer that run GraphQL documents of the portal. */
const MORE_EXPLORERS: readonly Link[] = [
  ['/data', 'Datasets'],
  ['/changes', 'Changes'],
]

const DOCUMENTS: readonly Link[] = [
  [GUIDES_PATH, 'Guides'],
  [DOCS_PATH, 'REST'],
  [GRAPHQL_PATH, 'GraphQL'],
  [OPENAPI_PATH, 'OpenAPI'],
  [FULL_OPENAPI_PATH, 'OpenAPI for clients'],
]

/** What the header and the footer of a page depend on. */
export interface FrameOptions {
  readonly version: string
  /** Whether only trusted documents run. The frame then omits the pages that need others. */
  readonly isTrustedOnly: boolean
}

/** The header of every page. The script of the frame adds the search and marks the entry of the page. */
export function pageHeader({ isTrustedOnly }: FrameOptions): string {
  const entries: readonly Link[] = [...(isTrustedOnly ? [] : EXPLORERS), [GUIDES_PATH, 'Docs']]
  return `<a class="skip" href="#content">Skip to content</a>
<header class="bar"><a class="brand" href="/">${LOGO.replace('<svg', '<svg aria-hidden="true"')}<span>${PRODUCT}</span></a>
<nav id="menu" aria-label="Main" popover>${links(entries)}</nav>
<div class="slot" id="search"></div><a class="account" href="/account" id="account">Sign in</a><button class="menu" type="button" popovertarget="menu">Menu</button></header>`
}

/** The footer of every page but GraphiQL. */
export function pageFooter({ version, isTrustedOnly }: FrameOptions): string {
  const explorers = isTrustedOnly ? [] : MORE_EXPLORERS
  const entries: readonly Link[] = [...explorers, [STATUS_PATH, 'Status'], ...DOCUMENTS.slice(0, 4)]
  const trusted = isTrustedOnly ? ' GraphQL runs trusted documents only.' : ''
  return `<footer class="foot"><nav aria-label="More">${links(entries)}</nav><p>Version ${escapeHtml(version)}.${trusted} Times are UTC. <span id="quota" role="status"></span></p></footer>`
}

/** Links between the forms of the documentation; `current` is the path of the page, `note` follows the links. */
export function documentLinks(current: string, note = ''): string {
  return `<nav aria-label="Documentation">${links(DOCUMENTS, current)}${note}</nav>`
}

function links(entries: readonly Link[], current?: string): string {
  return entries
    .map(([path, title]) => `<a href="${path}"${path === current ? ' aria-current="page"' : ''}>${title}</a>`)
    .join('')
}
