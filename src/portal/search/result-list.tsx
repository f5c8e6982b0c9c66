import type { JSX } from 'preact'
import type { ResultGroup } from './find-destinations.js'
import type { Destination } from './recent-searches.js'

export interface ResultListProps {
  readonly groups: readonly ResultGroup[]
  /** Position of the chosen result among the results of all groups. */
  readonly active: number
  readonly onOpen: (destination: Destination) => void
}

/** The results of a search by group. The focus stays in the search box. */
export function ResultList({ groups, active, onOpen }: ResultListProps): JSX.Element {
  let position = 0
  return (
    <div role="listbox" id="search-list" aria-label="Search results">
      {groups.map(({ name, results }) => (
        // biome-ignore lint/a11y/useSemanticElements: a listbox cannot contain a fieldset
        <div role="group" aria-label={name} key={name}>
          <p class="quiet" aria-hidden="true">
            {name}
          </p>
          {results.map((result) => {
            const at = position++
            return (
              // biome-ignore lint/a11y/useFocusableInteractive: the search box names the active option
              // biome-ignore lint/a11y/useKeyWithClickEvents: the search box handles the keys
              <div
                role="option"
                id={`search-result-${at}`}
                key={result.path}
                aria-selected={at === active}
                // Pressing must not take the focus from the search box, which would close the list before the click.
                onMouseDown={(event) => event.preventDefault()}
                onClick={() => onOpen(result)}
              >
                <strong>{result.title}</strong> <span class="quiet">{result.note}</span>
              </div>
            )
          })}
        </div>
      ))}
    </div>
  )
}
