import { getNamedType, isObjectType } from 'graphql'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../support/app/app.js'
import { callGraphql, callRest, exampleArguments, rootFields } from '../../support/app/endpoint-calls.js'
import { quickestDatabase } from '../../support/database/database.js'

/** Arguments of the fields whose schema has no example of them. */
const GIVEN: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  boj_series: { series_id: 'BOJ_FM08_FXERD04' },
}

/** Its rows are read only if they are selected. */
const NOT_COUNTED = 'webhooks'

const LISTS = rootFields().filter(({ endpoint }) => endpoint.rest?.table !== undefined)

interface PageInfo {
  readonly has_next: boolean
  readonly next_cursor: string | null
  readonly total: number | null
}

describe('page_info of a list', () => {
  let app: TestApp
  let key: string
  let webhookId: string
  beforeAll(async () => {
    app = await startTestApp(quickestDatabase())
    key = await app.newKey({ tier: 'enterprise' })
    const url = 'https://one.example/hook'
    const made = await app.rest<{ webhook: { webhook_id: string } }>('/v1/webhooks', {
      key,
      method: 'POST',
      body: { url },
    })
    webhookId = made.body.webhook.webhook_id
  })
  afterAll(() => app?.close())

  it('is a field of every list', () => {
    expect(LISTS.length).toBeGreaterThan(40)
    for (const { name, field } of LISTS) {
      const type = getNamedType(field.type)
      expect(isObjectType(type) && 'page_info' in type.getFields(), name).toBe(true)
    }
  })

  it.each(LISTS.map((root) => [root.name, root] as const))(
    'says what the headers of the route say: %s',
    async (name, root) => {
      const { rest } = root.endpoint
      if (rest === null) throw new Error('a list has a route')
      const given = name === 'webhook_events' ? { webhook_id: webhookId } : (GIVEN[name] ?? {})
      const args = exampleArguments(root, given)
      const plain = await callRest(app, root, rest, args, { key })
      expect(plain.status, plain.text).toBe(200)
      const { body } = await callGraphql(
        app,
        root,
        args,
        { key },
        '{ page_info { has_next next_cursor total } }',
      )
      expect(body.errors).toBeUndefined()
      const info = (body.data as Readonly<Record<string, { page_info: PageInfo }>>)[name]?.page_info
      const count = plain.headers.get('x-total-count')
      expect(info?.total).toBe(count === null || name === NOT_COUNTED ? null : Number(count))
      const next = plain.headers.get('link')?.includes('rel="next"') ?? false
      expect(info?.has_next).toBe(next)
      const cursor = /[?&]cursor=([^&>]+)[^>]*>; rel="next"/.exec(plain.headers.get('link') ?? '')?.[1]
      expect(info?.next_cursor).toBe(cursor === undefined ? null : decodeURIComponent(cursor))
    },
  )
})
