import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { sendRequest } from '../client/request.js'
import { setSession } from '../client/session.js'
import { ErrorMessage } from '../parts/panel.js'
import { useAction } from './use-action.js'

interface AuthResponse {
  readonly access_token: string
  readonly expires_in: number
  readonly user: { readonly email: string; readonly tier: string }
}

const MODES = {
  login: { title: 'Sign in', path: '/auth/login', password: 'current-password', hint: null },
  register: {
    title: 'Create an account',
    path: '/auth/register',
    password: 'new-password',
    hint: 'At least 12 characters.',
  },
} as const

export interface SignInProps {
  /** Whether the page is busy with a new account. */
  readonly isBusy: boolean
  /** Called when an account was created and is signed in. */
  readonly onRegister: () => void
}

export function SignIn({ isBusy, onRegister }: SignInProps): JSX.Element {
  const [mode, setMode] = useState<keyof typeof MODES>('login')
  const { title, path, password, hint } = MODES[mode]
  const { isRunning, error, run } = useAction()
  const send = (event: SubmitEvent) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget as HTMLFormElement)
    run(async () => {
      const body = { email: form.get('email'), password: form.get('password') }
      const { access_token, expires_in, user } = await sendRequest<AuthResponse>('POST', path, body)
      setSession({ token: access_token, ...user, expiresAt: Date.now() + expires_in * 1000 })
      if (mode === 'register') onRegister()
    })
  }
  const other = mode === 'login' ? 'register' : 'login'
  return (
    <section class="panel narrow" aria-labelledby="sign-in">
      <h1 id="sign-in">{title}</h1>
      <form onSubmit={send}>
        <label>
          E-mail
          <input name="email" type="email" autocomplete="email" required maxLength={254} />
        </label>
        <label>
          Password
          <input
            name="password"
            type="password"
            autocomplete={password}
            required
            maxLength={128}
            {...(hint === null ? {} : { minLength: 12, 'aria-describedby': 'password-hint' })}
          />
        </label>
        {hint !== null && (
          <p class="quiet" id="password-hint">
            {hint}
          </p>
        )}
        {error !== null && <ErrorMessage error={error} />}
        <p class="actions">
          <button type="submit" disabled={isRunning || isBusy}>
            {title}
          </button>
          <button type="button" class="plain" onClick={() => setMode(other)}>
            {MODES[other].title} instead
          </button>
        </p>
      </form>
    </section>
  )
}
