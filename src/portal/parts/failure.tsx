import type { ComponentChildren, JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import type { RequestError } from '../client/request.js'
import { useSession } from '../client/session.js'
import { config } from '../config.js'

export interface FailureProps {
  readonly error: RequestError
  readonly reload: () => void
  /** Whether data of an earlier request are still shown. */
  readonly isShown: boolean
}

/** Why a panel has no data or no newer ones, and what the visitor can do about it. */
export function Failure({ error, reload, isShown }: FailureProps): JSX.Element {
  useEffect(() => {
    addEventListener('online', reload)
    return () => removeEventListener('online', reload)
  }, [reload])
  if (error.code === 'unauthorized') return <SignInHint />
  if (error.code === 'forbidden') return <Forbidden error={error} />
  if (error.code === 'rate_limit_exceeded') {
    return <Notice title="Limit reached" text={error.message} reload={reload} />
  }
  if (error.code === 'network' && !navigator.onLine)
    return (
      <Notice
        title="You are offline"
        text="These data load when your device is online again."
        reload={reload}
      />
    )
  const title = `These data could not be loaded${isShown ? ' again' : ''}`
  return <Notice title={title} text={error.message} reload={reload} />
}

/** For visitors without an account or a key. */
export function SignInHint(): JSX.Element {
  return (
    <Notice title="Sign in to see these data">
      <p>
        <a href="/account">Sign in or create an account</a>. Programs send an API key instead:{' '}
        <a href="/docs/guides/first-requests">how to get one</a>.
      </p>
    </Notice>
  )
}

/** One quiet line: most panels of a page may need a higher tier. */
function Forbidden({ error }: { readonly error: RequestError }): JSX.Element {
  const isDemo = useSession() === null && config.isDemoKey
  return (
    <p class="quiet" role="status">
      {isDemo ? 'The demo key does not include these data' : 'Your tier does not include these data'}:{' '}
      {error.message}
      {isDemo && (
        <>
          {' '}
          <a href="/account">Sign in or create an account</a>
        </>
      )}
      {error.upgradeUrl !== null && (
        <>
          {' '}
          <a href={error.upgradeUrl}>Compare the tiers</a>
        </>
      )}
    </p>
  )
}

interface NoticeProps {
  readonly title: string
  readonly text?: string
  readonly reload?: () => void
  readonly children?: ComponentChildren
}

function Notice({ title, text, reload, children }: NoticeProps): JSX.Element {
  return (
    <div class="notice" role="status">
      <p>
        <strong>{title}</strong>
      </p>
      {text !== undefined && <p>{text}</p>}
      {children}
      {reload !== undefined && (
        <p>
          <button type="button" class="plain small" onClick={reload}>
            Try again
          </button>
        </p>
      )}
    </div>
  )
}
