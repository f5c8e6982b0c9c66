import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { changeCursor } from '../../../../src/core/change-position.js'
import { ACTION_CHANGES, type ActionChange } from '../../../../src/domains/stocks/changes/change-store.js'
import { actionsSink, removeSeedActions } from '../../../../src/ingest/datasets/stocks/ingestion.js'
import type { Database } from '../../../../src/platform/database/database.js'
import { availableDatabases, openTestDatabase } from '../../../support/database/database.js'
import { emptied } from '../../../support/database/emptied.js'
import { content, draft, land } from '../../analysis/analysis-world.js'
import {
  action,
  dividend,
  KNOWN,
  landActions,
  landDividends,
  tickerChange,
  writeStocks,
} from './action-world.js'

const STOCKS = 12
const EVERYTHING = { since: null, assetIds: null, actionType: null, changeKind: null }
const later = (minutes: number) => new Date(KNOWN.getTime() + minutes * 60_000)

describe.each(availableDatabases())('changes of corporate actions on %s', (kind) => {
  let database: Database
  beforeAll(async () => {
    database = await openTestDatabase(kind)
    await writeStocks(database, STOCKS)
  })
  afterEach(async () => {
    await emptied(database, [
      ...['corporate_action_change', 'corporate_action', 'dividend', 'analysis_snapshot', 'analysis_change'],
    ])
    await database.rows("delete from instrument_identifier where value = 'OLD'")
    await database.rows('delete from dataset_state')
  })
  afterAll(() => database?.close())

  const all = (more: Partial<typeof EVERYTHING> & { since?: Date | null } = {}) =>
    ACTION_CHANGES.loadBefore(database, { ...EVERYTHING, ...more }, { before: null, limit: 10_000 })
  /** The changes, oldest first, as far as they differ between actions. */
  const recorded = async () =>
    (await all()).toReversed().map(({ actionType, changeKind, before, after }) => ({
      ...{ actionType, changeKind, before, after },
    }))
  const terms = (more: object) => ({
    ...{ ratio: null, value_ratio: null, description: null, former_ticker: null },
    ...{ pay_date: null, amount: null, currency: null, frequency: null },
    ...more,
  })
  const split = (ratio: number) => terms({ ex_date: '2026-12-01', ratio })

  it('are created once per action, and a repeated body adds nothing', async () => {
    const body = [action(), action({ actionType: 'spin_off', valueRatio: '0.8' as never })]
    await landActions(database, body)
    expect(await recorded()).toMatchObject([
      { actionType: 'spin_off', changeKind: 'created', before: null, after: { value_ratio: 0.8 } },
      { actionType: 'split', changeKind: 'created', before: null, after: split(4) },
    ])
    expect(await landActions(database, body, later(1))).toMatchObject({ added: 0, revised: 0, unchanged: 2 })
    expect(await recorded()).toHaveLength(2)
    // The same number in other digits is no change either.
    await landActions(database, [action({ ratio: '4.000' as never })], later(2))
    expect(await recorded()).toHaveLength(2)
  })

  it('are revised with the terms before and after, and know since when', async () => {
    await landActions(database, [action()])
    await landActions(database, [action({ ratio: '5' as never })], later(1))
    const [newest] = await all()
    expect(newest).toMatchObject({
      ...{ changeKind: 'revised', before: split(4), after: split(5), knownFrom: later(1) },
      ...{ provider: 'operator', asset: { slug: 'stock-1' } },
    })
    expect(newest?.computedAt).toEqual(later(1))
  })

  it('of a withdrawn action have no terms after it; a restored one has none before it', async () => {
    await landActions(database, [action()])
    await landActions(database, [action({}, true)], later(1))
    await landActions(database, [action({}, true)], later(2))
    await landActions(database, [action()], later(3))
    expect(await recorded()).toEqual([
      { actionType: 'split', changeKind: 'created', before: null, after: split(4) },
      { actionType: 'split', changeKind: 'revised', before: split(4), after: null },
      { actionType: 'split', changeKind: 'revised', before: null, after: split(4) },
    ])
  })

  it('cover dividends as their list shows them: a sum of the day gives way to the stated kinds', async () => {
    await landDividends(database, [dividend({ frequency: 'unspecified' })])
    await landDividends(database, [dividend(), dividend({ frequency: 'special' })], later(1))
    const changes = (await recorded()).map(({ changeKind, before, after }) => [
      changeKind,
      before?.frequency ?? null,
      after?.frequency ?? null,
    ])
    expect(changes[0]).toEqual(['created', null, 'unspecified'])
    expect(changes.slice(1).sort()).toEqual([
      ['created', null, 'quarterly'],
      ['created', null, 'special'],
      ['revised', 'unspecified', null],
    ])
  })

  it('cover tickers that the operator or the masters change', async () => {
    await landActions(database, [tickerChange('2020-01-02')])
    await landActions(database, [tickerChange('2020-01-03')], later(1))
    await landActions(database, [tickerChange('2020-01-03', true)], later(2))
    const old = (day: string) => terms({ ex_date: day, former_ticker: 'OLD' })
    expect(await recorded()).toEqual([
      { actionType: 'ticker_change', changeKind: 'created', before: null, after: old('2020-01-02') },
      {
        actionType: 'ticker_change',
        changeKind: 'revised',
        before: old('2020-01-02'),
        after: old('2020-01-03'),
      },
      { actionType: 'ticker_change', changeKind: 'revised', before: old('2020-01-03'), after: null },
    ])
  })

  it('of synthetic actions go with them, and the count of the rest is right', async () => {
    await landActions(database, [action(), action({ assetId: 2 })])
    await database.rows("update corporate_action set source = 'seed' where asset_id = 2")
    await database.rows("update corporate_action_change set source = 'seed' where asset_id = 2")
    await landDividends(database, [dividend()], later(1))
    await database.transaction((tx) => removeSeedActions(tx))
    expect((await recorded()).map(({ actionType }) => actionType)).toEqual(['split', 'dividend'])
  })

  it('are counted as they are listed, for every filter', async () => {
    for (let round = 0; round < 4; round += 1) {
      const rows = Array.from({ length: STOCKS }, (_, at) =>
        action({ assetId: at + 1, ratio: `${round + 2}` as never }),
      )
      await landActions(database, rows, later(round))
      await landDividends(database, [dividend({ amount: `0.${round + 1}` as never })], later(round))
    }
    const filters = [
      ...[
        {},
        { since: later(2) },
        { since: later(9) },
        { assetIds: [1, 3] },
        { actionType: 'split' as const },
      ],
      ...[
        { changeKind: 'created' as const },
        { changeKind: 'revised' as const, since: later(1), assetIds: [1] },
      ],
    ]
    for (const more of filters) {
      const filter = { ...EVERYTHING, ...more }
      const listed = await ACTION_CHANGES.loadBefore(database, filter, { before: null, limit: 10_000 })
      expect([more, await ACTION_CHANGES.count(database, filter)]).toEqual([more, listed.length])
    }
    expect(await ACTION_CHANGES.count(database, EVERYTHING)).toBe(4 * STOCKS + 4)
  })

  it('have one order with changes of analyses, which rises with every commit', async () => {
    await land(database, [draft({ content: content({ sentiment_score: 0.1 }) })], { knownAt: later(5) })
    await land(database, [draft({ content: content({ sentiment_score: 0.2 }) })], { knownAt: later(6) })
    // The clock of this process is behind.
    await landActions(database, [action()], later(1))
    await land(database, [draft({ content: content({ sentiment_score: 0.3 }) })], { knownAt: later(2) })
    const rows = await database.rows<{ feed: string }>(
      `select feed from (select 'analysis' as feed, computed_at, diff_id from analysis_change
         union all select 'action', computed_at, diff_id from corporate_action_change) as c
       order by computed_at, diff_id`,
    )
    expect(rows.map(({ feed }) => feed)).toEqual(['analysis', 'action', 'analysis'])
  })

  it('lose no item to a reader that follows the newest one while transactions commit in any order', async () => {
    const seen: ActionChange[] = []
    let isOver = false
    const follow = async () => {
      const known = new Set<string>()
      for (let isLast = false; !isLast; ) {
        isLast = isOver
        // Reads newest first, up to the newest item of the last time: what is older must have been seen.
        const newestSeen = seen.at(-1)
        const found = await ACTION_CHANGES.loadBefore(database, EVERYTHING, { before: null, limit: 10_000 })
        const end =
          newestSeen === undefined
            ? found.length
            : found.findIndex(({ diffId }) => diffId === newestSeen.diffId)
        for (const change of found.slice(0, end).toReversed()) {
          expect(known.has(change.changeId)).toBe(false)
          known.add(change.changeId)
          seen.push(change)
        }
        await sleep(3)
      }
    }
    // Three writers leave a connection of the pool to the reader.
    const writers = 3
    const write = async (first: number) => {
      for (let assetId = first; assetId <= STOCKS; assetId += writers)
        for (let round = 0; round < 4; round += 1)
          // Without the lock of a dataset: changes of tickers are written by runs of other datasets.
          await database.transaction(async (tx) => {
            const known = { knownAt: later((assetId * 7 + round) % 5), source: 'operator' }
            await actionsSink.write(tx, [action({ assetId, ratio: `${round + 2}` as never })], known)
            await sleep((assetId * 13 + round * 5) % 23)
          })
    }
    const following = follow()
    await Promise.all(Array.from({ length: writers }, (_, at) => write(at + 1)))
    isOver = true
    await following
    const stored = await all()
    expect(stored).toHaveLength(4 * STOCKS)
    expect(seen.map(changeCursor)).toEqual(stored.toReversed().map(changeCursor))
  })
})
