import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/** What the server does with one call. */
export type Reply =
  | {
      readonly kind: 'content'
      readonly content: string
      readonly finishReason?: string
      readonly model?: string
    }
  | { readonly kind: 'body'; readonly status: number; readonly text: string }
  | { readonly kind: 'slow'; readonly ms: number }

export interface Call {
  readonly url: string
  readonly authorization: string | null
  readonly body: {
    readonly model: string
    readonly messages: readonly { readonly role: string; readonly content: string }[]
    readonly response_format?: { readonly type: string }
    readonly temperature?: number
  }
}

export function says(summary: string, score: number | null = 0.25): Reply {
  return { kind: 'content', content: JSON.stringify({ summary, sentiment_score: score }) }
}

/** A chat-completions endpoint on this machine: plays its replies in order, the last one again and again. */
export class ChatServer {
  readonly calls: Call[] = []
  #replies: readonly Reply[] = []
  readonly #server: Server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', async () => {
      const reply = this.#replies[Math.min(this.calls.length, this.#replies.length - 1)]
      this.calls.push({
        url: request.url ?? '',
        authorization: request.headers.authorization ?? null,
        body: JSON.parse(Buffer.concat(chunks).toString()),
      })
      if (reply?.kind === 'slow') await sleep(reply.ms)
      const { status, text } = answerOf(reply)
      response.writeHead(status, { 'content-type': 'application/json' }).end(text)
    })
  })

  play(...replies: readonly Reply[]): void {
    this.calls.length = 0
    this.#replies = replies
  }

  async open(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve))
    const { port } = this.#server.address() as AddressInfo // listening on TCP
    return `http://127.0.0.1:${port}/v1`
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }
}

function answerOf(reply: Reply | undefined): { readonly status: number; readonly text: string } {
  if (reply?.kind === 'body') return reply
  const content = reply?.kind === 'content' ? reply.content : '{}'
  const finishReason = reply?.kind === 'content' ? (reply.finishReason ?? 'stop') : 'stop'
  const completion = {
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1_795_176_000,
    model: (reply?.kind === 'content' ? reply.model : undefined) ?? 'test-model-2026-11',
    choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: finishReason }],
    usage: { prompt_tokens: 321, completion_tokens: 45, total_tokens: 366 },
  }
  return { status: 200, text: JSON.stringify(completion) }
}
