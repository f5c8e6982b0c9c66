import type { ComponentChildren, JSX } from 'preact'
import { useId } from 'preact/hooks'
import type { RequestState } from '../client/use-request.js'

export interface BriefPanelProps<Answer> {
  readonly title: string
  /** The page that shows more. */
  readonly path: string
  readonly state: RequestState<Answer>
  readonly className: string
  readonly children: (answer: Answer) => ComponentChildren
}

/** A few figures under a heading that leads to their page. What is missing takes one line. */
export function BriefPanel<Answer>(props: BriefPanelProps<Answer>): JSX.Element {
  const { title, path, state, className, children } = props
  const id = useId()
  const { loaded } = state
  return (
    <section class={`brief ${className}`} aria-labelledby={id} aria-busy={loaded.state === 'loading'}>
      <h2 id={id}>
        <a href={path}>{title}</a>
      </h2>
      {loaded.state === 'ready' ? children(loaded.answer) : <Missing state={state} />}
    </section>
  )
}

/** Why there are no figures yet. */
function Missing({ state: { loaded, reload } }: { readonly state: RequestState<unknown> }): JSX.Element {
  if (loaded.state === 'signed_out')
    return (
      <p class="quiet">
        <a href="/account">Sign in</a> to see these data.
      </p>
    )
  if (loaded.state !== 'failed') return <p class="quiet">Loading…</p>
  return (
    <p class="quiet" role="status">
      {loaded.error.message}{' '}
      {loaded.error.code !== 'forbidden' && (
        <button type="button" class="plain small" onClick={reload}>
          Try again
        </button>
      )}
    </p>
  )
}
