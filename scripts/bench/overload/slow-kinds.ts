import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { SlowKind } from './slow-clients.js'

/** Requests that a client sends at once and whose responses it never reads. The responses exceed the buffers of a socket. */
const PIPELINED = 100

const BYTE_MS = 1_000

/** Size of the announced body, which is never completed. */
const BODY_BYTES = 100_000

/** Requests large responses on one connection and reads none of them. */
export function neverReads(count: number, path: string, apiKey: string): SlowKind {
  const request = `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nX-API-Key: ${apiKey}\r\n\r\n`
  return {
    name: 'never reads, requests pipelined',
    count,
    begin: (socket) => {
      socket.pause()
      socket.write(request.repeat(PIPELINED))
    },
  }
}

/** Sends the headers of a request at one byte per second. */
export function slowHeaders(count: number): SlowKind {
  return {
    name: 'headers, 1 byte a second',
    count,
    begin: (socket, stop) => trickle(socket, 'GET /v1/assets HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ', stop),
  }
}

/** Sends the body of a request at one byte per second. */
export function slowBody(count: number, apiKey: string): SlowKind {
  const head = [
    'POST /graphql HTTP/1.1',
    'Host: 127.0.0.1',
    `X-API-Key: ${apiKey}`,
    'Content-Type: application/json',
    `Content-Length: ${BODY_BYTES}`,
  ].join('\r\n')
  return {
    name: 'body, 1 byte a second',
    count,
    begin: (socket, stop) => trickle(socket, `${head}\r\n\r\n{"query":"`, stop),
  }
}

function trickle(socket: Socket, beginning: string, stop: AbortSignal): void {
  socket.resume() // a refusal is read and thrown away
  socket.write(beginning)
  void sendBytes(socket, stop)
}

async function sendBytes(socket: Socket, stop: AbortSignal): Promise<void> {
  while (!stop.aborted && socket.writable) {
    await sleep(BYTE_MS)
    if (socket.writable) socket.write('x')
  }
}
