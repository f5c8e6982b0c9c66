import { useEffect, useState } from 'preact/hooks'

/** The page that the address names. */
export type PageRoute =
  | { readonly page: 'overview' | 'account' | 'unknown' }
  | { readonly page: 'asset' | 'snapshot'; readonly id: string }

/** The paths of `isPortalPath` in src/gateway/pages/portal-page.ts. */
export function parsePageRoute(path: string): PageRoute {
  if (path === '/') return { page: 'overview' }
  if (path === '/account') return { page: 'account' }
  const [, kind, id] = /^\/(assets|snapshots)\/([\w-]+)$/.exec(path) ?? []
  if (kind === undefined || id === undefined) return { page: 'unknown' }
  return { page: kind === 'assets' ? 'asset' : 'snapshot', id }
}

/** Goes to a page of the portal without loading it again. */
export function go(path: string): void {
  history.pushState(null, '', path)
  dispatchEvent(new PopStateEvent('popstate'))
  scrollTo(0, 0)
}

/** The path of the address bar; links within the portal only change it. */
export function usePath(): string {
  const [path, setPath] = useState(location.pathname)
  useEffect(() => {
    const follow = () => setPath(location.pathname)
    addEventListener('popstate', follow)
    document.addEventListener('click', followLink)
    return () => {
      removeEventListener('popstate', follow)
      document.removeEventListener('click', followLink)
    }
  }, [])
  return path
}

function followLink(event: MouseEvent): void {
  const link = event.target instanceof Element ? event.target.closest('a') : null
  const wantsTab = event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0
  if (link === null || wantsTab || link.origin !== location.origin || link.hash !== '') return
  if (parsePageRoute(link.pathname).page === 'unknown') return
  event.preventDefault()
  go(link.pathname)
}
