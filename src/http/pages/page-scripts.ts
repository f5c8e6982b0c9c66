/**
 * Starts GraphiQL. It stores headers over a reload only in development, or where the user turns it on. Tabs stored for an
 * earlier data directory have its development key; the current key replaces it. GraphiQL finds the tab to continue with by
 * comparing query, variables and headers, and opens another when they differ: so it gets the stored ones.
 */
export const GRAPHIQL_SCRIPT = `
const { workers, developmentKey, options } = JSON.parse(document.getElementById('config').textContent)
self.MonacoEnvironment = { globalAPI: false, getWorkerUrl: (_module, label) => workers[label] }

function replaceEarlierKey() {
  const earlier = localStorage.getItem('mdg:development-key')
  for (const entry of ['graphiql:tabState', 'graphiql:headers']) {
    const kept = localStorage.getItem(entry)
    if (earlier && kept) localStorage.setItem(entry, kept.replaceAll(earlier, developmentKey))
  }
  localStorage.setItem('mdg:development-key', developmentKey)
}

function keptTab() {
  try {
    const { tabs, activeTabIndex } = JSON.parse(localStorage.getItem('graphiql:tabState'))
    return tabs[activeTabIndex]
  } catch {
    return undefined // nothing kept yet
  }
}

if (developmentKey) replaceEarlierKey()
const keepsHeaders = (localStorage.getItem('graphiql:shouldPersistHeaders') ?? String(developmentKey !== null)) === 'true'
const tab = keptTab()
const linked = new URL(location.href).searchParams.get('query')
const start =
  tab && (linked === null || linked === tab.query)
    ? { query: tab.query ?? '', variables: tab.variables ?? '', initialHeaders: tab.headers ?? (keepsHeaders ? '' : options.defaultHeaders) }
    : { initialHeaders: options.defaultHeaders }
YogaGraphiQL.renderYogaGraphiQL(document.getElementById('root'), {
  ...options,
  ...start,
  shouldPersistHeaders: keepsHeaders || undefined, // undefined leaves it to the visitor, false would hide the setting
})
`

/**
 * Look of our own pages around GraphiQL. GraphiQL leaves an offset on tabs that are there from the start,
 * and applies it to the tab that gets the focus: it would slip away from under the pointer and miss its first click.
 */
export const PAGE_STYLE = `
:root { color-scheme: light; font: 16px/1.5 system-ui, -apple-system, "Segoe UI", "Liberation Sans", sans-serif; }
body { margin: 0; color: #1b2330; background: #fff; }
a { color: #0b5cad; }
.bar { display: flex; flex-wrap: wrap; gap: .25rem 1.5rem; align-items: baseline; padding: .75rem 1.25rem; border-bottom: 1px solid #dde3ea; background: #f6f8fa; }
.bar strong { margin-right: auto; }
.landing { max-width: 42rem; margin: 4rem auto; padding: 0 1.25rem; }
.landing dt { font-weight: 600; margin-top: 1rem; }
.landing dd { margin: 0; }
.guide { display: grid; grid-template-columns: 14rem minmax(0, 52rem); gap: 2rem; max-width: 72rem; margin: 1.5rem auto; padding: 0 1.25rem; }
.guide nav ul { list-style: none; margin: 0; padding: 0; }
.guide nav li { padding: .2rem 0; }
.guide [aria-current] { font-weight: 600; }
.guide h1 { margin-top: 0; }
.guide pre { padding: .75rem 1rem; overflow-x: auto; background: #f6f8fa; border: 1px solid #dde3ea; border-radius: 6px; font-size: .875rem; }
.guide table { display: block; overflow-x: auto; border-collapse: collapse; }
.guide th, .guide td { padding: .35rem .6rem; text-align: left; vertical-align: top; border: 1px solid #dde3ea; }
.guide code { overflow-wrap: anywhere; }
.guide td:first-child code { white-space: nowrap; }
.guide pre code { overflow-wrap: normal; }
@media (max-width: 48rem) { .guide { grid-template-columns: minmax(0, 1fr); } }
.loading { padding: 1.25rem; }
#root.explorer { height: 100vh; }
.graphiql-tab { transform: none !important; }
`
