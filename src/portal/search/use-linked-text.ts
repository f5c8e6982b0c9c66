import { useEffect, useRef } from 'preact/hooks'

/** The parameter of the first page that holds a text to search for. */
const PARAMETER = 'q'

/** A link to the first page that searches for a text. */
export function linkToSearch(text: string): string {
  return `/?${new URLSearchParams({ [PARAMETER]: text })}`
}

/** Calls `open` with the text of a link, when the page is loaded and when such a link is followed. */
export function useLinkedText(open: (text: string) => void): void {
  const newest = useRef(open)
  newest.current = open
  useEffect(() => {
    const take = () => {
      const text = location.pathname === '/' ? new URLSearchParams(location.search).get(PARAMETER) : null
      if (text === null) return
      history.replaceState(null, '', '/')
      // A followed link first moves the focus to the page.
      setTimeout(() => newest.current(text))
    }
    take()
    addEventListener('popstate', take)
    return () => removeEventListener('popstate', take)
  }, [])
}
