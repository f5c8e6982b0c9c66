import { describe, expect, it } from 'vitest'
import { lifetimeHeaders } from '../../../../src/gateway/http/cache/lifetime-headers.js'

const NOW = new Date('2026-11-20T12:00:00Z')
const HOUR_MS = 3_600_000

function cacheControl(dueInMs: number, data: { isDevDataset?: boolean; isOutdated?: boolean } = {}) {
  const head = { etag: 'W/"tag"', endsAtMs: null, refreshAtMs: NOW.getTime() + dueInMs }
  const headers = lifetimeHeaders(
    head,
    { dataVersion: 'forex=1', isDevDataset: false, isOutdated: false, ...data },
    NOW,
  )
  return headers.at(-1)
}

describe('the lifetime of a response', () => {
  it('ends when newer data is due, and is zero for outdated data', () => {
    expect(cacheControl(3 * HOUR_MS)).toBe('private, max-age=10800')
    expect(cacheControl(-1)).toBe('private, no-cache')
    expect(cacheControl(3 * HOUR_MS, { isOutdated: true })).toBe('private, no-cache')
  })

  it('is at most an hour for synthetic data', () => {
    expect(cacheControl(100 * 24 * HOUR_MS, { isDevDataset: true })).toBe('private, max-age=3600')
    expect(cacheControl(60_000, { isDevDataset: true })).toBe('private, max-age=60')
  })
})
