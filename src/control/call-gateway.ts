import { connect, type Socket } from 'node:net'
import { readLines } from '../platform/read-lines.js'
import type { CommandCall } from './command-call.js'
import { parseMessage } from './parse-message.js'
import { type CommandName, ControlReply, encodeLine, MAX_REPLY_BYTES, PROTOCOL } from './protocol.js'

/** The gateway is on the same machine; only a hanging one takes longer. */
const CONNECT_MS = 5_000

/** Connects to the gateway that listens on the path; null if none does. */
export function connectGateway(path: string): Promise<Socket | null> {
  return new Promise((resolve, reject) => {
    const socket = connect(path)
    socket.setTimeout(CONNECT_MS, () => socket.destroy(new Error(`${path} does not answer`)))
    socket.once('connect', () => {
      socket.setTimeout(0)
      resolve(socket)
    })
    socket.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT' || error.code === 'ECONNREFUSED') resolve(null)
      else reject(new Error(`the running gateway cannot be asked: ${error.message}`, { cause: error }))
    })
  })
}

/**
 * Lets the gateway run a command, forwards its output, and forwards an interruption to it. Returns the exit code. Throws if
 * the gateway refuses, or ends before the command does.
 */
export async function callGateway(socket: Socket, command: CommandName, call: CommandCall): Promise<number> {
  const { args, isTerminal, signal } = call
  const directory = process.cwd()
  socket.write(encodeLine({ protocol: PROTOCOL, command, args: [...args], directory, isTerminal }))
  const interrupt = () => socket.write(encodeLine({ abort: true }))
  if (signal.aborted) interrupt()
  signal.addEventListener('abort', interrupt, { once: true })
  try {
    for await (const line of readLines(socket, MAX_REPLY_BYTES)) {
      const reply = parseMessage(line, ControlReply)
      if ('exit' in reply) return reply.exit
      if ('refused' in reply) throw new Error(`the running gateway refused: ${reply.refused}`)
      if ('out' in reply) call.out(reply.out)
      else call.err(reply.err)
    }
  } catch (error) {
    if (!isBroken(error)) throw error
  } finally {
    signal.removeEventListener('abort', interrupt)
    socket.destroy()
  }
  throw new Error('the gateway ended before the command did; what it had not finished was not written')
}

function isBroken(error: unknown): boolean {
  return error instanceof Error && 'code' in error && ['ECONNRESET', 'EPIPE'].includes(String(error.code))
}
