import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { type Session, setSession, useSession } from '../client/session.js'
import { ClientUsesPanel } from './client-uses.js'
import { DeleteAccount } from './delete-account.js'
import { Keys } from './keys.js'
import { NewsletterPanel } from './newsletter-panel.js'
import { SignIn } from './sign-in.js'
import { UsagePanel } from './usage-panel.js'

/** The sign-in form, or what a signed-in user can manage. */
export function AccountPage(): JSX.Element {
  const known = useSession()
  const [isNew, setNew] = useState(false)
  if (known === null) return <SignIn onRegister={() => setNew(true)} />
  return <Account known={known} isNew={isNew} />
}

interface AccountProps {
  readonly known: Session
  /** Whether the account was created on this page. */
  readonly isNew: boolean
}

function Account({ known, isNew }: AccountProps): JSX.Element {
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
      <div class="panels">
        <Keys tier={known.tier} isNew={isNew} />
        <UsagePanel />
        <ClientUsesPanel />
        <NewsletterPanel />
        <DeleteAccount />
      </div>
    </>
  )
}
