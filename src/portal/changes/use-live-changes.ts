import { useEffect, useRef, useState } from 'preact/hooks'
import { followSubscription } from '../client/follow-subscription.js'
import type { RequestError } from '../client/request.js'
import { credentials, useSession } from '../client/session.js'
import type { AnalysisChange } from './change-list.js'

/** `waiting`: the quota of the hour is spent, and the gateway continues by itself. `refused`: it does not accept the stream. */
export type LiveState = 'connecting' | 'live' | 'paused' | 'reconnecting' | 'waiting' | 'refused'

interface LiveStatus {
  readonly state: LiveState
  /** Why the state is `waiting` or `refused`; null otherwise. */
  readonly reason: string | null
}

export interface LiveChanges extends LiveStatus {
  /** Changes since the page was loaded, newest first. */
  readonly changes: readonly AnalysisChange[]
  /** Pauses, or continues after the last received change, or asks again after a refusal. */
  readonly toggle: () => void
}

const CHANGES = `subscription LiveChanges($analysis_type: AiAnalysisType, $cursor: String) {
  ai_analysis_changes(analysis_type: $analysis_type, cursor: $cursor) {
    cursor
    item {
      asset_id ticker analysis_type change_type changed_at
      from_snapshot_id to_snapshot_id
    }
  }
}`

interface Event {
  readonly ai_analysis_changes: { readonly cursor: string; readonly item: AnalysisChange }
}

const FIRST_RETRY_MS = 1_000
const MAX_RETRY_MS = 30_000

/** With more changes than this the page is loaded again, and they are part of it. */
const MAX_CHANGES = 100

/** A stream that these errors end is not opened again by itself. */
const FINAL: ReadonlySet<string> = new Set([
  'unauthorized',
  'forbidden',
  'rate_limit_exceeded',
  'validation_error',
])

/**
 * Follows the changes of one type of analysis; null: of all. It pauses while the tab is hidden and then continues after the last
 * received change. `reload` loads the page again; it is called when a stream without an earlier change opens, because changes
 * between the load and the opening are only in the page.
 */
export function useLiveChanges(analysisType: string | null, reload: () => void): LiveChanges {
  const known = useSession()
  const isAllowed = credentials(known) !== null
  const token = known?.token
  const isHidden = useIsHidden()
  const [isPaused, setIsPaused] = useState(false)
  const [round, setRound] = useState(0)
  const [status, setStatus] = useState<LiveStatus>({ state: 'connecting', reason: null })
  const [changes, setChanges] = useState<readonly AnalysisChange[]>([])
  const cursor = useRef<string | null>(null)
  const isOff = isPaused || isHidden
  // A changed filter or account begins anew.
  useEffect(() => {
    cursor.current = null
    setChanges([])
  }, [analysisType, token])
  // `round` opens the stream again.
  useEffect(() => {
    if (!isAllowed) return
    if (isOff) return setStatus({ state: 'paused', reason: null })
    const stop = new AbortController()
    void followChanges({
      analysisType,
      cursor,
      signal: stop.signal,
      onStatus: setStatus,
      onFirstOpen: reload,
      onChange: (change) => setChanges((before) => withChange(before, change)),
    })
    return () => stop.abort()
  }, [analysisType, isAllowed, token, isOff, round, reload])
  useEffect(() => {
    if (changes.length < MAX_CHANGES) return
    setChanges([])
    reload()
  }, [changes, reload])
  const toggle = () => (status.state === 'refused' ? setRound(round + 1) : setIsPaused(!isPaused))
  return { ...status, changes, toggle }
}

interface Following {
  readonly analysisType: string | null
  /** Of the last received change. */
  readonly cursor: { current: string | null }
  readonly signal: AbortSignal
  readonly onStatus: (status: LiveStatus) => void
  /** Called when the stream opens without a cursor. */
  readonly onFirstOpen: () => void
  readonly onChange: (change: AnalysisChange) => void
}

/** Follows the changes until the signal, and connects again after the last received one. Ends if the gateway refuses. */
async function followChanges(following: Following): Promise<void> {
  const { analysisType, cursor, signal, onStatus, onFirstOpen, onChange } = following
  let retryMs = FIRST_RETRY_MS
  onStatus({ state: 'connecting', reason: null })
  while (!signal.aborted) {
    const failure = await followSubscription<Event>({
      document: CHANGES,
      variables: { analysis_type: analysisType, cursor: cursor.current },
      signal,
      onOpen: () => {
        retryMs = FIRST_RETRY_MS
        onStatus({ state: 'live', reason: null })
        if (cursor.current === null) onFirstOpen()
      },
      onData: ({ ai_analysis_changes: event }) => {
        cursor.current = event.cursor
        onStatus({ state: 'live', reason: null })
        onChange(event.item)
      },
      onError: ({ message }) => onStatus({ state: 'waiting', reason: message }),
    }).catch((error: RequestError) => error)
    if (signal.aborted) return
    if (failure && FINAL.has(failure.code)) return onStatus({ state: 'refused', reason: failure.message })
    onStatus({ state: 'reconnecting', reason: null })
    await wait(retryMs, signal)
    retryMs = Math.min(2 * retryMs, MAX_RETRY_MS)
  }
}

/** Adds a change at the front, once. */
function withChange(changes: readonly AnalysisChange[], change: AnalysisChange): readonly AnalysisChange[] {
  const isKnown = changes.some(({ to_snapshot_id }) => to_snapshot_id === change.to_snapshot_id)
  return isKnown ? changes : [change, ...changes]
}

/** Ends early when the signal aborts, or when the device is online again. */
function wait(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(end, ms)
    function end(): void {
      clearTimeout(timer)
      removeEventListener('online', end)
      signal.removeEventListener('abort', end)
      resolve()
    }
    addEventListener('online', end)
    signal.addEventListener('abort', end)
  })
}

function useIsHidden(): boolean {
  const [isHidden, setIsHidden] = useState(document.hidden)
  useEffect(() => {
    const update = () => setIsHidden(document.hidden)
    document.addEventListener('visibilitychange', update)
    return () => document.removeEventListener('visibilitychange', update)
  }, [])
  return isHidden
}
