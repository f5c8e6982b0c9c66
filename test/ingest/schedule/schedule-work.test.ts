import { describe, expect, it } from 'vitest'
import { createJobs } from '../../../src/ingest/jobs.js'
import { FEEDS } from '../../../src/ingest/registry.js'
import { shardOfJob } from '../../../src/ingest/schedule/schedule-work.js'

describe('the shards of the schedule', () => {
  it('have one job each', () => {
    const jobs = createJobs({
      rpcUrls: new Map([[1, ['http://node.example']]]),
      newsFeeds: ['https://news.example/rss'],
      weekly: {} as never, // only that releases are written counts here
    }).map(({ name }) => name)
    const names = new Set([...jobs, ...FEEDS.map(({ feed }) => feed.id)])
    expect(jobs.length).toBeGreaterThan(30)
    expect(new Set([...names].map(shardOfJob)).size).toBe(names.size)
  })
})
