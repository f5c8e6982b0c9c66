import type { Case } from '../shared/cases/cases.js'
import type { Contender, ContenderKind } from '../shared/contenders.js'
import { isCompressed, isConditional } from '../shared/contenders.js'
import { askAll } from './request.js'
import type { Load } from './wrk.js'

/** What a case sends to a server of the API. */
export function apiLoad(benchCase: Case, port: number, apiKey: string): Load {
  return {
    origin: `http://127.0.0.1:${port}`,
    paths: benchCase.paths,
    method: benchCase.method,
    headers: {
      'X-API-Key': apiKey,
      ...(benchCase.body !== null && { 'Content-Type': 'application/json' }),
    },
    body: benchCase.body,
  }
}

/** Path prefix of the bare server's response: with length and type only, with all headers, or as a 304. */
export function barePath(kind: ContenderKind, path: string): string {
  return `/${kind}${path}`
}

/** The requests for a contender of a case. For a 304 they contain its current ETag. */
export async function loadOf(
  { kind, server }: Contender,
  asked: Case,
  port: number,
  apiKey: string,
): Promise<Load> {
  const load = apiLoad(asked, port, apiKey)
  if (server.kind === 'bare') {
    const [first, ...more] = load.paths
    return { ...load, paths: [barePath(kind, first), ...more.map((path) => barePath(kind, path))] }
  }
  if (isCompressed(kind)) return { ...load, headers: { ...load.headers, 'Accept-Encoding': 'br' } }
  if (!isConditional(kind)) return load
  const [{ headers }] = await askAll(200, load)
  return { ...load, headers: { ...load.headers, 'If-None-Match': headers.etag ?? '' } }
}

export function statusOf(kind: ContenderKind): number {
  return isConditional(kind) ? 304 : 200
}
