import type { ComponentChildren, JSX } from 'preact'
import { useId } from 'preact/hooks'
import type { RequestError } from '../client/request.js'
import type { Loaded } from '../client/use-request.js'
import { Failure, SignInHint } from './failure.js'
import { ScrollArea } from './tables/scroll-area.js'

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
  readonly reload: () => void
  readonly children: (answer: Answer) => ComponentChildren
}

/** Shows a response once it is loaded; until then the loading state, or why it is missing or could not be loaded again. */
export function LoadedView<Answer>({ loaded, reload, children }: LoadedViewProps<Answer>): JSX.Element {
  if (loaded.state === 'signed_out') return <SignInHint />
  const isLoading = loaded.state === 'loading'
  const answer = loaded.state === 'ready' ? loaded.answer : loaded.earlier
  return (
    <div class={isLoading && answer !== undefined ? 'waiting' : ''} aria-busy={isLoading}>
      {loaded.state === 'failed' && (
        <Failure error={loaded.error} reload={reload} isShown={answer !== undefined} />
      )}
      {isLoading && <p class="quiet loading">Loading…</p>}
      {/* The style sheet hides the earlier answer but for its controls, so that the focus and the layout stay. */}
      {answer !== undefined && <div class="answer">{children(answer)}</div>}
    </div>
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
  readonly caption?: string | undefined
  /** Columns of text by name, and columns of numbers. */
  readonly columns: readonly (string | { readonly number: string })[]
  /** On a narrow screen each row becomes a block; its cells are named by `data-name`. */
  readonly isStacked?: boolean
  /** The rows. */
  readonly children: ComponentChildren
}

/** A table that scrolls sideways on a narrow screen, also by keyboard. */
export function DataTable(props: DataTableProps): JSX.Element {
  const { label, caption, columns, isStacked = false, children } = props
  return (
    <ScrollArea label={label}>
      <table class={isStacked ? 'stacked' : ''}>
        {caption !== undefined && <caption>{caption}</caption>}
        <thead>
          <tr>
            {columns.map((column) => {
              const isText = typeof column === 'string'
              const name = isText ? column : column.number
              return (
                <th scope="col" key={name} class={isText ? '' : 'number'}>
                  {name}
                </th>
              )
            })}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </ScrollArea>
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
