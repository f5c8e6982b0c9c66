import type { JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { type RequestError, sendRequest } from '../client/request.js'
import { type Session, setSession, useSession } from '../client/session.js'
import { ErrorMessage } from '../parts/panel.js'
import { ClientUsesPanel } from './client-uses.js'
import { DeleteAccount } from './delete-account.js'
import { Keys } from './keys.js'
import { NewsletterPanel } from './newsletter-panel.js'
import type { CreatedKey } from './shown-once.js'
import { SignIn } from './sign-in.js'
import { UsagePanel } from './usage-panel.js'
import { useAction } from './use-action.js'

/** The sign-in form, or what a signed-in user can manage. A new account is shown together with its first key. */
export function AccountPage(): JSX.Element {
  const known = useSession()
  const [firstKey, setFirstKey] = useState<CreatedKey | null>(null)
  const { isRunning, error, run } = useAction()
  useEffect(() => {
    if (known === null) setFirstKey(null)
  }, [known])
  const createFirstKey = () =>
    run(async () => setFirstKey(await sendRequest('POST', '/auth/keys', { label: 'First key' })))
  if (known === null || isRunning) return <SignIn isBusy={isRunning} onRegister={createFirstKey} />
  return <Account known={known} firstKey={firstKey} error={error} />
}

interface AccountProps {
  readonly known: Session
  /** Of an account that was created on this page. */
  readonly firstKey: CreatedKey | null
  /** Why there is no first key. */
  readonly error: RequestError | null
}

function Account({ known, firstKey, error }: AccountProps): JSX.Element {
  return (
    <>
      <div class="intro">
        <h1>Account</h1>
        <p>
          {known.email}, tier <strong>{known.tier}</strong>.
        </p>
        <p class="actions">
          <button type="button" class="plain" onClick={() => setSession(null)}>
            Sign out
          </button>
        </p>
      </div>
      {error !== null && <ErrorMessage error={error} />}
      <div class="panels">
        <Keys tier={known.tier} firstKey={firstKey} />
        <UsagePanel />
        <ClientUsesPanel />
        <NewsletterPanel />
        <DeleteAccount />
      </div>
    </>
  )
}
