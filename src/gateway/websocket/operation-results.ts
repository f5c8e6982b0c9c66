import { GraphQLError } from 'graphql'
import type { Reply } from '../../platform/request/exchange.js'
import { bodyText, isStream } from '../../platform/request/reply-body.js'

/** An execution result of the protocol. */
export type Result = Readonly<Record<string, unknown>>

/** Serializes an error of a response body unchanged. */
export class SentError extends GraphQLError {
  readonly #sent: object

  constructor(sent: { readonly message?: unknown }) {
    super(String(sent.message))
    this.#sent = sent
  }

  override toJSON() {
    return this.#sent as ReturnType<GraphQLError['toJSON']> // the pipeline wrote it in this format
  }
}

/** Parses the results of a reply: one, or one per event. Returns errors if nothing of the operation ran. */
export async function parseResults(reply: Reply): Promise<readonly SentError[] | AsyncIterable<Result>> {
  if (isStream(reply.body)) return parsed(reply.body)
  const result = JSON.parse(bodyText(reply) ?? '{}') as Result // the pipeline wrote it
  if (!('data' in result) && Array.isArray(result.errors))
    return result.errors.map((error) => new SentError(error))
  return once(result)
}

async function* parsed(parts: AsyncIterable<Uint8Array>): AsyncGenerator<Result, void> {
  for await (const part of parts) yield JSON.parse(Buffer.from(part).toString()) as Result // the pipeline wrote it
}

async function* once(result: Result): AsyncGenerator<Result, void> {
  yield result
}
