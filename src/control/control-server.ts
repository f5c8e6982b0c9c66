import { chmod, rm } from 'node:fs/promises'
import { createServer, type Socket } from 'node:net'
import type { Logger } from '../platform/logger.js'
import { LineTooLong, readLines } from '../platform/read-lines.js'
import { settledWithin } from '../platform/settled-within.js'
import { type CommandCall, Interrupted, type RunCommand } from './command-call.js'
import { ProtocolError, parseMessage } from './parse-message.js'
import {
  Abort,
  type CommandName,
  CommandRequest,
  type ControlReply,
  encodeLine,
  MAX_PIECE_LENGTH,
  MAX_REQUEST_BYTES,
  toControlPath,
} from './protocol.js'

/** Commands that run at once: enough to create a key during a long ingestion. */
const MAX_RUNNING = 4
/** Connections at once; the system's queue closes further ones. */
const MAX_CONNECTIONS = 16
/** A command sends its request at once. */
const REQUEST_MS = 5_000
/** Text that a caller has not read yet; a caller that never reads is disconnected. */
const MAX_UNREAD_BYTES = 4 * 1024 * 1024
/** A caller closes the connection when it has the exit code. */
const LINGER_MS = 5_000
/** Running commands stop at their next statement. */
const STOP_MS = 3_000

export interface ControlOptions {
  /** The embedded database's directory, which this process holds. */
  readonly dataDir: string
  readonly commands: Readonly<Record<CommandName, RunCommand>>
  readonly log: Pick<Logger, 'info' | 'warn' | 'error'>
  /** Longest wait for a request on a new connection; 5 s by default. */
  readonly requestMs?: number
}

export interface Control {
  /** Accepts no more commands and interrupts running ones. */
  stop(): Promise<void>
}

/** Running commands, by their abort controller. */
type Running = Map<AbortController, Promise<unknown>>

/** Runs commands for other processes of this user, over a socket in the data directory that only this user may open. */
export async function startControl(options: ControlOptions): Promise<Control> {
  const path = toControlPath(options.dataDir)
  if (path === null) {
    options.log.warn(
      { dataDir: options.dataDir },
      'DATA_DIR is too long a path for a control socket: commands need the gateway stopped',
    )
    return { stop: async () => {} }
  }
  await rm(path, { force: true }) // left by a killed gateway; this process holds the directory, so nobody listens
  const running: Running = new Map()
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    socket.on('error', () => socket.destroy()) // the caller has disconnected; the close event aborts its command
    void serveCaller(socket, running, options)
  })
  server.maxConnections = MAX_CONNECTIONS
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(path, resolve)
  })
  await chmod(path, 0o600) // the directory has mode 700, so nobody else came in before
  return {
    stop: async () => {
      server.close()
      for (const controller of running.keys()) controller.abort(new Interrupted('the gateway stops'))
      await settledWithin(STOP_MS, Promise.all(running.values()))
      for (const socket of sockets) socket.destroy()
    },
  }
}

async function serveCaller(
  socket: Socket,
  running: Running,
  { commands, log, requestMs = REQUEST_MS }: ControlOptions,
): Promise<void> {
  const silence = setTimeout(() => rejectSocket(socket, `no request within ${requestMs} ms`), requestMs)
  const controller = new AbortController()
  socket.on('close', () => {
    clearTimeout(silence)
    controller.abort(new Interrupted('the command that requested it has ended'))
  })
  try {
    // Not destroyed when reading stops early: the reason must still be sent.
    const lines = readLines(socket.iterator({ destroyOnReturn: false }), MAX_REQUEST_BYTES)
    const first = await lines.next()
    clearTimeout(silence)
    if (first.done === true) return
    const request = parseMessage(first.value, CommandRequest)
    if (running.size >= MAX_RUNNING) {
      rejectSocket(socket, `${MAX_RUNNING} commands are running already; try again when one has ended`)
      return
    }
    log.info({ command: request.command }, 'command begun')
    const work = runCommand(socket, request, { run: commands[request.command], controller, log })
    running.set(controller, work)
    void work.finally(() => running.delete(controller))
    for await (const line of lines) {
      parseMessage(line, Abort)
      controller.abort(new Interrupted('interrupted'))
    }
  } catch (error) {
    if (error instanceof ProtocolError || error instanceof LineTooLong)
      rejectSocket(socket, `protocol error: ${error.message}`)
    else socket.destroy()
    controller.abort(new Interrupted('the connection of the command that requested it failed'))
  }
}

interface Run {
  readonly run: RunCommand
  readonly controller: AbortController
  readonly log: ControlOptions['log']
}

async function runCommand(
  socket: Socket,
  request: CommandRequest,
  { run, controller, log }: Run,
): Promise<void> {
  const { args, directory, isTerminal, command } = request
  const began = performance.now()
  const call: CommandCall = {
    args,
    directory,
    isTerminal,
    signal: controller.signal,
    out: (text) => sendText(socket, text, (out) => ({ out })),
    err: (text) => sendText(socket, text, (err) => ({ err })),
  }
  let exit = 1
  try {
    exit = await run(call)
  } catch (error) {
    log.error({ err: error, command }, 'command failed')
    call.err(`${command}: internal error; the gateway's log has the cause\n`)
  }
  log.info({ command, exit, durationMs: Math.round(performance.now() - began) }, 'command ended')
  finish(socket, { exit })
}

function sendText(socket: Socket, text: string, messageOf: (piece: string) => ControlReply): void {
  for (let start = 0; start < text.length; start += MAX_PIECE_LENGTH) {
    if (!socket.writable) return
    if (socket.writableLength > MAX_UNREAD_BYTES) {
      socket.destroy()
      return
    }
    socket.write(encodeLine(messageOf(text.slice(start, start + MAX_PIECE_LENGTH))))
  }
}

function rejectSocket(socket: Socket, reason: string): void {
  finish(socket, { refused: reason })
}

/** Sends the last message; a caller that does not read it is disconnected. */
function finish(socket: Socket, message: ControlReply): void {
  if (!socket.writable) return
  socket.end(encodeLine(message))
  socket.resume() // drops incoming data: closing with unread bytes would discard the message
  const cut = setTimeout(() => socket.destroy(), LINGER_MS)
  socket.once('close', () => clearTimeout(cut))
}
