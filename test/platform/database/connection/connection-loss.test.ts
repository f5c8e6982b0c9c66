import { describe, expect, it } from 'vitest'
import { ApiError } from '../../../../src/core/errors.js'
import { asUnavailable } from '../../../../src/platform/database/connection/connection-loss.js'

const driverError = (severity: string, code: string) =>
  Object.assign(new Error('server conn crashed?'), { severity, code })

/** As Prisma's client carries an error of its adapter. */
const prismaError = (severity: string, originalCode: string) => ({
  code: 'P2010',
  meta: { driverAdapterError: { cause: { kind: 'postgres', originalCode, code: originalCode, severity } } },
})

describe('the loss of a database connection', () => {
  it.each([
    ['the driver', driverError],
    ['Prisma', prismaError],
  ])('is distinguished from an error of a statement if PgBouncer ends it, by %s', (_, error) => {
    const lost = asUnavailable(error('FATAL', '08P01'))
    expect(lost).toBeInstanceOf(ApiError)
    expect(lost).toMatchObject({ code: 'service_unavailable' })
    // PostgreSQL reports a wrong message of ours by the same code.
    const fault = error('ERROR', '08P01')
    expect(asUnavailable(fault)).toBe(fault)
  })

  it.each([
    ['the driver', driverError],
    ['Prisma', prismaError],
  ])('is also what a transaction gets that the server ended because of a deadlock, by %s', (_, error) => {
    expect(asUnavailable(error('ERROR', '40P01'))).toMatchObject({ code: 'service_unavailable' })
  })

  it('is also what the limit of a statement throws when Prisma passes it on', () => {
    const passed = Object.assign(new Error('Invalid `prisma.usageDay.groupBy()` invocation'), {
      code: 'service_unavailable',
      meta: { modelName: 'UsageDay' },
    })
    expect(asUnavailable(passed)).toMatchObject({ code: 'service_unavailable', cause: passed })
  })

  it.each([
    ['the driver', '28P01', driverError],
    ['the driver', '28000', driverError],
    ['Prisma', '28P01', prismaError],
    ['Prisma', '28000', prismaError],
  ])(
    'is also a new connection that the server refuses, because a password or a right changed, by %s (%s)',
    (_, code, error) => {
      expect(asUnavailable(error('FATAL', code))).toMatchObject({ code: 'service_unavailable' })
    },
  )
})
