import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { toTable } from '../../../src/gateway/compat/openbb/views.js'
import { startTestApp, type TestApp } from '../../support/app/app.js'
import { quickestDatabase } from '../../support/database/database.js'
import { samplePath } from '../../support/samples.js'

interface Param {
  readonly paramName: string
  readonly type: string
  readonly value: unknown
  readonly options?: readonly { readonly label: string; readonly value: string }[]
}

interface Widget {
  readonly name: string
  readonly type: string
  readonly endpoint: string
  readonly gridData: { readonly w: number; readonly h: number }
  readonly params?: readonly Param[]
}

interface Tile {
  readonly i: string
  readonly x: number
  readonly y: number
  readonly w: number
  readonly h: number
  readonly state: { readonly params: Readonly<Record<string, unknown>> }
}

interface WorkspaceApp {
  readonly name: string
  readonly tabs: Readonly<Record<string, { readonly id: string; readonly layout: readonly Tile[] }>>
}

let app: TestApp
let key: string
let widgets: Readonly<Record<string, Widget>>
let apps: readonly WorkspaceApp[]
beforeAll(async () => {
  app = await startTestApp(quickestDatabase())
  key = await app.newKey({ tier: 'enterprise' })
  widgets = (await app.rest<typeof widgets>('/compat/openbb/widgets.json')).body
  apps = (await app.rest<typeof apps>('/compat/openbb/apps.json')).body
})
afterAll(() => app?.close())

const openbb = async (path: string) => {
  const { status, body } = await app.rest<unknown>(`/compat/openbb/${path}`, { key })
  return { status, body }
}

/** The types that the format knows. */
const WIDGET_TYPES = ['table', 'chart', 'metric', 'advanced_charting']
const PARAM_TYPES = ['text', 'number', 'boolean', 'date']

/** What a widget asks for when its parameters are untouched. */
function firstRequest(
  { endpoint, params = [] }: Widget,
  state: Readonly<Record<string, unknown>> = {},
): string {
  const query = new URLSearchParams(
    params.map(({ paramName, value }) => [paramName, String(state[paramName] ?? value)]),
  )
  return `${endpoint}?${query.toString()}`
}

describe('the widgets', () => {
  it('follow the rules of the format', () => {
    expect(Object.keys(widgets).length).toBeGreaterThan(50)
    expect(Object.keys(widgets)).not.toContain('table_webhook')
    for (const [id, widget] of Object.entries(widgets)) {
      expect([id, widget.name.length > 0, widget.endpoint.length > 0]).toEqual([id, true, true])
      expect([id, WIDGET_TYPES.includes(widget.type)]).toEqual([id, true])
      const { w, h } = widget.gridData
      expect([id, w >= 10 && w <= 40 && h >= 4 && h <= 100]).toEqual([id, true])
      const names = (widget.params ?? []).map(({ paramName }) => paramName)
      expect([id, new Set(names).size]).toEqual([id, names.length])
      for (const { paramName, type, value, options } of widget.params ?? []) {
        expect([id, paramName, PARAM_TYPES.includes(type)]).toEqual([id, paramName, true])
        expect([id, paramName, ['string', 'number', 'boolean'].includes(typeof value)]).toEqual([
          id,
          paramName,
          true,
        ])
        if (options !== undefined && value !== '')
          expect([id, paramName, options.some((option) => option.value === value)]).toEqual([
            id,
            paramName,
            true,
          ])
      }
    }
  })

  it.skipIf(samplePath('openbb/widgets_hello-world.json') === null)(
    'have the members of the recorded ones',
    () => {
      const read = (name: string): Record<string, object> =>
        JSON.parse(readFileSync(samplePath(`openbb/${name}`) ?? '', 'utf8'))
      const [recorded = {}] = Object.values(read('widgets_hello-world.json'))
      for (const name of Object.keys(recorded)) expect(widgets.table_assets).toHaveProperty(name)
      const [chart = {}] = Object.values(read('widgets_advanced_charting.json'))
      for (const name of Object.keys(chart)) expect(widgets.advanced_chart).toHaveProperty(name)
    },
  )

  it('each answer what they ask for first: tables with flat rows, charts with points, metrics with a figure', async () => {
    const failed: unknown[] = []
    for (const [id, widget] of Object.entries(widgets)) {
      if (widget.type === 'advanced_charting') continue
      const { status, body } = await openbb(firstRequest(widget))
      if (status !== 200) failed.push([id, status, body])
      else expect([id, isShown(widget.type, body)]).toEqual([id, true])
    }
    expect(failed).toEqual([])
  }, 300_000)

  it('read the bars of UDF below their prefix, with its errors', async () => {
    expect(await openbb('udf/symbols?symbol=BINANCE:bitcoin')).toMatchObject({
      body: { ticker: 'BINANCE:bitcoin:1' },
    })
    expect(await openbb('udf/history?symbol=x')).toEqual({
      status: 200,
      body: { s: 'error', errmsg: 'unknown_symbol x' },
    })
  })
})

function isShown(type: string, body: unknown): boolean {
  if (type === 'metric') return Object.keys(body as object).join() === 'label,value'
  if (type === 'chart') {
    const [line] = (body as { data: readonly { x: readonly unknown[]; y: readonly unknown[] }[] }).data
    return line !== undefined && line.x.length === line.y.length && line.x.length > 0
  }
  const isFlat = (row: object) =>
    Object.values(row).every((value) => value === null || typeof value !== 'object')
  return Array.isArray(body) && body.every(isFlat)
}

describe('the app', () => {
  it('shows widgets that exist, side by side, on a grid of forty columns', async () => {
    expect(apps).toHaveLength(1)
    for (const { tabs } of apps)
      for (const [id, tab] of Object.entries(tabs)) {
        expect(tab.id).toBe(id)
        for (const tile of tab.layout) {
          expect(widgets).toHaveProperty(tile.i)
          expect([tile.i, tile.x >= 0 && tile.x + tile.w <= 40]).toEqual([tile.i, true])
          const others = tab.layout.filter((other) => other !== tile && overlaps(tile, other))
          expect([tile.i, others]).toEqual([tile.i, []])
          const widget = widgets[tile.i]
          if (widget === undefined || widget.type === 'advanced_charting') continue
          const { status } = await openbb(firstRequest(widget, tile.state.params))
          expect([tile.i, status]).toEqual([tile.i, 200])
        }
      }
  })
})

function overlaps(a: Tile, b: Tile): boolean {
  return a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h
}

describe('a widget’s request', () => {
  it('shows the rows of the operation', async () => {
    const { body } = await openbb('table/assets?asset_class=crypto&limit=2&theme=dark')
    expect(body).toHaveLength(2)
    expect(body).toMatchObject([{ ticker: 'BTC' }, {}])
  })

  it('shows nested figures as columns, and lists as text', () => {
    const row = {
      asset: { name: 'x', price: { usd: 1 } },
      tags: ['a', 'b'],
      parts: [{ share: 1 }],
      gone: null,
    }
    const shown = { asset_name: 'x', asset_price_usd: 1, tags: 'a, b', parts: '[{"share":1}]', gone: null }
    expect(toTable({ data: [row] })).toEqual([shown])
    expect(toTable({ data: { base: 'EUR', currencies: [{ code: 'USD' }], rates: [{ rate: 1 }] } })).toEqual([
      { rate: 1 },
    ])
    expect(toTable({ _meta: {}, meta: {}, name: 'x' })).toEqual([{ name: 'x' }])
  })

  it.each([
    ['table/nothing', 404, 'No operation nothing is read by GET.'],
    ['table/asset?id=', 422, 'id: is required'],
    ['chart/assets', 404, 'No chart of assets.'],
    ['metric/assets', 404, 'No metric of assets.'],
    ['table/forex?quote=XX', 422, 'quote: '],
  ])('%s is refused with %i %s', async (path, status, detail) => {
    expect(await openbb(path)).toEqual({ status, body: { detail: expect.stringContaining(detail) } })
  })
})
