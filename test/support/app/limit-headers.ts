import { expect } from 'vitest'
import type { Answer } from './app.js'

/** One quota window as an answer tells it. */
interface Window {
  readonly policy: string
  readonly remaining: number
}

/** The windows of the RateLimit header; throws where an answer does not carry all five headers, alike. */
export function windowsOf({ headers }: Answer): readonly Window[] {
  const windows = (headers.get('ratelimit') ?? '').split(', ').map((text) => {
    const [, policy = '', remaining, seconds] = /^"(\w+)";r=(\d+);t=(\d+)$/.exec(text) ?? []
    return { policy, remaining: Number(remaining), seconds: Number(seconds) }
  })
  const policies = (headers.get('ratelimit-policy') ?? '').split(', ').map((text) => {
    const [, policy, quota] = /^"(\w+)";q=(\d+);w=\d+$/.exec(text) ?? []
    return { policy, quota: Number(quota) }
  })
  expect(policies.map(({ policy }) => policy)).toEqual(windows.map(({ policy }) => policy))
  const tightest = Math.min(...windows.map(({ remaining }) => remaining))
  expect(Number(headers.get('x-ratelimit-remaining'))).toBe(tightest)
  const tightestPolicy = policies.find(({ quota }) => quota === Number(headers.get('x-ratelimit-limit')))
  expect(windows.find(({ policy }) => policy === tightestPolicy?.policy)?.remaining).toBe(tightest)
  expect(Number(headers.get('x-ratelimit-reset')) % 3600).toBe(0)
  return windows
}

export const remainingOf = (answer: Answer) => Number(answer.headers.get('x-ratelimit-remaining'))
/** Seconds of Retry-After. */
export const waitOf = (answer: Answer) => Number(answer.headers.get('retry-after'))
