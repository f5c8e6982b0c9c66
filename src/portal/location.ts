import { useEffect, useState } from 'preact/hooks'

const FIXED = {
  '/': 'overview',
  '/assets': 'assets',
  '/currencies': 'currencies',
  '/macro': 'macro',
  '/screening': 'screening',
  '/data': 'data',
  '/receipts': 'receipt',
  '/status': 'status',
  '/changes': 'change-feed',
  '/account': 'account',
} as const

/** The page of a path. */
export type PageRoute =
  | { readonly page: (typeof FIXED)[keyof typeof FIXED] | 'unknown' }
  | { readonly page: 'asset' | 'snapshot-check'; readonly id: string }

/** Must know the same paths as `parsePortalPath` in src/gateway/pages/portal-page.ts. */
export function parsePageRoute(path: string): PageRoute {
  if (path in FIXED) return { page: FIXED[path as keyof typeof FIXED] }
  const [, kind, id] = /^\/(assets|snapshots)\/([\w-]+)$/.exec(path) ?? []
  if (kind === undefined || id === undefined) return { page: 'unknown' }
  return { page: kind === 'assets' ? 'asset' : 'snapshot-check', id }
}

/** Opens a page: within the portal without a reload, any other one with it. A section of the same page opens in place. */
export function navigate(target: string): void {
  const { pathname, search, hash } = new URL(target, location.href)
  if ([pathname, location.pathname].some((path) => parsePageRoute(path).page === 'unknown')) {
    location.assign(target)
    return
  }
  const isSamePage = pathname === location.pathname
  history.pushState(null, '', pathname + search + hash)
  dispatchEvent(new PopStateEvent('popstate'))
  if (isSamePage) return
  scrollTo(0, 0)
  // A screen reader reads on from the new page, and the next Tab goes into it.
  document.getElementById('content')?.focus({ preventScroll: true })
}

/** The path of the address bar. Links within the portal change it without a reload. */
export function usePath(): string {
  const path = useLocationPart(() => location.pathname)
  useEffect(() => {
    document.addEventListener('click', followLink)
    return () => document.removeEventListener('click', followLink)
  }, [])
  return path
}

/** A parameter of the address bar, and a function that changes it without a new page in the history. */
export function useParameter(name: string, fallback: string): readonly [string, (value: string) => void] {
  const read = () => new URLSearchParams(location.search).get(name) ?? fallback
  const value = useLocationPart(read)
  const set = (next: string) => {
    const search = new URLSearchParams(location.search)
    search.set(name, next)
    history.replaceState(null, '', `${location.pathname}?${search}`)
    dispatchEvent(new PopStateEvent('popstate'))
  }
  return [value, set]
}

function useLocationPart(read: () => string): string {
  const [part, setPart] = useState(read)
  useEffect(() => {
    const update = () => setPart(read())
    addEventListener('popstate', update)
    return () => removeEventListener('popstate', update)
  }, [])
  return part
}

function followLink(event: MouseEvent): void {
  const link = event.target instanceof Element ? event.target.closest('a') : null
  const wantsTab = event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0
  if (link === null || wantsTab || link.origin !== location.origin || link.hash !== '') return
  if (parsePageRoute(link.pathname).page === 'unknown') return
  event.preventDefault()
  navigate(link.pathname + link.search)
}
