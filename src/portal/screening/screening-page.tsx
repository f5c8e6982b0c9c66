import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { useParameter } from '../location.js'
import { ScreeningPanel } from './screening-panel.js'

/** The API screens at most this many LEIs at once. */
const MAX_LEIS = 50

/** Checks pasted LEIs against sanctions lists; the LEI of a link at once. */
export function ScreeningPage(): JSX.Element {
  const [linked] = useParameter('lei', '')
  return <Screening key={linked} linked={linked} />
}

function Screening({ linked }: { readonly linked: string }): JSX.Element {
  const [text, setText] = useState(linked)
  const [leis, setLeis] = useState<readonly string[]>(linked === '' ? [] : [linked])
  const entered = text.split(/[\s,;]+/).filter((part) => part !== '')
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    setLeis(entered)
  }
  return (
    <>
      <div class="intro">
        <h1>Screening</h1>
        <p>
          Checks legal entities against sanctions lists by their LEI (legal entity identifier, 20 characters).
        </p>
        <p>
          <strong>Not screened</strong> does not mean clear. No list has the LEI, but a list may name the
          entity without its LEI.
        </p>
      </div>
      <form class="panel" onSubmit={submit}>
        <label>
          LEIs, separated by spaces, commas or new lines
          <textarea
            rows={5}
            value={text}
            required
            spellcheck={false}
            maxLength={2_000}
            aria-describedby="lei-count"
            onInput={(event) => setText(event.currentTarget.value)}
          />
        </label>
        <p class="quiet" id="lei-count" role="status">
          {entered.length > MAX_LEIS
            ? `${entered.length} LEIs: remove ${entered.length - MAX_LEIS}, at most ${MAX_LEIS} are checked at once.`
            : `${entered.length} of at most ${MAX_LEIS} LEIs.`}
        </p>
        <p class="actions">
          <button type="submit" disabled={entered.length === 0 || entered.length > MAX_LEIS}>
            Check
          </button>
        </p>
      </form>
      {leis.length > 0 && <ScreeningPanel leis={leis} />}
    </>
  )
}
