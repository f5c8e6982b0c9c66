import { escapeHtml } from '../../core/escape-html.js'
import { GRAPHQL_PATH, OPERATIONS_PATH } from '../paths.js'
import type { FoundSection } from './guide-search.js'
import { ASSET_PATHS, FRAME_MODULE } from './page-assets.js'
import { EXAMPLE_OPERATIONS } from './page-examples.js'
import { documentLinks, type FrameOptions, LOGO_URL, pageFooter, pageHeader } from './page-frame.js'
import { DOCS_PATH, GUIDES_PATH, HEALTH_PATH, OPENAPI_PATH, PRODUCT } from './page-paths.js'

/** What the pages of the explorers depend on. */
interface ExplorerOptions extends FrameOptions {
  /** Key that fills the headers of GraphiQL. */
  readonly pageKey: string | null
  /** The configuration that all pages with a key hold. */
  readonly shared: object
}

/** The GraphQL explorer. `pageKey`, if given, is filled into its headers. */
export function graphiqlPage({ pageKey, shared, ...frame }: ExplorerOptions): string {
  const headers = JSON.stringify({ 'X-API-Key': pageKey ?? '' }, null, 2)
  const config = {
    ...shared,
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
    frame,
    hasFooter: false,
    styles: [ASSET_PATHS.graphiqlStyle, ASSET_PATHS.explorerStyle],
    scripts: [ASSET_PATHS.graphiqlScript, ASSET_PATHS.explorerScript],
    body: `<div class="docs tools">${documentLinks(GRAPHQL_PATH, ACCESS_NOTE)}
<form id="examples" aria-label="Published operations"><label for="find">Find</label><input id="find" type="search" maxlength="64" placeholder="inflation, price history" autocomplete="off" disabled><label for="example">Examples</label><select id="example" disabled><option value="">Loading…</option></select><button disabled>Open</button><p role="status"></p></form></div>
<main id="content"><h1 class="unseen">GraphQL</h1><div id="root"><p class="loading">Loading the GraphQL explorer…</p></div></main>${configBlock(config)}`,
  })
}

/** Filled with what authenticates the requests of an explorer. */
const ACCESS_NOTE = '<p id="access" role="status" hidden></p>'

/** Replaces the explorer if only trusted documents run, because the gateway would reject every document of a user. */
export function trustedOnlyPage({ config, ...frame }: KeylessOptions): string {
  return htmlPage(`${PRODUCT}: GraphQL`, {
    frame,
    styles: [ASSET_PATHS.portalStyle],
    scripts: [],
    body: `<div class="docs">${documentLinks(GRAPHQL_PATH)}</div>
<main id="content"><h1>GraphQL</h1><p>The explorer is off: this gateway runs only trusted documents, which are listed in its manifest (<code>TRUSTED_DOCUMENTS</code>). ${BY_HASH}</p></main>${configBlock(config)}`,
  })
}

/** How a client requests a document by its hash. */
const BY_HASH =
  'Clients send the SHA-256 of a document in <code>extensions</code>: <code>{"persistedQuery": {"version": 1, "sha256Hash": "…"}}</code>, by GET or POST.'

/** The REST documentation. The page's key, if there is one, authenticates the requests that a reader tries. */
export function docsPage({ shared, ...frame }: ExplorerOptions): string {
  const config = {
    ...shared,
    openApiPath: OPENAPI_PATH,
    operationsPath: OPERATIONS_PATH,
    scriptPath: ASSET_PATHS.scalarScript,
  }
  return htmlPage(`${PRODUCT}: REST`, {
    frame,
    styles: [ASSET_PATHS.referenceStyle],
    scripts: [ASSET_PATHS.referenceScript],
    body: `<div class="docs">${documentLinks(DOCS_PATH, ACCESS_NOTE)}</div>
<div id="content"><div id="root"><p class="loading">Loading the documentation…</p></div></div>${configBlock(config)}`,
  })
}

/** A guide that the build has rendered. */
export interface Guide {
  /** Last segment of its path. */
  readonly name: string
  /** The readers of the guide, which are a heading in the list of guides. */
  readonly reader: string
  readonly title: string
  /** What the reader will do, as one sentence; empty without one. */
  readonly summary: string
  /** The sections, as HTML. */
  readonly headings: readonly { readonly id: string; readonly html: string }[]
  /** HTML from Markdown of the repository; trusted, because the build renders it. */
  readonly html: string
}

export function guidePath({ name }: Pick<Guide, 'name'>): string {
  return `${GUIDES_PATH}/${name}`
}

/** The path of a document of the repository. */
export function documentPath({ name }: Pick<Guide, 'name'>): string {
  return `${DOCS_PATH}/${name}`
}

/** What pages depend on that contain no key. */
interface KeylessOptions extends FrameOptions {
  /** The configuration of all pages, without the key: scripts of other sites may read the guides. */
  readonly config: object
}

/** The URL of the gateway in the Markdown of the guides. */
const ADDRESS_IN_GUIDES = /\b(http|ws):\/\/127\.0\.0\.1:4000\b/g

/** The page of a guide, with a list of all guides by reader. Its examples call `publicUrl`. */
export function guidePage(
  guide: Guide,
  guides: readonly Guide[],
  publicUrl: string,
  options: KeylessOptions,
): string {
  const main = withPublicUrl(guide.html, escapeHtml(publicUrl))
  const text = withContents(main, guide)
  return guidesPage(guide.title, options, {
    path: guidePath(guide),
    content: `<div class="guide">${listOfGuides(guides, guide)}<main id="content">${text}${neighbours(guide, guides)}</main></div>`,
  })
}

/** The page of a document of the repository, beside the list of all guides. */
export function documentPage(document: Guide, guides: readonly Guide[], options: KeylessOptions): string {
  return guidesPage(document.title, options, {
    path: documentPath(document),
    content: `<div class="guide">${listOfGuides(guides, null)}<main id="content">${withContents(document.html, document)}</main></div>`,
  })
}

/** The page that lists all guides by reader, each with what it is for, and the documents. */
export function guideIndexPage(
  guides: readonly Guide[],
  documents: readonly Guide[],
  options: KeylessOptions,
): string {
  const more = documents
    .map((document) => `<a href="${documentPath(document)}">${document.title}</a>`)
    .join(', ')
  return guidesPage('Guides', options, {
    path: GUIDES_PATH,
    content: `<main id="content" class="guides"><h1>Guides</h1>${searchForm('')}${listOfGuides(guides, null, entryWithSummary)}
<p>Also: ${more}, <a href="${DOCS_PATH}">REST reference</a>.</p></main>`,
  })
}

/** The sections of the guides that a text finds. */
export function guideSearchPage(
  text: string,
  found: readonly FoundSection[],
  options: KeylessOptions,
): string {
  const entries = found.map(({ guide, heading, excerpt }) => {
    const path = heading === null ? guidePath(guide) : `${guidePath(guide)}#${heading.id}`
    const title = heading === null ? guide.title : `${guide.title}: ${heading.html}`
    return `<li><a href="${path}">${title}</a><p>${escapeHtml(excerpt)}</p></li>`
  })
  const list =
    entries.length > 0
      ? `<ul class="entries">${entries.join('\n')}</ul>`
      : `<p>No guide has all words of “${escapeHtml(text)}”. Try fewer words.</p>`
  return guidesPage(`Guides with “${escapeHtml(text)}”`, options, {
    path: GUIDES_PATH,
    content: `<main id="content" class="guides"><h1>Guides</h1>${searchForm(text)}${list}
<p><a href="${GUIDES_PATH}">All guides</a></p></main>`,
  })
}

/** Works without scripts. */
function searchForm(text: string): string {
  return `<form role="search" action="${GUIDES_PATH}"><input type="search" name="${SEARCH_PARAMETER}" aria-label="Words in the guides" placeholder="Words in the guides" maxlength="${MAX_GUIDE_SEARCH_LENGTH}" value="${escapeHtml(text)}" required><button>Find</button></form>`
}

export const SEARCH_PARAMETER = 'q'
export const MAX_GUIDE_SEARCH_LENGTH = 64

/** Puts the contents of a page after its title. Two sections need none. */
function withContents(html: string, { headings }: Guide): string {
  if (headings.length < MIN_CONTENTS) return html
  const entries = headings.map(({ id, html: text }) => `<li><a href="#${id}">${text}</a></li>`).join('')
  return html.replace(
    '</h1>',
    () => `</h1>\n<details class="contents"><summary>On this page</summary><ul>${entries}</ul></details>`,
  )
}

const MIN_CONTENTS = 3

/** The guides before and after, in the order of the list. */
function neighbours(guide: Guide, guides: readonly Guide[]): string {
  const at = guides.indexOf(guide)
  const link = (label: string, other: Guide | undefined) =>
    other === undefined
      ? '<span></span>'
      : `<a href="${guidePath(other)}"><span>${label}</span> ${other.title}</a>`
  return `<nav class="neighbours" aria-label="Neighbouring guides">${link('Previous:', guides[at - 1])}${link('Next:', guides[at + 1])}</nav>`
}

function guidesPage(
  title: string,
  { config, ...frame }: KeylessOptions,
  { path, content }: { readonly path: string; readonly content: string },
): string {
  return htmlPage(`${PRODUCT}: ${title}`, {
    frame,
    styles: [ASSET_PATHS.portalStyle],
    scripts: [],
    body: `<div class="docs">${documentLinks(path)}</div>
${content}${configBlock(config)}`,
  })
}

function listOfGuides(guides: readonly Guide[], current: Guide | null, entry = guideEntry): string {
  const readers = [...new Set(guides.map(({ reader }) => reader))]
  const lists = readers.map((reader) => {
    const entries = guides.filter((guide) => guide.reader === reader).map((guide) => entry(guide, current))
    return `<section><h2>${reader}</h2>\n<ul>${entries.join('\n')}</ul></section>`
  })
  return `<nav aria-label="Guides">${lists.join('\n')}</nav>`
}

function guideEntry(guide: Guide, current: Guide | null): string {
  return guide === current
    ? `<li aria-current="page">${guide.title}</li>`
    : `<li><a href="${guidePath(guide)}">${guide.title}</a></li>`
}

function entryWithSummary(guide: Guide): string {
  return `<li><a href="${guidePath(guide)}">${guide.title}</a> <span>${escapeHtml(guide.summary)}</span></li>`
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
  readonly frame: FrameOptions
  /** False for a page as high as the window. */
  readonly hasFooter?: boolean
  /** For search engines and previews of links. */
  readonly description?: string
  readonly styles: readonly string[]
  readonly scripts: readonly string[]
  /** Draws the page; the script of the frame by default. */
  readonly module?: PageModule
  readonly body: string
}

/** An ES module. */
export interface PageModule {
  readonly path: string
  /** What it imports: the browser loads these at the same time. */
  readonly imports: readonly string[]
}

/** Writes a whole page, which runs only the given scripts. */
export function htmlPage(title: string, page: Page): string {
  const { frame, hasFooter = true, description, styles, scripts, module = FRAME_MODULE, body } = page
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
${description === undefined ? '' : `<meta name="description" content="${escapeHtml(description)}">`}
<link rel="icon" href="${LOGO_URL}">
<link rel="preload" as="font" type="font/woff2" crossorigin href="${ASSET_PATHS.font}">
${styles.map((path) => `<link rel="stylesheet" href="${path}">`).join('\n')}
${scripts.map((path) => `<script defer src="${path}"></script>`).join('\n')}
${moduleTags(module)}
</head>
<body>
${pageHeader(frame)}
${body}
${hasFooter ? pageFooter(frame) : ''}
<noscript>${NO_SCRIPT}</noscript>
</body>
</html>
`
}

const NO_SCRIPT = 'The search and the data of the pages need JavaScript. The guides do not.'

function moduleTags({ path, imports }: PageModule): string {
  const preloads = imports.map((needed) => `<link rel="modulepreload" href="${needed}">`)
  return [`<script type="module" src="${path}"></script>`, ...preloads].join('\n')
}

/** Data for the start scripts. It is not executed, so the content security policy needs no inline scripts. */
export function configBlock(config: unknown): string {
  return `\n<script type="application/json" id="config">${JSON.stringify(config).replaceAll('<', '\\u003c')}</script>`
}
