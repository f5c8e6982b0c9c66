import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { ask } from '../client/request.js'
import { Panel, Refused } from '../parts/panel.js'
import { useAction } from './use-action.js'

const PATH = '/auth/me/newsletter'

interface Subscription {
  readonly status: 'pending' | 'subscribed'
  readonly confirmation_sent_at: string | null
}

/** The weekly newsletter, asked for and ended. */
export function NewsletterPanel(): JSX.Element {
  const [said, setSaid] = useState<string | null>(null)
  const { isRunning, refusal, run } = useAction()
  const subscribe = () => run(async () => setSaid(textOf(await ask<Subscription>('POST', PATH))))
  const unsubscribe = () =>
    run(async () => {
      await ask('DELETE', PATH)
      setSaid('No newsletter is sent to you.')
    })
  return (
    <Panel title="Newsletter">
      <p>
        The week in figures, as a mail: changes of analyses, the largest moves, new values of central banks.
      </p>
      {refusal !== null && <Refused refusal={refusal} />}
      {said !== null && <p role="status">{said}</p>}
      <p class="actions">
        <button type="button" disabled={isRunning} onClick={subscribe}>
          Send it to me
        </button>
        <button type="button" class="plain" disabled={isRunning} onClick={unsubscribe}>
          Stop it
        </button>
      </p>
    </Panel>
  )
}

function textOf({ status, confirmation_sent_at }: Subscription): string {
  if (status === 'subscribed') return 'You get the next issue.'
  if (confirmation_sent_at === null) return 'This gateway cannot send mail now; ask again later.'
  return 'A mail with a link that confirms your address was sent to you.'
}
