import type { JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { PageRoute } from './location.js'

function UnknownPage(): JSX.Element {
  return (
    <div class="intro">
      <h1>Page not found</h1>
      <p>
        Go to <a href="/">the overview</a> or search <a href="/docs">the REST reference</a>.
      </p>
    </div>
  )
}

/** Draws a page; `id` is empty unless the path of the page ends in a name. */
type DrawPage = (id: string) => JSX.Element

type PageName = PageRoute['page']

/** Each page has its own script, which the first visit loads. The file of a page is named after it: `<name>-page`. */
const LOADERS: Readonly<Record<PageName, () => Promise<DrawPage>>> = {
  overview: async () => {
    const { OverviewPage } = await import('./overview/overview-page.js')
    return () => <OverviewPage />
  },
  assets: async () => {
    const { AssetsPage } = await import('./assets/assets-page.js')
    return () => <AssetsPage />
  },
  asset: async () => {
    const { AssetPage } = await import('./assets/asset-page.js')
    return (id) => <AssetPage key={id} slug={id} />
  },
  currencies: async () => {
    const { CurrenciesPage } = await import('./currencies/currencies-page.js')
    return () => <CurrenciesPage />
  },
  macro: async () => {
    const { MacroPage } = await import('./macro/macro-page.js')
    return () => <MacroPage />
  },
  screening: async () => {
    const { ScreeningPage } = await import('./screening/screening-page.js')
    return () => <ScreeningPage />
  },
  data: async () => {
    const { DataPage } = await import('./data/data-page.js')
    return () => <DataPage />
  },
  status: async () => {
    const { StatusPage } = await import('./status/status-page.js')
    return () => <StatusPage />
  },
  'change-feed': async () => {
    const { ChangeFeedPage } = await import('./changes/change-feed-page.js')
    return () => <ChangeFeedPage />
  },
  receipt: async () => {
    const { ReceiptPage } = await import('./evidence/receipt-page.js')
    return () => <ReceiptPage />
  },
  account: async () => {
    const { AccountPage } = await import('./account/account-page.js')
    return () => <AccountPage />
  },
  'snapshot-check': async () => {
    const { SnapshotCheckPage } = await import('./evidence/snapshot-check-page.js')
    return (id) => <SnapshotCheckPage key={id} snapshotId={id} />
  },
  unknown: async () => () => <UnknownPage />,
}

const loaded = new Map<PageName, DrawPage>()

/** Loads the script of a page. Rejects if the script cannot be loaded: offline, or after an update of the gateway. */
export async function loadPage(name: PageName): Promise<void> {
  if (!loaded.has(name)) loaded.set(name, await LOADERS[name]())
}

interface PageViewProps {
  readonly route: PageRoute
  /** Title of the page if its path is fixed. */
  readonly title: string | null
}

/** Shows the page of a route once its script is loaded. */
export function PageView({ route, title }: PageViewProps): JSX.Element {
  const { page } = route
  const [failed, setFailed] = useState<PageName | null>(null)
  const [, setShown] = useState<PageName>(page)
  useEffect(() => {
    let isCurrent = true
    loadPage(page).then(
      () => isCurrent && setShown(page),
      () => isCurrent && setFailed(page),
    )
    return () => {
      isCurrent = false
    }
  }, [page])
  const draw = loaded.get(page)
  if (draw !== undefined) return draw('id' in route ? route.id : '')
  return failed === page ? <LoadFailure /> : <LoadingPage title={title} />
}

/** The heading is there from the start, so that a screen reader can say which page is on its way. */
function LoadingPage({ title }: { readonly title: string | null }): JSX.Element {
  return (
    <div class="intro" aria-busy="true">
      <h1>{title ?? 'Market Data Gateway'}</h1>
      <p class="quiet loading">Loading…</p>
    </div>
  )
}

function LoadFailure(): JSX.Element {
  return (
    <div class="intro" role="alert">
      <h1>This page could not be loaded</h1>
      <p>The gateway cannot be reached or has been updated. Check your connection and load the page again.</p>
      <button type="button" onClick={() => location.reload()}>
        Load again
      </button>
    </div>
  )
}
