/** The configuration that the gateway embeds in the page. */
export interface ExplorerConfig {
  /** Fills the headers box. Null without a key. */
  readonly pageKey: string | null
  /** Path of the list of published operations. */
  readonly operationsPath: string
  /** Scripts of the editor's workers by name. */
  readonly workers: Readonly<Record<string, string>>
  readonly options: { readonly defaultHeaders: string }
}

/** A tab as GraphiQL stores it. */
interface StoredTab {
  readonly query?: string | null
  readonly variables?: string | null
  readonly headers?: string | null
}

/** The globals that the scripts of GraphiQL and its editor read and write. */
interface GraphiqlWindow {
  MonacoEnvironment?: object
  readonly YogaGraphiQL: { renderYogaGraphiQL(element: Element, options: object): void }
}

/**
 * Starts GraphiQL. Headers survive a reload only in development, or if the user enables it. Stored tabs may contain the
 * development key of an earlier data directory; the current key replaces it.
 */
export function startGraphiql({ workers, pageKey, options }: ExplorerConfig): void {
  const root = document.getElementById('root')
  if (root === null) return
  const scope = window as unknown as GraphiqlWindow // GraphiQL's script defines the globals
  scope.MonacoEnvironment = {
    globalAPI: false,
    getWorkerUrl: (_module: string, label: string) => workers[label],
  }
  if (pageKey !== null) replaceEarlierKey(pageKey)
  const stored = localStorage.getItem('graphiql:shouldPersistHeaders')
  const keepsHeaders = (stored ?? String(pageKey !== null)) === 'true'
  scope.YogaGraphiQL.renderYogaGraphiQL(root, {
    ...options,
    ...storedTabOptions(keepsHeaders, options.defaultHeaders),
    shouldPersistHeaders: keepsHeaders || undefined, // undefined lets the user decide; false would hide the setting
  })
}

function replaceEarlierKey(pageKey: string): void {
  const earlier = localStorage.getItem('mdg:development-key')
  for (const entry of ['graphiql:tabState', 'graphiql:headers']) {
    const kept = localStorage.getItem(entry)
    if (earlier && kept) localStorage.setItem(entry, kept.replaceAll(earlier, pageKey))
  }
  localStorage.setItem('mdg:development-key', pageKey)
}

/**
 * GraphiQL compares query, variables and headers with its stored tabs and opens a new tab if they differ. Passing the
 * stored values reopens the stored tab.
 */
function storedTabOptions(keepsHeaders: boolean, defaultHeaders: string): object {
  const tab = loadActiveTab()
  const linked = new URL(location.href).searchParams.get('query')
  if (tab === undefined || (linked !== null && linked !== tab.query))
    return { initialHeaders: defaultHeaders }
  const initialHeaders = tab.headers ?? (keepsHeaders ? '' : defaultHeaders)
  return { query: tab.query ?? '', variables: tab.variables ?? '', initialHeaders }
}

function loadActiveTab(): StoredTab | undefined {
  try {
    const { tabs, activeTabIndex } = JSON.parse(localStorage.getItem('graphiql:tabState') ?? '')
    return tabs[activeTabIndex]
  } catch {
    return undefined // GraphiQL has stored no tabs yet
  }
}
