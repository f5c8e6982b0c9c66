import type { JSX } from 'preact'

export function UnknownPage(): JSX.Element {
  return (
    <div class="intro">
      <h1>Page not found</h1>
      <p>
        Go to <a href="/">the overview</a> or search <a href="/docs">the REST reference</a>.
      </p>
    </div>
  )
}
