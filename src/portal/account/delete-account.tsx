import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { ask } from '../client/request.js'
import { setSession } from '../client/session.js'
import { Panel, Refused } from '../parts/panel.js'
import { useAction } from './use-action.js'

/** What has to be typed. */
const WORDS = 'delete my account'

/** Ends the account, once the user has typed the words that say so. */
export function DeleteAccount(): JSX.Element {
  const [typed, setTyped] = useState('')
  const { isRunning, refusal, run } = useAction()
  const end = (event: SubmitEvent) => {
    event.preventDefault()
    run(async () => {
      await ask('DELETE', '/auth/me')
      setSession(null)
    })
  }
  return (
    <Panel title="Delete the account">
      <p>All keys end at once, and the account cannot be had back.</p>
      <form onSubmit={end}>
        <label>
          Type “{WORDS}”
          <input
            value={typed}
            autocomplete="off"
            onInput={({ currentTarget }) => setTyped(currentTarget.value)}
          />
        </label>
        {refusal !== null && <Refused refusal={refusal} />}
        <p class="actions">
          <button type="submit" class="danger" disabled={isRunning || typed !== WORDS}>
            Delete the account
          </button>
        </p>
      </form>
    </Panel>
  )
}
