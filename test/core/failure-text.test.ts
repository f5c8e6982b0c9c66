import { expect, it } from 'vitest'
import { ApiError } from '../../src/core/errors.js'
import { failureText } from '../../src/core/failure-text.js'
import { errorText } from '../../src/ingest/run/ledger.js'
import { openDatabase } from '../../src/platform/database/database.js'
import { UpstreamError } from '../../src/platform/http-client/upstream-error.js'

it('names the database and the cause where a statement or a Prisma call finds no server', async () => {
  const url = 'postgresql://ada:hidden@127.0.0.1:1/market'
  const database = await openDatabase({ kind: 'postgres', url })
  const failures = await Promise.all(
    [database.rows('select 1'), database.ping(), database.prisma.account.findFirst()].map((work) =>
      work.then(
        () => null,
        (error: unknown) => error,
      ),
    ),
  )
  await database.close()
  for (const failure of failures) {
    const text = errorText(failure)
    expect(text).toMatch(/^the database cannot be used: .*127\.0\.0\.1:1/)
    expect(text).not.toMatch(/A part that this answer needs|invocation|hidden|\n/)
  }
})

it('names an upstream that cannot be reached, and not the database', () => {
  const cause = Object.assign(new Error('getaddrinfo ENOTFOUND api.kraken.com'), { code: 'ENOTFOUND' })
  const failure = new UpstreamError('unreachable', 'https://api.kraken.com/ is unreachable (ENOTFOUND)', {
    cause,
  })
  expect(errorText(failure)).toBe('UpstreamError: https://api.kraken.com/ is unreachable (ENOTFOUND)')
})

it('removes passwords of addresses and API keys, and has each attempt of a name with several addresses', () => {
  const key = `mdg_live_${'a'.repeat(20)}`
  const one = new Error(`redis://user:hidden@host:6379 answered ${key}`)
  expect(failureText(new AggregateError([one, new Error('second')]))).toBe(
    'redis://[redacted]@host:6379 answered mdg_[redacted]; second',
  )
})

it('keeps the public text of a failure that has no cause', () => {
  expect(failureText(new ApiError('service_unavailable', { message: 'Too many wait.' }))).toBe(
    'Too many wait.',
  )
})
