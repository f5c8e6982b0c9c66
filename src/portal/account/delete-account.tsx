import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { sendRequest } from '../client/request.js'
import { setSession } from '../client/session.js'
import { ErrorMessage, Panel } from '../parts/panel.js'
import { useAction } from './use-action.js'

/** The text that the user must type. */
const CONFIRMATION_TEXT = 'delete my account'

/** Deletes the account after the user has typed the confirmation. */
export function DeleteAccount(): JSX.Element {
  const [typed, setTyped] = useState('')
  const { isRunning, error, run } = useAction()
  const deleteAccount = (event: SubmitEvent) => {
    event.preventDefault()
    run(async () => {
      await sendRequest('DELETE', '/auth/me')
      setSession(null)
    })
  }
  return (
    <Panel title="Delete the account">
      <p>All keys stop working at once. This cannot be undone.</p>
      <form onSubmit={deleteAccount}>
        <label>
          Type “{CONFIRMATION_TEXT}”
          <input
            value={typed}
            autocomplete="off"
            onInput={({ currentTarget }) => setTyped(currentTarget.value)}
          />
        </label>
        {error !== null && <ErrorMessage error={error} />}
        <p class="actions">
          <button type="submit" class="danger" disabled={isRunning || typed !== CONFIRMATION_TEXT}>
            Delete the account
          </button>
        </p>
      </form>
    </Panel>
  )
}
