import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { type RequestError, sendRequest } from '../client/request.js'
import { formatInstant } from '../parts/format.js'
import { Badge, Panel } from '../parts/panel.js'

interface ReceiptCheck {
  readonly is_valid: boolean
  readonly checks: readonly {
    readonly check: string
    readonly passed: boolean
    readonly note: string | null
  }[]
  readonly receipt: {
    readonly iss: string
    readonly instant: string
    readonly clock: { readonly as_of: string; readonly basis: string } | null
    readonly operation: string
    readonly request: { readonly method: string; readonly target: string } | null
    readonly data_versions: string | null
    readonly withheld: readonly string[]
  } | null
  readonly rerun: {
    readonly status: 'same' | 'same_data' | 'different' | 'not_run'
    readonly reason: string | null
    readonly differences: readonly string[]
  }
}

const RERUN_TEXTS = {
  same: 'The same request gives the same answer as of then.',
  same_data:
    'The same request gives the same data as of then. Only what describes the datasets has changed since.',
  different: 'The same request gives other data as of then.',
  not_run: 'The request was not run again.',
} as const satisfies Record<ReceiptCheck['rerun']['status'], string>

type State = 'empty' | 'checking' | { readonly checked: ReceiptCheck } | { readonly failure: string }

/** Checks whether a receipt belongs to an answer, and whether the same request still gives it. */
export function ReceiptPage(): JSX.Element {
  const [answer, setAnswer] = useState('')
  const [receipt, setReceipt] = useState('')
  const [state, setState] = useState<State>('empty')
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    setState('checking')
    // The answers of the gateway have no space around them; a paste may.
    sendRequest<ReceiptCheck>('POST', '/v1/receipts/verify', {
      answer: answer.trim(),
      receipt: receipt.trim(),
    }).then(
      (checked) => setState({ checked }),
      (error: RequestError) => setState({ failure: error.message }),
    )
  }
  return (
    <>
      <div class="intro">
        <h1>Receipts</h1>
        <p>
          A request with <code>Prefer: receipt</code> gets a signed receipt in the header{' '}
          <code>X-Receipt</code>. Here you see whether a receipt belongs to an answer.{' '}
          <a href="/docs/guides/verification">How to check it offline</a>
        </p>
      </div>
      <form class="panel" onSubmit={submit}>
        <Pasted label="Answer, exactly as it came" value={answer} maxLength={200_000} onChange={setAnswer} />
        <Pasted label="Receipt" value={receipt} maxLength={16_384} onChange={setReceipt} />
        <p class="actions">
          <button type="submit" disabled={state === 'checking'}>
            Verify
          </button>
        </p>
      </form>
      <div aria-live="polite">
        {state === 'checking' && <p class="quiet">Checking…</p>}
        {typeof state === 'object' && 'failure' in state && <p role="alert">{state.failure}</p>}
        {typeof state === 'object' && 'checked' in state && <Verdict checked={state.checked} />}
      </div>
    </>
  )
}

interface PastedProps {
  readonly label: string
  readonly value: string
  readonly maxLength: number
  readonly onChange: (text: string) => void
}

function Pasted({ label, value, maxLength, onChange }: PastedProps): JSX.Element {
  return (
    <label>
      {label}
      <textarea
        rows={5}
        value={value}
        required
        spellcheck={false}
        maxLength={maxLength}
        onInput={(event) => onChange(event.currentTarget.value)}
      />
    </label>
  )
}

function Verdict({ checked: { is_valid, checks, receipt, rerun } }: { readonly checked: ReceiptCheck }) {
  return (
    <Panel title="Result" isWide>
      <p>
        <Badge tone={is_valid ? 'good' : 'bad'} text={is_valid ? 'valid' : 'NOT VALID'} />{' '}
        {checks.map(({ note }) => note).find((note) => note !== null) ??
          'This gateway gave this answer with this receipt.'}
      </p>
      {receipt !== null && (
        <p>
          {receipt.operation}, asked at {receipt.iss} on {formatInstant(receipt.instant)}
          {receipt.request !== null && (
            <>
              : <code>{`${receipt.request.method} ${receipt.request.target}`}</code>
            </>
          )}
          .{' '}
          {receipt.clock === null
            ? `Datasets: ${receipt.data_versions}.`
            : `Clock of the key: ${formatInstant(receipt.clock.as_of)} (${receipt.clock.basis}).`}
          {receipt.withheld.length > 0 && ` Not shown to this caller: ${receipt.withheld.join(', ')}.`}
        </p>
      )}
      <p>
        {RERUN_TEXTS[rerun.status]} {rerun.reason}
      </p>
      {rerun.differences.length > 0 && <p class="quiet">Other values: {rerun.differences.join(', ')}</p>}
    </Panel>
  )
}
