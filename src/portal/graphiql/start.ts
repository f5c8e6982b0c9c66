/** What the gateway writes into the page. */
export interface ExplorerConfig {
  /** Fills the headers box; null outside development. */
  readonly developmentKey: string | null
  /** Lists the published operations. */
  readonly operationsPath: string
  /** Scripts of the editor's workers, by their names. */
  readonly workers: Readonly<Record<string, string>>
  readonly options: { readonly defaultHeaders: string }
}

/** A tab as GraphiQL stores it. */
interface StoredTab {
  readonly query?: string | null
  readonly variables?: string | null
  readonly headers?: string | null
}

/** What the scripts of GraphiQL and its editor read and leave. */
interface GraphiqlWindow {
  MonacoEnvironment?: object
  readonly YogaGraphiQL: { renderYogaGraphiQL(element: Element, options: object): void }
}

/**
 * Starts GraphiQL. It stores headers over a reload only in development, or where the user turns it on. Tabs stored for an
 * earlier data directory have its development key; the current key replaces it.
 */
export function startGraphiql({ workers, developmentKey, options }: ExplorerConfig): void {
  const root = document.getElementById('root')
  if (root === null) return
  const scope = window as unknown as GraphiqlWindow // made by the script of GraphiQL
  scope.MonacoEnvironment = {
    globalAPI: false,
    getWorkerUrl: (_module: string, label: string) => workers[label],
  }
  if (developmentKey !== null) replaceEarlierKey(developmentKey)
  const stored = localStorage.getItem('graphiql:shouldPersistHeaders')
  const keepsHeaders = (stored ?? String(developmentKey !== null)) === 'true'
  scope.YogaGraphiQL.renderYogaGraphiQL(root, {
    ...options,
    ...continued(keepsHeaders, options.defaultHeaders),
    shouldPersistHeaders: keepsHeaders || undefined, // undefined leaves it to the user, false would hide the setting
  })
}

function replaceEarlierKey(developmentKey: string): void {
  const earlier = localStorage.getItem('mdg:development-key')
  for (const entry of ['graphiql:tabState', 'graphiql:headers']) {
    const kept = localStorage.getItem(entry)
    if (earlier && kept) localStorage.setItem(entry, kept.replaceAll(earlier, developmentKey))
  }
  localStorage.setItem('mdg:development-key', developmentKey)
}

/**
 * GraphiQL finds the tab to continue with by comparing query, variables and headers, and opens another when they differ:
 * so it gets the stored ones.
 */
function continued(keepsHeaders: boolean, defaultHeaders: string): object {
  const tab = keptTab()
  const linked = new URL(location.href).searchParams.get('query')
  if (tab === undefined || (linked !== null && linked !== tab.query))
    return { initialHeaders: defaultHeaders }
  const initialHeaders = tab.headers ?? (keepsHeaders ? '' : defaultHeaders)
  return { query: tab.query ?? '', variables: tab.variables ?? '', initialHeaders }
}

function keptTab(): StoredTab | undefined {
  try {
    const { tabs, activeTabIndex } = JSON.parse(localStorage.getItem('graphiql:tabState') ?? '')
    return tabs[activeTabIndex]
  } catch {
    return undefined // nothing kept yet
  }
}
