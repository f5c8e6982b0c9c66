import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { FEEDS, findFeed } from '../../../src/ingest/registry.js'
import type { Database } from '../../../src/platform/database/database.js'
import { availableDatabases, openTestDatabase } from '../../support/database/database.js'
import { expectAccounted, FIRST, runBody } from './body-account.js'
import { OTHER_BODIES } from './other-bodies.js'
import { SMALL_BODIES } from './small-bodies.js'

it('every feed of the registry has a small body for counting', () => {
  expect(Object.keys(SMALL_BODIES).sort()).toEqual(FEEDS.map(({ feed }) => feed.id).sort())
})

describe.each(availableDatabases())('a body on %s', (kind) => {
  let database: Database
  beforeAll(async () => {
    database = await openTestDatabase(kind)
    await runBody(database, findFeed('reference'), null, FIRST)
  })
  afterAll(() => database?.close())

  it.each(FEEDS.map((bound) => [bound.feed.id, bound] as const))(
    'of %s is accounted for cell by cell: stored, refused with a reason, or absent',
    (id, bound) =>
      expectAccounted(database, bound, SMALL_BODIES[id] ?? expect.fail(`${id} has no small body`)),
  )

  it.each(Object.entries(OTHER_BODIES))(
    'of %s, which is not a feed of the registry, is accounted for cell by cell too',
    async (_id, { bind, ...small }) => expectAccounted(database, await bind(database), small),
  )
})
