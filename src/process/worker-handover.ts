import type { Worker } from 'node:cluster'

/** What node:cluster's primary sends with a connection, and what the worker replies to it (checked by a test on each Node). */
interface ClusterMessage {
  readonly cmd?: string
  readonly act?: string
  readonly seq?: number
  readonly ack?: number
}

/**
 * Gives connections that a worker was handed and never accepted, since it was killed, to the other workers. Without it
 * node:cluster keeps such a connection open and unanswered until the client gives up.
 */
export function reassignWhenLost(worker: Worker): void {
  const { process } = worker
  const unanswered = new Set<number>()
  const send = process.send.bind(process)
  process.send = (message: ClusterMessage, ...rest: readonly unknown[]) => {
    if (message.act === 'newconn' && message.seq !== undefined) unanswered.add(message.seq)
    return Reflect.apply(send, process, [message, ...rest])
  }
  process.on('internalMessage', ({ ack }: ClusterMessage) => {
    if (ack !== undefined) unanswered.delete(ack)
  })
  // Later than node:cluster's own end of the worker, so that none is handed to it again.
  process.once('close', () => {
    for (const ack of unanswered) {
      process.emit('internalMessage', { cmd: 'NODE_CLUSTER', ack, accepted: false }, undefined)
    }
  })
}
