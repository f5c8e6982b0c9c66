import type { Worker } from 'node:cluster'

/** The messages of node:cluster about a connection (a test checks them on each Node version). */
interface ClusterMessage {
  readonly cmd?: string
  readonly act?: string
  readonly seq?: number
  readonly ack?: number
}

/**
 * Gives connections that a killed worker had received but not accepted to the other workers. Without this, node:cluster keeps
 * such a connection open and unanswered until the client gives up.
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
  // After node:cluster's own handler, so that no connection is given to the ended worker again.
  process.once('close', () => {
    for (const ack of unanswered) {
      process.emit('internalMessage', { cmd: 'NODE_CLUSTER', ack, accepted: false }, undefined)
    }
  })
}
