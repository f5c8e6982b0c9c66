import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { sendRequest } from '../client/request.js'
import { ErrorMessage, Panel } from '../parts/panel.js'
import { useAction } from './use-action.js'

const PATH = '/auth/me/newsletter'

interface Subscription {
  readonly status: 'pending' | 'subscribed'
  readonly confirmation_sent_at: string | null
}

/** Subscribes to the weekly newsletter and unsubscribes from it. */
export function NewsletterPanel(): JSX.Element {
  const [status, setStatus] = useState<string | null>(null)
  const { isRunning, error, run } = useAction()
  const subscribe = () =>
    run(async () => setStatus(formatStatus(await sendRequest<Subscription>('POST', PATH))))
  const unsubscribe = () =>
    run(async () => {
      await sendRequest('DELETE', PATH)
      setStatus('You are not subscribed to the newsletter.')
    })
  return (
    <Panel title="Newsletter">
      <p>A weekly e-mail: changed analyses, the largest price moves and new central bank figures.</p>
      {error !== null && <ErrorMessage error={error} />}
      {status !== null && <p role="status">{status}</p>}
      <p class="actions">
        <button type="button" disabled={isRunning} onClick={subscribe}>
          Subscribe
        </button>
        <button type="button" class="plain" disabled={isRunning} onClick={unsubscribe}>
          Unsubscribe
        </button>
      </p>
    </Panel>
  )
}

function formatStatus({ status, confirmation_sent_at }: Subscription): string {
  if (status === 'subscribed') return 'You are subscribed and will get the next issue.'
  if (confirmation_sent_at === null) return 'This gateway cannot send e-mail now. Try again later.'
  return 'We sent you an e-mail. Open its link to confirm your address.'
}
