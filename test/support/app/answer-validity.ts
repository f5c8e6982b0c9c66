import { expect } from 'vitest'
import type { Answer, TestApp } from './app.js'
import { plainBody, wasKept } from './kept-answers.js'

/** Gateways on one database. */
interface WatchedApps {
  readonly app: TestApp
  readonly other: TestApp
  /** Keeps no answer, so that each is computed. */
  readonly keepless: TestApp
  readonly key: string
}

export const etagOf = ({ headers }: Answer) => headers.get('etag') ?? ''
const versionOf = ({ headers }: Answer) => headers.get('x-data-version') ?? ''

/** Checks whether an answer is still valid, and that what is served equals a computed answer. */
export function watchValidity(appsOf: () => WatchedApps) {
  /** Whether the answer to a question is served again, by the memory of its node and by its tag on both. */
  async function isValid(path: string, tag: string): Promise<boolean> {
    const { app, other, keepless, key } = appsOf()
    const [again, confirmed, elsewhere] = await Promise.all([
      app.rest(path, { key }),
      app.rest(path, { key, headers: { 'if-none-match': tag } }),
      other.rest(path, { key, headers: { 'if-none-match': tag } }),
    ])
    const kept = wasKept(app, again)
    expect([confirmed.status, elsewhere.status]).toEqual(kept ? [304, 304] : [200, 200])
    // What is served is what a new run returns, with the versions of now.
    const truth = await keepless.rest(path, { key })
    expect(plainBody(again)).toEqual(plainBody(truth))
    expect(versionOf(again)).toBe(versionOf(truth))
    return kept
  }

  /** Whether the answer to a question is still valid after a commit. */
  async function survives(path: string, commit: () => Promise<void>): Promise<boolean> {
    const { app, key } = appsOf()
    const first = await app.rest(path, { key })
    expect([path, first.status]).toEqual([path, 200])
    expect(await isValid(path, etagOf(first))).toBe(true)
    await commit()
    return isValid(path, etagOf(first))
  }

  return { isValid, survives }
}
