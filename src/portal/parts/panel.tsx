import type { ComponentChildren, JSX } from 'preact'
import { useId } from 'preact/hooks'
import type { RequestError } from '../client/request.js'
import type { Loaded } from '../client/use-request.js'

export interface PanelProps {
  readonly title: string
  readonly children: ComponentChildren
  readonly isWide?: boolean
}

/** A titled region of a page. */
export function Panel({ title, children, isWide = false }: PanelProps): JSX.Element {
  const id = useId()
  return (
    <section class={isWide ? 'panel wide' : 'panel'} aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {children}
    </section>
  )
}

export interface LoadedViewProps<Answer> {
  readonly loaded: Loaded<Answer>
  readonly children: (answer: Answer) => ComponentChildren
}

/** Shows a response once it is loaded; until then the loading state, the error or a link to sign in. */
export function LoadedView<Answer>({ loaded, children }: LoadedViewProps<Answer>): JSX.Element {
  if (loaded.state === 'loading') return <p class="quiet">Loading…</p>
  if (loaded.state === 'failed') return <ErrorMessage error={loaded.error} />
  if (loaded.state === 'ready') return <>{children(loaded.answer)}</>
  return (
    <p class="quiet">
      <a href="/account">Sign in</a> to see this data.
    </p>
  )
}

export function ErrorMessage({ error }: { readonly error: RequestError }): JSX.Element {
  return (
    <div class="refused" role="alert">
      <p>{error.message}</p>
      {error.details.some(({ message }) => !error.message.includes(message)) && (
        <ul>
          {error.details.map(({ field, message }) => (
            <li key={field}>
              <code>{field}</code> {message}
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}

export interface DataTableProps {
  readonly label: string
  readonly caption?: string
  readonly columns: readonly string[]
  /** The rows. */
  readonly children: ComponentChildren
}

/** A table that scrolls sideways on a narrow screen, also by keyboard. */
export function DataTable({ label, caption, columns, children }: DataTableProps): JSX.Element {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users must reach a region that scrolls
    <section class="scrolls" aria-label={label} tabIndex={0}>
      <table>
        {caption !== undefined && <caption>{caption}</caption>}
        <thead>
          <tr>
            {columns.map((name) => (
              <th scope="col" key={name}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </section>
  )
}

/** A short status in the colour of its tone. */
export function Badge({ tone, text }: { readonly tone: string; readonly text: string }): JSX.Element {
  return <span class={`badge ${tone}`}>{text}</span>
}

/** Marks synthetic figures. */
export function SyntheticNote({ isSynthetic }: { readonly isSynthetic: boolean | null }): JSX.Element | null {
  return isSynthetic ? <Badge tone="warn" text="synthetic" /> : null
}
