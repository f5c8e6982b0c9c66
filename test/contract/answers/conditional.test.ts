import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { EXTENSIONS } from '../../../src/gateway/rest/response/export-type.js'
import { restEndpoints } from '../../../src/gateway/rest/routes/rest-route.js'
import { restSchema } from '../../../src/schema.js'
import type { EndpointSpec, RestRoute } from '../../../src/schema-kit/endpoint.js'
import { type Answer, startTestApp, type TestApp } from '../../support/app/app.js'
import { exampleArguments, type RootField, restPath } from '../../support/app/endpoint-calls.js'
import { windowsOf } from '../../support/app/limit-headers.js'
import { quickestDatabase } from '../../support/database/database.js'

/** Arguments that no hint of the schema has, or without which there is nothing to answer. */
const ARGUMENTS: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  corporate_actions: { ticker: 'META' },
}

/** Routes whose path names a row of the account or of the seeded world, or a release, and what needs a PostgreSQL server. */
const WITHOUT_EXAMPLE = [
  ...['ai_analysis_snapshot', 'api_key', 'release', 'webhook', 'webhook_events'],
  'sql_credentials',
]

interface Route {
  readonly name: string
  readonly root: RootField
  readonly rest: RestRoute
  readonly endpoint: EndpointSpec
}

const ROUTES: readonly Route[] = restEndpoints(restSchema).flatMap(({ field, endpoint, rest }) => {
  const root: RootField = { name: field.name, operation: 'query', field, endpoint }
  return rest.method === 'GET' && !WITHOUT_EXAMPLE.includes(field.name)
    ? [{ name: field.name, root, rest, endpoint }]
    : []
})

/** Each route, and where it is a table its files too. */
const ASKED = ROUTES.flatMap(({ name, root, rest, endpoint }) => {
  const path = restPath(root, rest, exampleArguments(root, ARGUMENTS[name] ?? {}))
  const files = Object.values(EXTENSIONS).map((extension) => path.replace(/(\?|$)/, `.${extension}$1`))
  return [path, ...(rest.table ? files : [])].map(
    (asked) =>
      [
        asked,
        endpoint.isVolatile !== true,
        endpoint.isAlwaysRevalidated === true,
        endpoint.isVolatile === true && endpoint.cost !== 'free',
      ] as const,
  )
})

/** These are no answers about the newest analysis of an asset. */
const OTHERS = ['ai_analysis_snapshot', 'ai_methodology', 'newsletter_preview', 'discover']
const LISTS = ['datasets', 'incidents', 'star_fact_ai_analysis']

it('every answer about the newest analyses is revalidated before each use', () => {
  const ofAnalyses = ROUTES.filter(({ endpoint }) => endpoint.reads?.includes('analysis') === true)
  const kept = ofAnalyses.filter(({ endpoint }) => endpoint.isAlwaysRevalidated !== true)
  expect(kept.map(({ name }) => name).filter((name) => ![...OTHERS, ...LISTS].includes(name))).toEqual([])
  expect(ofAnalyses.length).toBeGreaterThan(6)
})

describe.each([quickestDatabase()])('If-None-Match on %s', (kind) => {
  let app: TestApp
  let key: string
  beforeAll(async () => {
    app = await startTestApp(kind, { env: { BURST_PER_MINUTE: '100000' } })
    key = await app.newKey({ tier: 'pro' })
  })
  afterAll(() => app?.close())

  const ask = async (path: string, tags: string | null, method = 'GET') => {
    const headers = { 'x-api-key': key, ...(tags === null ? {} : { 'if-none-match': tags }) }
    const response = await fetch(app.url + path, { method, headers })
    const answer: Answer = {
      status: response.status,
      headers: response.headers,
      text: await response.text(),
      body: null as never, // nobody looks at it
    }
    return answer
  }
  const used = async () => windowsOf(await ask('/v1/usage', null))

  it.each(ASKED)(
    'is a 304 for what exists, free of charge unless a third party may have been asked: %s',
    async (path, isTagged, isAlwaysRevalidated, isCharged) => {
      const whole = await ask(path, null)
      expect(whole.status).toBe(200)
      const etag = whole.headers.get('etag')
      expect(etag).toEqual(isTagged ? expect.stringMatching(/^W\/"/) : null)
      if (isAlwaysRevalidated) expect(whole.headers.get('cache-control')).toBe('private, no-cache')
      const before = await used()
      let charged = 0
      for (const [tags, method] of [
        ['*', 'GET'],
        ['*', 'HEAD'],
        [etag ?? '*', 'GET'],
        [`"other", ${etag}`, 'HEAD'],
      ] as const) {
        if (etag === null && tags.includes('null')) continue
        const answer = await ask(path, tags, method)
        expect([tags, answer.status, answer.text, answer.headers.get('etag')]).toEqual([tags, 304, '', etag])
        if (isCharged) charged += 1
      }
      expect(await used()).toEqual(
        before.map((window) => ({ ...window, remaining: window.remaining - charged })),
      )
      expect((await ask(path, '"other"')).status).toBe(200)
    },
  )
})
