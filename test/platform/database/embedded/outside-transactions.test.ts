import { PGlite } from '@electric-sql/pglite'
import { describe, expect, it } from 'vitest'
import { outsideTransactions } from '../../../../src/platform/database/embedded/outside-transactions.js'

// The adapter uses two members that PGlite does not document: a version that changes them fails here.
describe('work on PGlite outside transactions', () => {
  it('waits for the end of the open transaction, and delays the next one', async () => {
    const engine = await PGlite.create()
    const order: string[] = []
    let end = () => {}
    const mayEnd = new Promise<void>((resolve) => {
      end = resolve
    })
    let first: Promise<void> | undefined
    await new Promise<void>((begun) => {
      first = engine.transaction(async () => {
        begun()
        await mayEnd
        order.push('first transaction')
      })
    })
    const work = outsideTransactions(engine, async () => {
      await new Promise(setImmediate)
      order.push('work')
      return 'its result'
    })
    const second = engine.transaction(async () => void order.push('second transaction'))
    await new Promise(setImmediate)
    expect(order).toEqual([])
    end()
    expect(await work).toBe('its result')
    await Promise.all([first, second])
    expect(order).toEqual(['first transaction', 'work', 'second transaction'])
    await engine.close()
  })

  it('waits until the engine is ready, and is refused by a closed one, like `query`', async () => {
    const engine = new PGlite()
    expect(await outsideTransactions(engine, async () => engine.ready)).toBe(true)
    await engine.close()
    const refused = await engine.query('select 1').catch((error: unknown) => error)
    const work = outsideTransactions(engine, () => Promise.reject(new Error('has run')))
    expect(await work.catch((error: unknown) => error)).toEqual(refused)
    expect(refused).toEqual(new Error('PGlite is closed'))
  })
})
