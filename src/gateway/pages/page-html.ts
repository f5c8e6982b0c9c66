import { escapeHtml } from '../../core/escape-html.js'
import { GRAPHQL_PATH, OPERATIONS_PATH } from '../paths.js'
import { ASSET_PATHS } from './page-assets.js'
import { EXAMPLE_OPERATIONS } from './page-examples.js'

/** The name of the gateway in the pages. */
export const PRODUCT = 'Market Data Gateway'
export const DOCS_PATH = '/docs'
export const OPENAPI_PATH = '/openapi.json'
/** The document for generated clients. */
export const FULL_OPENAPI_PATH = '/openapi-full.json'
export const HEALTH_PATH = '/healthz'

const LOGO =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32" width="28" height="28"><rect width="32" height="32" rx="7" fill="#0b5cad"/><path d="M6 22l6-7 5 4 9-11" fill="none" stroke="#fff" stroke-width="3" stroke-linecap="round" stroke-linejoin="round"/></svg>'

/** The key that a page uses while nobody is signed in, and whether it is the demo key. */
interface PageKey {
  readonly pageKey: string | null
  readonly isDemoKey: boolean
}

/** The GraphQL explorer. `pageKey`, if given, is filled into its headers. */
export function graphiqlPage({ pageKey, isDemoKey }: PageKey): string {
  const headers = JSON.stringify({ 'X-API-Key': pageKey ?? '' }, null, 2)
  const config = {
    pageKey,
    isDemoKey,
    operationsPath: OPERATIONS_PATH,
    workers: {
      editorWorkerService: ASSET_PATHS.editorWorker,
      json: ASSET_PATHS.jsonWorker,
      graphql: ASSET_PATHS.graphqlWorker,
    },
    options: {
      endpoint: GRAPHQL_PATH,
      title: PRODUCT,
      defaultHeaders: headers,
      defaultTabs: EXAMPLE_OPERATIONS.map((query) => ({ query, headers })),
      defaultEditorToolsVisibility: 'headers',
    },
  }
  return htmlPage(`${PRODUCT}: GraphQL`, {
    styles: [ASSET_PATHS.graphiqlStyle, ASSET_PATHS.explorerStyle],
    scripts: [ASSET_PATHS.graphiqlScript, ASSET_PATHS.explorerScript],
    body: `<header class="bar"><a class="product" href="/">${PRODUCT}</a><h1>GraphQL</h1>
<form id="examples"><label for="find">Find</label><input id="find" type="search" maxlength="64" placeholder="inflation, price history" autocomplete="off" disabled><label for="example">Examples</label><select id="example" disabled><option value="">Loading…</option></select><button disabled>Open</button><p role="status"></p></form>
<nav aria-label="Documentation"><a href="${DOCS_PATH}">REST</a><a href="${guidePath({ name: 'first-requests' })}">Guides</a></nav></header>
<p id="access" role="status" hidden></p>
<main id="root"><p class="loading">Loading the GraphQL explorer…</p></main>${configBlock(config)}`,
  })
}

/** Replaces the explorer if only trusted documents run, because the gateway would reject every document of a user. */
export function trustedOnlyPage(): string {
  return htmlPage(`${PRODUCT}: GraphQL`, {
    styles: [ASSET_PATHS.style],
    scripts: [],
    body: `<main class="landing"><h1>GraphQL</h1><p>The explorer is off: this gateway runs only trusted documents, which are listed in its manifest (<code>TRUSTED_DOCUMENTS</code>). ${BY_HASH}</p>
<p><a href="${DOCS_PATH}">REST documentation</a></p></main>`,
  })
}

/** How a client requests a document by its hash. */
const BY_HASH =
  'Clients send the SHA-256 of a document in <code>extensions</code>: <code>{"persistedQuery": {"version": 1, "sha256Hash": "…"}}</code>, by GET or POST.'

/** The REST documentation. `pageKey`, if given, authenticates the requests that a reader tries. */
export function docsPage({ pageKey, isDemoKey }: PageKey): string {
  const config = {
    openApiPath: OPENAPI_PATH,
    operationsPath: OPERATIONS_PATH,
    scriptPath: ASSET_PATHS.scalarScript,
    pageKey,
    isDemoKey,
  }
  return htmlPage(`${PRODUCT}: REST`, {
    styles: [ASSET_PATHS.referenceStyle],
    scripts: [ASSET_PATHS.referenceScript],
    body: `<nav class="bar" aria-label="Documentation"><a class="product" href="/">${PRODUCT}</a><div><a href="${GRAPHQL_PATH}">GraphQL</a><a href="${guidePath({ name: 'first-requests' })}">Guides</a><a href="${OPENAPI_PATH}">OpenAPI</a><a href="${FULL_OPENAPI_PATH}">OpenAPI for clients</a></div></nav>
<p id="access" role="status" hidden></p>
<div id="root"><p class="loading">Loading the documentation…</p></div>${configBlock(config)}`,
  })
}

/** A guide that the build has rendered. */
export interface Guide {
  /** Last segment of its path. */
  readonly name: string
  /** The readers of the guide, which are a heading in the list of guides. */
  readonly reader: string
  readonly title: string
  /** HTML from Markdown of the repository; trusted, because the build renders it. */
  readonly html: string
}

export const GUIDES_PATH = `${DOCS_PATH}/guides`

export function guidePath({ name }: Pick<Guide, 'name'>): string {
  return `${GUIDES_PATH}/${name}`
}

/** The URL of the gateway in the Markdown of the guides. */
const ADDRESS_IN_GUIDES = /\b(http|ws):\/\/127\.0\.0\.1:4000\b/g

/** The page of a guide, with a list of all guides by reader. Its examples call `publicUrl`. */
export function guidePage(guide: Guide, guides: readonly Guide[], publicUrl: string): string {
  const main = withPublicUrl(guide.html, escapeHtml(publicUrl))
  return guidesPage(guide.title, `${listOfGuides(guides, guide)}<main>${main}</main>`)
}

/** The page that lists all guides by reader. */
export function guideIndexPage(guides: readonly Guide[]): string {
  return guidesPage('Guides', `<main><h1>Guides</h1>${listOfGuides(guides, null)}</main>`)
}

function guidesPage(title: string, content: string): string {
  return htmlPage(`${PRODUCT}: ${title}`, {
    styles: [ASSET_PATHS.style],
    scripts: [],
    body: `<nav class="bar"><strong>${PRODUCT}</strong><a href="${GRAPHQL_PATH}">GraphQL explorer</a><a href="${DOCS_PATH}">REST documentation</a><a href="${GUIDES_PATH}">Guides</a></nav>
<div class="guide">${content}</div>`,
  })
}

function listOfGuides(guides: readonly Guide[], current: Guide | null): string {
  const readers = [...new Set(guides.map(({ reader }) => reader))]
  const lists = readers.map((reader) => {
    const entries = guides
      .filter((guide) => guide.reader === reader)
      .map((guide) => guideEntry(guide, current))
    return `<h2>${reader}</h2>\n<ul>${entries.join('\n')}</ul>`
  })
  return `<nav aria-label="Guides">${lists.join('\n')}</nav>`
}

function guideEntry(guide: Guide, current: Guide | null): string {
  return guide === current
    ? `<li aria-current="page">${guide.title}</li>`
    : `<li><a href="${guidePath(guide)}">${guide.title}</a></li>`
}

/** Replaces the address in the examples of a guide by that of the gateway. */
export function withPublicUrl(text: string, publicUrl: string): string {
  return text.replaceAll(ADDRESS_IN_GUIDES, (_address, scheme: string) =>
    scheme === 'ws' ? publicUrl.replace(/^http/, 'ws') : publicUrl,
  )
}

/** The response to programs at the root: links to the parts of the API. */
export function landingJson(version: string): string {
  const links = { graphql: GRAPHQL_PATH, docs: DOCS_PATH, openapi: OPENAPI_PATH, health: HEALTH_PATH }
  return JSON.stringify({ name: PRODUCT, version, links })
}

interface Page {
  /** For search engines and previews of links. */
  readonly description?: string
  readonly styles: readonly string[]
  readonly scripts: readonly string[]
  readonly module?: PageModule
  readonly body: string
}

/** An ES module. */
interface PageModule {
  readonly path: string
  /** What it imports: the browser loads these at the same time. */
  readonly imports: readonly string[]
}

/** Writes a whole page, which runs only the given scripts. */
export function htmlPage(title: string, page: Page): string {
  const hasScript = page.scripts.length > 0 || page.module !== undefined
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
${page.description === undefined ? '' : `<meta name="description" content="${escapeHtml(page.description)}">`}
<link rel="icon" href="data:image/svg+xml,${encodeURIComponent(LOGO)}">
${page.styles.map((path) => `<link rel="stylesheet" href="${path}">`).join('\n')}
${page.scripts.map((path) => `<script defer src="${path}"></script>`).join('\n')}
${page.module === undefined ? '' : moduleTags(page.module)}
</head>
<body>
${page.body}
${hasScript ? '<noscript>This page needs JavaScript.</noscript>' : ''}
</body>
</html>
`
}

function moduleTags({ path, imports }: PageModule): string {
  const preloads = imports.map((needed) => `<link rel="modulepreload" href="${needed}">`)
  return [`<script type="module" src="${path}"></script>`, ...preloads].join('\n')
}

/** Data for the start scripts. It is not executed, so the content security policy needs no inline scripts. */
export function configBlock(config: unknown): string {
  return `\n<script type="application/json" id="config">${JSON.stringify(config).replaceAll('<', '\\u003c')}</script>`
}
