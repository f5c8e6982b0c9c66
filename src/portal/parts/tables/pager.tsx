import type { JSX } from 'preact'

export interface PagerProps {
  /** Position of the first row of the page. */
  readonly offset: number
  readonly pageSize: number
  readonly total: number
  readonly onMove: (offset: number) => void
}

/** Moves between the pages of a list; empty for a list of one page. */
export function Pager({ offset, pageSize, total, onMove }: PagerProps): JSX.Element | null {
  if (total <= pageSize) return null
  const end = Math.min(offset + pageSize, total)
  return (
    <p class="actions pager">
      <button
        type="button"
        class="plain small"
        disabled={offset === 0}
        onClick={() => onMove(Math.max(0, offset - pageSize))}
      >
        Previous
      </button>
      <span role="status">
        {offset + 1}–{end} of {total}
      </span>
      <button type="button" class="plain small" disabled={end === total} onClick={() => onMove(end)}>
        Next
      </button>
    </p>
  )
}
