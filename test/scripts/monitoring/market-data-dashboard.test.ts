import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../support/app/app.js'
import { quickestDatabase } from '../../support/database/database.js'

interface Target {
  readonly url: string
  readonly root_selector: string
  readonly columns: readonly { readonly selector: string; readonly type: string }[]
}

interface Dashboard {
  readonly templating: {
    readonly list: readonly {
      readonly name: string
      readonly query: string
      readonly current: { readonly value?: string }
    }[]
  }
  readonly panels: readonly { readonly title: string; readonly targets: readonly [Target] }[]
}

const { templating, panels } = JSON.parse(
  readFileSync(resolve(import.meta.dirname, '../../../scripts/monitoring/market-data.json'), 'utf8'),
) as Dashboard // a file of ours

/** The path as Grafana writes it for these days, with the first value of each variable. */
function pathOf(url: string, timeframe: string): string {
  const values = new Map(templating.list.map(({ name, current }) => [`\${${name}}`, current.value ?? '']))
  values.set(`\${timeframe}`, timeframe)
  for (const [name, day] of [
    ['from', '2026-11-10'],
    ['to', '2026-11-19'],
  ] as const) {
    values.set(`\${__${name}:date:iso}`, `${day}T00:00:00.000Z`)
    values.set(`\${__${name}:date:YYYY-MM-DD}`, day)
  }
  return url.replaceAll(/\$\{[^}]+\}/g, (variable) => values.get(variable) ?? expect.fail(variable))
}

const isOfType: Readonly<Record<string, (cell: unknown) => boolean>> = {
  number: (cell) => cell === null || typeof cell === 'number',
  string: (cell) => cell === null || typeof cell === 'string',
  timestamp: (cell) => cell === null || !Number.isNaN(Date.parse(String(cell))),
}

describe('the dashboard of market data', () => {
  let app: TestApp
  let key: string
  beforeAll(async () => {
    app = await startTestApp(quickestDatabase())
    key = await app.newKey({ tier: 'starter' })
  })
  afterAll(() => app?.close())

  const windows = templating.list.find(({ name }) => name === 'timeframe')?.query.split(',') ?? []

  it.each(
    windows.flatMap((window) =>
      panels.map(({ title, targets: [target] }) => [title, window, target] as const),
    ),
  )('has answers with the columns of "%s" for windows of %s', async (_title, window, target) => {
    const answer = await fetch(app.url + pathOf(target.url, window), { headers: { 'x-api-key': key } })
    expect(answer.status).toBe(200)
    const body = (await answer.json()) as Readonly<Record<string, Readonly<Record<string, unknown>>[]>>
    const rows = body[target.root_selector] ?? []
    expect(rows.length).toBeGreaterThan(3)
    expect(target.columns.length).toBeGreaterThan(1)
    for (const { selector, type } of target.columns) {
      const cells = rows.map((row) => row[selector])
      expect([selector, cells.filter((cell) => !isOfType[type]?.(cell))]).toEqual([selector, []])
      expect(cells.some((cell) => cell !== null)).toBe(true)
    }
  })

  it('has all exchanges that the gateway has, and both windows', async () => {
    const answer = await fetch(`${app.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': key },
      body: '{"query":"{ __type(name: \\"Exchange\\") { enumValues { name } } }"}',
    })
    const { data } = (await answer.json()) as {
      data: { __type: { enumValues: readonly { name: string }[] } }
    }
    const exchanges = templating.list.find(({ name }) => name === 'exchange')?.query.split(',')
    expect(exchanges).toEqual(data.__type.enumValues.map(({ name }) => name))
    expect(windows).toEqual(['1d', '1h'])
  })
})
