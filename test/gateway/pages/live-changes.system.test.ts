import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { daysAgo, draft, land, writeAssets } from '../../domains/analysis/analysis-world.js'
import { startTestApp, type TestApp } from '../../support/app/app.js'
import { describeInBrowser, LOOKS, OF_PAGE } from '../../support/app/browser.js'
import { expectAccessible, visit } from '../../support/app/visit.js'
import { quickestDatabase } from '../../support/database/database.js'
import { type CuttableProxy, startCuttableProxy } from '../../support/peers/cuttable-proxy.js'

describeInBrowser('the page of changes', (openPage) => {
  let app: TestApp
  let proxy: CuttableProxy
  let days = 80
  let stored = -1
  beforeAll(async () => {
    app = await startTestApp(quickestDatabase(), { world: 'empty', developmentTier: 'pro' })
    proxy = await startCuttableProxy(app.url)
    await writeAssets(app.database, 2)
    await change()
    await change()
  })
  afterEach(() => proxy?.mend())
  afterAll(async () => {
    await proxy?.close()
    await app?.close()
  })

  /** A new snapshot of bitcoin; the clock goes on by a minute, so that versions are read again. */
  const change = async (analysisType: 'market_context' | 'regime' = 'market_context') => {
    await land(app.database, [draft({ analysisType, generatedAt: daysAgo(--days) })])
    if (analysisType === 'market_context') stored += 1
    app.clock.advance(60_000)
  }
  const entries = (page: Page) => page.locator('.entries li')
  const expectState = (page: Page, text: string) =>
    page.getByRole('status').getByText(text, { exact: true }).waitFor()
  /** Each stored change is shown once. */
  const expectEachOnce = async (page: Page) => {
    await expect.poll(() => entries(page).count(), OF_PAGE).toBe(stored)
    const links = await page.getByRole('link', { name: 'after' }).evaluateAll((all) => all.map(String))
    expect(new Set(links).size).toBe(stored)
    await page.getByText(new RegExp(`^${stored} changes?\\.$`)).waitFor()
  }
  const setHidden = (page: Page, isHidden: boolean) =>
    page.evaluate((hidden) => {
      Object.defineProperty(document, 'hidden', { value: hidden, configurable: true })
      document.dispatchEvent(new Event('visibilitychange'))
    }, isHidden)

  it.each(LOOKS)('shows a change when it happens: %o', async (one) => {
    const { page, look, complaints } = await visit(openPage, `${proxy.url}changes`, one)
    await expectState(page, 'live')
    await change()
    await expectEachOnce(page)
    await entries(page).first().getByText('new', { exact: true }).waitFor()
    await expectAccessible(page, `live-changes-${look}`)
    expect(complaints).toEqual([])
  })

  it('continues after a lost connection without a gap or a repetition', async () => {
    const { page } = await visit(openPage, `${proxy.url}changes`)
    await expectState(page, 'live')
    await change()
    await expectEachOnce(page)
    proxy.cut()
    await expectState(page, 'reconnecting')
    await change()
    await change()
    proxy.mend()
    await expectState(page, 'live')
    await expectEachOnce(page)
  })

  it('continues after a lost connection before the first change, too', async () => {
    const { page } = await visit(openPage, `${proxy.url}changes`)
    await expectState(page, 'live')
    proxy.cut()
    await expectState(page, 'reconnecting')
    await change()
    proxy.mend()
    await expectState(page, 'live')
    await expectEachOnce(page)
  })

  it('keeps what it shows when the connection is lost while it loads the list again', async () => {
    const { page } = await openPage()
    let lists = 0
    let loseConnection = () => {}
    const lost = new Promise<void>((resolve) => {
      loseConnection = resolve
    })
    // The stream opens when the first list is shown, and asks for the second one.
    await page.route('**/graphql', async (route) => {
      await entries(page).first().waitFor()
      return route.continue()
    })
    await page.route('**/graphql?query=query+Changes*', async (route) => {
      lists += 1
      if (lists === 2) await lost
      return route.continue()
    })
    await page.goto(`${proxy.url}changes`)
    await expectState(page, 'live')
    await expect.poll(() => lists, OF_PAGE).toBe(2)
    proxy.cut()
    loseConnection()
    await expectState(page, 'reconnecting')
    await page.getByText('These data could not be loaded again').waitFor()
    expect(await entries(page).count()).toBe(stored)
    await change()
    proxy.mend()
    await expectState(page, 'live')
    await expectEachOnce(page)
    await page.getByText('These data could not be loaded again').waitFor({ state: 'detached' })
  })

  it('pauses while the tab is hidden and on request, and catches up', async () => {
    const { page } = await visit(openPage, `${proxy.url}changes`)
    await expectState(page, 'live')
    await setHidden(page, true)
    await expectState(page, 'paused')
    await change()
    await setHidden(page, false)
    await expectState(page, 'live')
    await expectEachOnce(page)
    await page.getByRole('button', { name: 'Pause' }).click()
    await expectState(page, 'paused')
    await change()
    await page.getByRole('button', { name: 'Resume' }).click()
    await expectEachOnce(page)
  })

  it('keeps the filter in the address bar and follows only what it lets through', async () => {
    const { page } = await visit(openPage, `${proxy.url}changes`)
    await expectState(page, 'live')
    await page.getByRole('button', { name: 'Regime' }).click()
    expect(new URL(page.url()).search).toBe('?type=regime')
    await page.reload()
    await expectState(page, 'live')
    expect(await page.getByRole('button', { name: 'Regime', pressed: true }).count()).toBe(1)
    await change('regime')
    await change()
    await change('regime')
    await expect
      .poll(() => entries(page).allTextContents(), OF_PAGE)
      .toEqual([expect.stringContaining('regime')])
  })

  it('says why it is not live, and tries again on request', async () => {
    const { page } = await visit(openPage, `${proxy.url}changes`)
    await expectState(page, 'live')
    await page.route('**/graphql', (route) =>
      route.fulfill({
        status: 429,
        json: { errors: [{ message: 'Ten are open.', extensions: { code: 'RATE_LIMIT_EXCEEDED' } }] },
      }),
    )
    await page.getByRole('button', { name: 'Pause' }).click()
    await page.getByRole('button', { name: 'Resume' }).click()
    await page.getByRole('status').getByText('Ten are open.').waitFor()
    await page.unroute('**/graphql')
    await page.getByRole('button', { name: 'Try again' }).click()
    await expectState(page, 'live')
  })
})
