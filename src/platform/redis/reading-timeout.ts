/** More than the turns of the event loop that a new connection and the first answer over it take. */
const PARTS = 10

/**
 * Calls back after that time, to which each time in which this process was blocked adds at most a tenth: what servers
 * sent meanwhile is still unread. So the time passes in ten parts, and what has arrived is read at the end of each.
 * Returns a function that cancels the call.
 */
export function setReadingTimeout(ms: number, callback: () => void): () => void {
  let left = PARTS
  let timer: NodeJS.Timeout | null = null
  const startPart = () => {
    timer = setTimeout(() => setImmediate(endPart), ms / PARTS)
  }
  const endPart = () => {
    if (timer === null) return
    left -= 1
    if (left === 0) callback()
    else startPart()
  }
  startPart()
  return () => {
    if (timer !== null) clearTimeout(timer)
    timer = null
  }
}
