import { useEffect } from 'preact/hooks'
import { config } from '../config.js'

/** Sets the title of the browser's tab; null keeps the present one. */
export function useTitle(title: string | null): void {
  useEffect(() => {
    const product = config.pages[0]?.title ?? ''
    if (title !== null) document.title = title === product ? product : `${title}: ${product}`
  }, [title])
}
