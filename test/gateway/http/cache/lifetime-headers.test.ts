import { describe, expect, it } from 'vitest'
import { lifetimeHeaders } from '../../../../src/gateway/http/cache/lifetime-headers.js'

const NOW = new Date('2026-11-20T12:00:00Z')
const HOUR_MS = 3_600_000

function cacheControl(dueInMs: number, isDevDataset = false) {
  const head = { etag: 'W/"tag"', endsAtMs: null, refreshAtMs: NOW.getTime() + dueInMs }
  return lifetimeHeaders(head, { dataVersion: 'forex=1', isDevDataset }, NOW).at(-1)
}

describe('the lifetime of a response', () => {
  it('ends when newer data is due', () => {
    expect(cacheControl(3 * HOUR_MS)).toBe('private, max-age=10800')
    expect(cacheControl(-1)).toBe('private, no-cache')
  })

  it('is at most an hour for synthetic data', () => {
    expect(cacheControl(100 * 24 * HOUR_MS, true)).toBe('private, max-age=3600')
    expect(cacheControl(60_000, true)).toBe('private, max-age=60')
  })
})
