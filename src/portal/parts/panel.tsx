import type { ComponentChildren, JSX } from 'preact'
import { useId } from 'preact/hooks'
import type { Refusal } from '../client/request.js'
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

export interface AnswerProps<Answer> {
  readonly loaded: Loaded<Answer>
  readonly children: (answer: Answer) => ComponentChildren
}

/** Shows an answer once it is there; before that, what is being waited for, or what was refused. */
export function Answered<Answer>({ loaded, children }: AnswerProps<Answer>): JSX.Element {
  if (loaded.state === 'loading') return <p class="quiet">Loading…</p>
  if (loaded.state === 'refused') return <Refused refusal={loaded.refusal} />
  if (loaded.state === 'ready') return <>{children(loaded.answer)}</>
  return (
    <p class="quiet">
      <a href="/account">Sign in</a> to see it: data needs a key or an account.
    </p>
  )
}

export function Refused({ refusal }: { readonly refusal: Refusal }): JSX.Element {
  return (
    <div class="refused" role="alert">
      <p>{refusal.message}</p>
      {refusal.details.length > 1 && (
        <ul>
          {refusal.details.map(({ field, message }) => (
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
  /** Its rows. */
  readonly children: ComponentChildren
}

/** A table that scrolls by itself on a narrow screen, also by keyboard. */
export function DataTable({ label, caption, columns, children }: DataTableProps): JSX.Element {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reached by keyboard
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

/** One word about a state, in its colour. */
export function Badge({ tone, text }: { readonly tone: string; readonly text: string }): JSX.Element {
  return <span class={`badge ${tone}`}>{text}</span>
}

/** Says that the figures are made up, where they are. */
export function SyntheticNote({ isSynthetic }: { readonly isSynthetic: boolean | null }): JSX.Element | null {
  return isSynthetic ? <Badge tone="warn" text="synthetic" /> : null
}
