import type { IncomingMessage, ServerResponse } from 'node:http'
import { type Listening, listen } from '../../support/peers/sockets.js'

/** One answer of a gateway that is played; `cut`: the connection is broken, `hang`: there is none. */
export type Played = 'cut' | 'hang' | { status: number; headers?: Record<string, string>; body?: string }

/** A gateway that gives these answers in turn, the last one again and again, and notes what it is asked. */
export interface PlayedGateway {
  readonly url: string
  readonly asked: readonly { readonly method: string; readonly path: string; readonly at: number }[]
  close(): Promise<void>
}

export async function playGateway(answers: readonly Played[]): Promise<PlayedGateway> {
  const asked: { method: string; path: string; at: number }[] = []
  const server: Listening = await listen((request: IncomingMessage, response: ServerResponse) => {
    const answer = answers[Math.min(asked.length, answers.length - 1)] ?? 'hang'
    asked.push({ method: request.method ?? '', path: request.url ?? '', at: performance.now() })
    if (answer === 'cut') request.socket.destroy()
    else if (answer !== 'hang') response.writeHead(answer.status, answer.headers).end(answer.body ?? '{}')
  })
  return { url: server.url, asked, close: () => server.close() }
}
