import axe from 'axe-core'
import type { Page, Request } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../support/app/app.js'
import { describeInBrowser, LOOKS, OF_PAGE, screenshot, type WatchedPage } from '../../support/app/browser.js'
import { quickestDatabase } from '../../support/database/database.js'

/** Scalar puts the choice of the media type inside the button of a response, which cannot be fixed from outside. */
const isOfScalar = ({ id, nodes }: axe.Result) =>
  id === 'nested-interactive' && nodes.every(({ html }) => html.includes('class="parameter-item-trigger"'))

/** What people search for, and the path of an operation that is among the first three results. */
const WORDS = {
  candles: '/v1/assets/{id}/ohlcv',
  'market cap': '/v1/assets/{id}',
  'exchange rate': '/v1/forex',
  inflation: '/v1/macro/bis/{dataset_code}/{series_key}',
  'price history': '/v1/assets/{id}/ohlcv',
  sanctions: '/v1/sanctions/screen',
} as const

describeInBrowser('the REST reference in a browser', (openPage) => {
  let app: TestApp
  beforeAll(async () => {
    app = await startTestApp(quickestDatabase(), { developmentTier: 'pro' })
  })
  afterAll(() => app?.close())

  const foreign = (requested: readonly string[]) => requested.filter((url) => !url.startsWith(`${app.url}/`))

  async function openOperation(page: Page, anchor: string): Promise<void> {
    await page.goto(`${app.url}/docs#${anchor}`)
    await page
      .getByRole('button', { name: /^Test Request/ })
      .first()
      .waitFor()
  }

  it.each(LOOKS)(
    'shows an operation accessibly at $size.width px in the $scheme scheme',
    async ({ size: { width }, scheme }) => {
      const { page, requested, complaints } = await openPage()
      await page.setViewportSize({ width, height: 900 })
      await page.emulateMedia({ colorScheme: scheme })
      await openOperation(page, 'tag/forex/GET/v1/forex')
      await page.getByRole('heading', { name: 'Euro exchange rates', exact: true }).waitFor()
      await page.getByText('Requires a key of any tier. Costs 1 unit.').first().waitFor()
      await page.getByText("--header 'X-API-Key:").first().waitFor()
      await page.waitForTimeout(500) // elements that scroll into view are drawn and fixed in the following frames
      await screenshot(page, `docs-${width}-${scheme}`)
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width)
      expect(await page.evaluate('getComputedStyle(document.body).colorScheme')).toBe(scheme)
      await page.evaluate(axe.source)
      const { violations } = (await page.evaluate('axe.run()')) as axe.AxeResults
      const ours = violations.filter((violation) => !isOfScalar(violation))
      expect(ours.map(({ id, nodes }) => [id, nodes.length, nodes[0]?.html])).toEqual([])
      expect(await page.locator('style').count()).toBe(0)
      expect(foreign(requested)).toEqual([])
      expect(complaints).toEqual([])
    },
  )

  it('finds operations by the words people use', async () => {
    const { page, complaints } = await openPage()
    await openOperation(page, 'tag/forex/GET/v1/forex')
    await page.getByRole('button', { name: 'Search' }).first().click()
    const box = page.getByRole('dialog').getByRole('combobox')
    for (const [text, path] of Object.entries(WORDS)) {
      await box.fill(text)
      const first = () => page.getByRole('option').evaluateAll((all) => all.slice(0, 3).map(({ id }) => id))
      await expect
        .poll(async () => (await first()).some((id) => id.endsWith(path)), { ...OF_PAGE, message: text })
        .toBe(true)
    }
    expect(complaints).toEqual([])
  })

  it('sends the shared key with requests that only read, by GET and by POST', async () => {
    const watched = await openPage()
    const read = await sendTestRequest(watched, 'tag/forex/GET/v1/forex', '/v1/forex')
    expect(await read.headerValue('x-api-key')).toBe(app.pageKey)
    expect([200, 422]).toContain((await read.response())?.status()) // depends on the values that the form is filled with
    const screen = ['tag/sanctions/POST/v1/sanctions/screen', '/v1/sanctions/screen'] as const
    const posted = await sendTestRequest(watched, ...screen)
    expect(await posted.headerValue('x-api-key')).toBe(app.pageKey)
  })

  it('never sends the shared key with a request that changes data', async () => {
    const watched = await openPage()
    for (const [anchor, path] of [
      ['tag/access/DELETE/auth/keys/{key_id}', '/auth/keys'],
      ['tag/access/DELETE/auth/me', '/auth/me'],
      ['tag/access/POST/auth/keys', '/auth/keys'],
      ['tag/sql/DELETE/v1/billing/sql-credentials/{credential_id}', '/v1/billing/sql-credentials'],
    ] as const) {
      const sent = await sendTestRequest(watched, anchor, path)
      expect(JSON.stringify(await sent.allHeaders()), anchor).not.toContain(app.pageKey)
      expect((await sent.response())?.status(), anchor).toBe(401)
    }
  })

  /** Clicks "Test Request" and "Send" of an operation, closes the form and returns the request. A second operation loads no page. */
  async function sendTestRequest(
    { page, requested }: WatchedPage,
    anchor: string,
    path: string,
  ): Promise<Request> {
    await openOperation(page, anchor)
    const [, , method = '', ...rest] = anchor.split('/')
    const name = `Test Request (${method.toLowerCase()} /${rest.join('/')})`
    await page.getByRole('button', { name }).click()
    const sent = page.waitForRequest((request) => request.url().startsWith(app.url + path))
    await page.getByRole('button', { name: /^Send/ }).first().click()
    const request = await sent
    expect(request.method()).toBe(method)
    await request.response()
    await page.keyboard.press('Escape')
    expect(foreign(requested)).toEqual([])
    return request
  }
})
