import type { Case } from './cases.js'
import { type ContenderName, isConditional, serverOf } from './contenders.js'
import { askFor } from './request.js'
import type { Load } from './wrk.js'

/** What a case sends to a server of the API. */
export function apiLoad(asked: Case, port: number, apiKey: string): Load {
  return {
    url: `http://127.0.0.1:${port}${asked.path}`,
    method: asked.method,
    headers: {
      'X-API-Key': apiKey,
      ...(asked.body !== null && { 'Content-Type': 'application/json' }),
    },
    body: asked.body,
  }
}

/** Where the bare server has the answer of a case. */
export function barePath(asked: Case, status: number): string {
  return `/${asked.name}/${status}`
}

/** What a contender of a case is sent now; with the ETag it has now where it is asked for a 304. */
export async function loadOf(
  contender: ContenderName,
  asked: Case,
  port: number,
  apiKey: string,
): Promise<Load> {
  const load = apiLoad(asked, port, apiKey)
  const status = statusOf(contender)
  if (serverOf(contender) === 'bare')
    return { ...load, url: `http://127.0.0.1:${port}${barePath(asked, status)}` }
  if (!isConditional(contender)) return load
  const { headers } = await askFor(200, load)
  return { ...load, headers: { ...load.headers, 'If-None-Match': headers.etag ?? '' } }
}

export function statusOf(contender: ContenderName): number {
  return isConditional(contender) ? 304 : 200
}
