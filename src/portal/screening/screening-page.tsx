import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { useParameter } from '../location.js'
import { IsoDayInput } from '../parts/iso-day-input.js'
import { type CheckArguments, parseIdentifiers } from './parse-identifiers.js'
import { ScreeningPanel } from './screening-panel.js'

/** The API checks at most this many identifiers at once. */
const MAX_IDENTIFIERS = 100

/** No gateway has had lists for longer. */
const FIRST_DAY = '2000-01-01'

/** Checks pasted identifiers against sanctions lists; the LEI of a link at once. */
export function ScreeningPage(): JSX.Element {
  const [linked] = useParameter('lei', '')
  return <Screening key={linked} linked={linked} />
}

interface Check {
  readonly identifiers: CheckArguments
  /** Empty for now. */
  readonly day: string
}

function Screening({ linked }: { readonly linked: string }): JSX.Element {
  const [text, setText] = useState(linked)
  const [day, setDay] = useState('')
  const entered = parseIdentifiers(text)
  const [check, setCheck] = useState<Check | null>(
    entered.count === 0 ? null : { identifiers: entered.arguments, day: '' },
  )
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    setCheck({ identifiers: entered.arguments, day })
  }
  return (
    <>
      <div class="intro">
        <h1>Screening</h1>
        <p>
          Checks identifiers against sanctions lists: LEIs, ISINs, IMO numbers of ships, addresses of wallets,
          and registration numbers with their country before them, such as RU 1027700132195.
        </p>
        <p>
          <strong>Not found</strong> does not mean clear. Only identifiers are compared, never names, and a
          list may name the subject without its identifier.
        </p>
      </div>
      <form class="panel" onSubmit={submit}>
        <label>
          Identifiers, one per line
          <textarea
            rows={5}
            value={text}
            required
            spellcheck={false}
            maxLength={14_000}
            aria-describedby="identifier-count"
            onInput={(event) => setText(event.currentTarget.value)}
          />
        </label>
        <p class="quiet" id="identifier-count" role="status">
          {entered.count > MAX_IDENTIFIERS
            ? `${entered.count} identifiers: remove ${entered.count - MAX_IDENTIFIERS}, at most ${MAX_IDENTIFIERS} are checked at once.`
            : entered.kinds || `At most ${MAX_IDENTIFIERS} identifiers.`}
        </p>
        {entered.unknown.length > 0 && (
          <p>
            Not checked, because no kind of identifier has this form: {entered.unknown.join(', ')}. A
            registration number needs its country before it.
          </p>
        )}
        <IsoDayInput label="At the end of a past day, else now" day={day} first={FIRST_DAY} onDay={setDay} />
        <p class="actions">
          <button type="submit" disabled={entered.count === 0 || entered.count > MAX_IDENTIFIERS}>
            Check
          </button>
        </p>
      </form>
      {check !== null && <ScreeningPanel {...check} />}
    </>
  )
}
