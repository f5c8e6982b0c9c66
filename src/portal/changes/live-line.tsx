import type { JSX } from 'preact'
import { Badge } from '../parts/panel.js'
import type { LiveChanges, LiveState } from './use-live-changes.js'

const STATES: Readonly<Record<LiveState, readonly [tone: string, text: string, action: string | null]>> = {
  connecting: ['quiet', 'connecting', null],
  live: ['good', 'live', 'Pause'],
  paused: ['quiet', 'paused', 'Resume'],
  reconnecting: ['warn', 'reconnecting', 'Pause'],
  waiting: ['warn', 'waiting', 'Pause'],
  refused: ['bad', 'not live', 'Try again'],
}

export interface LiveLineProps {
  readonly live: LiveChanges
  /** Number of new changes that are on the first page, while another one is shown. */
  readonly hidden: number
}

/** Whether new changes appear by themselves. */
export function LiveLine({ live, hidden }: LiveLineProps): JSX.Element {
  const [tone, text, action] = STATES[live.state]
  return (
    <p class="actions">
      <span role="status">
        <Badge tone={tone} text={text} /> {live.reason}
        {hidden > 0 && `${hidden} new on the first page.`}
      </span>
      {action !== null && (
        <button type="button" class="plain small" onClick={live.toggle}>
          {action}
        </button>
      )}
    </p>
  )
}
