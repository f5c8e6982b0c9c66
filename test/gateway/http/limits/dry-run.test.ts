import { describe, expect, it } from 'vitest'
import { isDryRun } from '../../../../src/gateway/http/limits/dry-run.js'
import { exchangeOf } from '../../../support/app/transport.js'

const asked = (headers: Readonly<Record<string, string>>) => isDryRun(exchangeOf('/v1/assets', { headers }))

describe('a dry run', () => {
  it.each(['cost', 'COST', ' cost '])('is requested by X-Dry-Run: %j', (value) => {
    expect(asked({ 'x-dry-run': value })).toBe(true)
  })

  it('is not requested without the header', () => {
    expect(asked({})).toBe(false)
  })

  it.each(['yes', 'true', '1', 'no', '', 'cost, cost', 'price'])(
    'is not guessed from X-Dry-Run: %j, which is a 422 that names the header',
    (value) => {
      const exchange = { header: () => value }
      expect(() => isDryRun(exchange)).toThrow(
        expect.objectContaining({
          status: 422,
          details: [{ field: 'X-Dry-Run', message: 'must be cost; omit the header to run the request' }],
        }),
      )
    },
  )
})
