import { useEffect, useState } from 'preact/hooks'

/** The page of a path. */
export type PageRoute =
  | { readonly page: 'overview' | 'account' | 'unknown' }
  | { readonly page: 'asset' | 'snapshot'; readonly id: string }

/** Must know the same paths as `isPortalPath` in src/gateway/pages/portal-page.ts. */
export function parsePageRoute(path: string): PageRoute {
  if (path === '/') return { page: 'overview' }
  if (path === '/account') return { page: 'account' }
  const [, kind, id] = /^\/(assets|snapshots)\/([\w-]+)$/.exec(path) ?? []
  if (kind === undefined || id === undefined) return { page: 'unknown' }
  return { page: kind === 'assets' ? 'asset' : 'snapshot', id }
}

/** Shows a page of the portal without a reload. */
export function navigate(path: string): void {
  history.pushState(null, '', path)
  dispatchEvent(new PopStateEvent('popstate'))
  scrollTo(0, 0)
}

/** The path of the address bar. Links within the portal change it without a reload. */
export function usePath(): string {
  const [path, setPath] = useState(location.pathname)
  useEffect(() => {
    const update = () => setPath(location.pathname)
    addEventListener('popstate', update)
    document.addEventListener('click', followLink)
    return () => {
      removeEventListener('popstate', update)
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
  navigate(link.pathname)
}
