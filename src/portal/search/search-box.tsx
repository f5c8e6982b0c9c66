import type { JSX } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { navigate } from '../location.js'
import { type Destination, listRecentSearches, storeRecentSearch } from './recent-searches.js'
import { ResultList } from './result-list.js'
import { useLinkedText } from './use-linked-text.js'
import { useSearch } from './use-search.js'

/** Finds assets, conversions, currencies, macro series, guides and operations. The key `/` moves the focus to it. */
export function SearchBox(): JSX.Element {
  const input = useRef<HTMLInputElement>(null)
  const [text, setText] = useState('')
  const [isOpen, setOpen] = useState(false)
  const [active, setActive] = useState(0)
  const { groups: found, isNearest, isLoading, note } = useSearch(text)
  useFocusKey(input)
  useLinkedText((linked) => {
    setText(linked)
    setActive(0)
    setOpen(true)
    input.current?.focus()
  })
  const recent = text === '' ? listRecentSearches() : []
  const groups = recent.length > 0 ? [{ name: 'Recent searches', results: recent }] : found
  const results = groups.flatMap((group) => group.results)
  const open = (destination: Destination) => {
    storeRecentSearch(destination)
    setText('')
    setOpen(false)
    navigate(destination.path)
  }
  const isShown = isOpen && (results.length > 0 || text.trim().length > 1)
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape') setOpen(false)
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined && results.length > 0) {
      event.preventDefault()
      setOpen(true)
      if (isShown) setActive((active + step + results.length) % results.length)
    }
    const chosen = results[active]
    if (event.key === 'Enter' && isShown && chosen !== undefined) open(chosen)
  }
  return (
    <search class="search">
      <input
        ref={input}
        type="search"
        role="combobox"
        aria-label="Search"
        aria-expanded={isShown && results.length > 0}
        aria-controls="search-list"
        aria-autocomplete="list"
        aria-keyshortcuts="/"
        {...(isShown && results.length > 0 ? { 'aria-activedescendant': `search-result-${active}` } : {})}
        placeholder="Search assets, currencies, macro series, guides  /"
        autocomplete="off"
        maxLength={64}
        value={text}
        onInput={(event) => {
          setText(event.currentTarget.value)
          setActive(0)
          setOpen(true)
        }}
        onFocus={() => setOpen(true)}
        onBlur={() => setOpen(false)}
        onKeyDown={onKeyDown}
      />
      <div class="results" hidden={!isShown}>
        {results.length > 0 && <ResultList groups={groups} active={active} onOpen={open} />}
        <p class="quiet" role="status">
          {isLoading
            ? 'Searching…'
            : isNearest && text !== ''
              ? `Nothing matches “${text.trim()}”. These are the nearest.`
              : ''}
          {isLoading ? null : note}
        </p>
      </div>
    </search>
  )
}

function useFocusKey(input: { readonly current: HTMLInputElement | null }): void {
  // Before the first paint: whoever sees the box can use the key.
  useLayoutEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const isTyping =
        event.target instanceof Element &&
        event.target.closest('input:not([type="range"]), textarea') !== null
      if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey) return
      event.preventDefault()
      input.current?.focus()
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [input])
}
