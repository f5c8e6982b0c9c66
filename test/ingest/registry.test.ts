import { describe, expect, it } from 'vitest'
import { IngestError } from '../../src/ingest/feed.js'
import { FEEDS, findFeed } from '../../src/ingest/registry.js'

describe('the registry of feeds', () => {
  it('finds each feed by its id, and each id once', () => {
    const ids = FEEDS.map(({ feed }) => feed.id)
    expect(ids).toEqual(['ecb-history', 'ecb-daily'])
    expect(ids.map((id) => findFeed(id).feed.id)).toEqual(ids)
  })

  it('names the likely feed, or all of them', () => {
    expect(() => findFeed('ecb-dayly')).toThrow(
      new IngestError('there is no feed "ecb-dayly"; did you mean ecb-daily?'),
    )
    expect(() => findFeed('zzz')).toThrow('there is no feed "zzz"; known are ecb-history, ecb-daily')
  })
})
