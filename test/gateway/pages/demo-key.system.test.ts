import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { AuthResponse } from '../../../src/domains/access/model.js'
import { startTestApp, type TestApp } from '../../support/app/app.js'
import { describeInBrowser, LOOKS, screenshot } from '../../support/app/browser.js'
import { openTab, runOpenTab } from '../../support/app/graphiql.js'
import { expectAccessible, visit } from '../../support/app/visit.js'
import { quickestDatabase } from '../../support/database/database.js'

const NO_KEY = 'Requests need an account or an API key.'

describeInBrowser('a visitor without an account', (openPage) => {
  let withKey: TestApp
  let without: TestApp
  beforeAll(async () => {
    withKey = await startTestApp(quickestDatabase(), { hasDemoKey: true })
    without = await startTestApp(quickestDatabase())
  })
  afterAll(() => Promise.all([withKey?.close(), without?.close()]))

  it.each(LOOKS)('reads the portal with the demo key and sees its use: %o', async (look) => {
    const { page, look: name } = await visit(openPage, `${withKey.url}/assets`, look)
    await page.getByRole('row', { name: /^Bitcoin BTC/ }).waitFor()
    await page.getByText(/^Demo key: \d+ requests left until \d\d:00 UTC\./).waitFor()
    await expectAccessible(page, `demo-${name}`)
  })

  it('reads why the demo key has too little for a panel, and where to sign in', async () => {
    const { page } = await visit(openPage, `${withKey.url}/changes`)
    const panel = page.getByRole('region', { name: 'Changes of analyses' })
    await panel.getByText('The demo key does not include these data').waitFor()
    await panel.getByText(/needs the scope ai:read, which comes with tier starter and above/).waitFor()
    await panel.getByRole('link', { name: 'Sign in or create an account' }).waitFor()
  })

  it('runs operations in GraphiQL and sends requests from the reference with the demo key', async () => {
    const { page } = await openPage()
    await page.goto(`${withKey.url}/graphql`)
    await openTab(page, 'EuroRates')
    expect((await runOpenTab(page, 'EuroRates')).errors).toBeUndefined()
    await page
      .locator('#access')
      .getByText(/^Demo key: \d+ requests left until/)
      .waitFor()
    await screenshot(page, 'demo-graphiql')
    await page.goto(`${withKey.url}/docs#tag/forex/GET/v1/forex`)
    expect(await sendTestRequest(page, 'get /v1/forex')).toBe(withKey.pageKey)
    await page
      .locator('#access')
      .getByText(/^Demo key: \d+ requests left until/)
      .waitFor()
    await screenshot(page, 'demo-reference')
  })

  it('uses the account on all of these pages once signed in', async () => {
    const { page } = await openPage()
    const { body } = await withKey.rest<AuthResponse>('/auth/register', {
      method: 'POST',
      body: { email: 'visitor@example.org', password: 'correct horse battery' },
    })
    await page.goto(`${withKey.url}/account`)
    await page.getByRole('link', { name: 'Sign in for a quota of your own' }).waitFor()
    await page.evaluate(
      (session) => sessionStorage.setItem('mdg:session', session),
      JSON.stringify({
        token: body.access_token,
        email: 'visitor@example.org',
        tier: 'free',
        expiresAt: 4_000_000_000_000,
      }),
    )
    await page.goto(`${withKey.url}/graphql`)
    await page.locator('#access').getByText('Signed in as visitor@example.org.').waitFor()
    await openTab(page, 'EuroRates')
    const ran = await runOpenTab(page, 'EuroRates')
    expect(ran.errors).toBeUndefined()
    expect(ran.sent).toMatchObject({ authorization: `Bearer ${body.access_token}` })
    expect(ran.sent).not.toHaveProperty('x-api-key')
    await page.goto(`${withKey.url}/assets`)
    await page.getByRole('link', { name: 'Account', exact: true }).waitFor()
    expect(await page.getByText('Demo key').count()).toBe(0)
  })

  it('reads on every page how to get in when there is no demo key', async () => {
    const { page } = await openPage()
    await page.goto(`${without.url}/assets`)
    await page.getByText('Sign in to see these data').waitFor()
    for (const path of ['/graphql', '/docs']) {
      await page.goto(without.url + path)
      await page.locator('#access').getByText(NO_KEY).waitFor()
      await page.locator('#access').getByRole('link', { name: 'Sign in or create an account' }).waitFor()
      await screenshot(page, `no-key-${path.slice(1)}`)
    }
  })
})

/** Sends the test request of an open operation; the key that it carried. */
async function sendTestRequest(page: Page, name: string): Promise<string | null> {
  await page.getByRole('button', { name: `Test Request (${name})` }).click()
  const sent = page.waitForRequest((request) => request.url().includes(name.split(' ')[1] ?? ''))
  await page.getByRole('button', { name: /^Send/ }).first().click()
  const request = await sent
  await request.response()
  return request.headerValue('x-api-key')
}
