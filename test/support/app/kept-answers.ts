import { expect } from 'vitest'
import type { DatasetName } from '../../../src/core/datasets.js'
import type { Database } from '../../../src/platform/database/database.js'
import { bumpDataset } from '../../../src/platform/database/versions/bump-dataset.js'
import { loadDatasetState } from '../../../src/platform/database/versions/dataset-states-store.js'
import type { Answer, TestApp } from './app.js'

/**
 * Headers that belong to one request and not to the answer. The length differs by that of `cache_hit`'s value; and how
 * long a preflight holds says something on the answer to a preflight only.
 */
const OWN_HEADERS: ReadonlySet<string> = new Set([
  'access-control-max-age',
  'connection',
  'content-length',
  'date',
  'keep-alive',
  'ratelimit',
  'x-ratelimit-remaining',
  'x-request-id',
])

/** The headers that two answers to one question have in common. */
export function lastingHeaders({ headers }: Answer): Readonly<Record<string, string>> {
  return Object.fromEntries([...headers].filter(([name]) => !OWN_HEADERS.has(name)))
}

/** Whether an answer came from the cache, as the log tells it. */
export function wasKept(app: TestApp, { headers }: Answer): boolean {
  const requestId = headers.get('x-request-id') ?? ''
  expect(requestId).not.toBe('')
  // From the end: the log of a long test has thousands of lines before this one.
  const line = app.logLines.findLast((text) => text.includes(requestId) && text.includes('"msg":"request"'))
  if (line === undefined) throw new Error(`the log has no request ${requestId}`)
  return (JSON.parse(line) as { readonly cache_hit: boolean }).cache_hit // written by the access log
}

/** The text of an answer as it reads when it was kept. */
export function asKept(text: string): string {
  return text.replaceAll('"cache_hit":false', '"cache_hit":true')
}

/** Longer than any node goes on with the versions it has read. */
export const SEEN_AFTER_MS = 500

/** Commits a new version of a dataset, or its first; rows stay as they are. Nodes see it `SEEN_AFTER_MS` later by their clock. */
export async function commitVersion(database: Database, dataset: DatasetName): Promise<number> {
  return database.transaction(async (tx) => {
    const state = await loadDatasetState(tx, dataset)
    const facts = state ?? { dataset, source: 'seed', isDevDataset: true, observedAt: new Date() }
    await bumpDataset(tx, { ...facts, changedAt: new Date() })
    return (state?.version ?? 0) + 1
  })
}

/**
 * Members that differ between two answers to one question, each under its own request and from the cache or not. When a
 * key was last used is written in the background, by the questions themselves.
 */
const OWN_MEMBERS: ReadonlySet<string> = new Set(['cache_hit', 'request_id', 'remaining', 'last_used_at'])

/** The body without what belongs to one request or says whether it was kept. */
export function plainBody({ text, body }: Answer): unknown {
  if (body === null) return text
  return JSON.parse(JSON.stringify(body, (name, value: unknown) => (OWN_MEMBERS.has(name) ? null : value)))
}
