import { randomUUID } from 'node:crypto'
import { expect, it } from 'vitest'
import { bumpDataset } from '../../../src/platform/database/versions/bump-dataset.js'
import type { Tier } from '../../../src/policy/tiers.js'
import { startTestApp } from '../../support/app/app.js'
import { describeInBrowser, LOOKS } from '../../support/app/browser.js'
import { expectAccessible, followEntry, visit } from '../../support/app/visit.js'
import { quickestDatabase } from '../../support/database/database.js'

/** Units of the free tier in an hour. */
const FREE_UNITS = 14

describeInBrowser('a panel of the explorer', (openPage) => {
  const start = async (tier: Tier | null, path: string) => {
    const app = await startTestApp(quickestDatabase(), tier === null ? {} : { developmentTier: tier })
    const { page } = await visit(openPage, app.url + path)
    return { app, page, panel: (name: string) => page.getByRole('region', { name }) }
  }

  it('tells a visitor without an account how to get in, and shows open data', async () => {
    const { app, page, panel } = await start(null, '/assets')
    await panel('All assets').getByText('Sign in to see these data').waitFor()
    await panel('All assets').getByRole('link', { name: 'Sign in or create an account' }).waitFor()
    await expectAccessible(page, 'state-401')
    await page.goto(`${app.url}/data`)
    await page.getByRole('row', { name: /^Crypto prices candles/ }).waitFor()
    await app.close()
  })

  it('says which scope the tier of the account lacks, beside the panels that it has', async () => {
    const { app, page, panel } = await start('free', '/assets/bitcoin?section=fundamentals')
    const message = panel('Fees and revenue').getByText(/needs the scope fundamentals:read/)
    await message.waitFor()
    await panel('Fees and revenue').getByRole('link', { name: 'Compare the tiers' }).waitFor()
    await page.getByRole('img', { name: 'Price of Bitcoin over 30 days', exact: true }).waitFor()
    await expectAccessible(page, 'state-403')
    await app.close()
  })

  it('lists stocks without prices and figures if the tier has none, and says why', async () => {
    const { app, page, panel } = await start('free', '/assets?class=stock')
    await page.getByRole('row', { name: /^Apple Inc. AAPL/ }).waitFor()
    await panel('All assets')
      .getByText(/^No price is shown\. This needs the scope instruments:read/)
      .waitFor()
    expect(await page.getByRole('columnheader', { name: /12 m, USD/ }).count()).toBe(0)
    await expectAccessible(page, 'state-unpriced')
    await app.close()
  })

  it('says when requests work again after the last unit is used', async () => {
    const { app, page, panel } = await start('free', '/data')
    for (let used = 0; used < FREE_UNITS; used++) await app.rest('/v1/assets/bitcoin', { key: app.pageKey })
    await page.goto(`${app.url}/assets`)
    await panel('All assets').getByText('Limit reached').waitFor()
    await panel('All assets')
      .getByText(/Hourly limit of 14 units reached; try again at \d\d:00 UTC/)
      .waitFor()
    await expectAccessible(page, 'state-429')
    app.clock.advance(3_600_000)
    await panel('All assets').getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('row', { name: /^Bitcoin BTC/ }).waitFor()
    await app.close()
  })

  it('loads by itself when the device is online again', async () => {
    const { app, page, panel } = await start('pro', '/assets')
    await page.getByRole('row', { name: /^Bitcoin BTC/ }).waitFor()
    await page.context().setOffline(true)
    await page.getByRole('button', { name: 'ETFs' }).click()
    await panel('All assets').getByText('You are offline').waitFor()
    await expectAccessible(page, 'state-offline')
    await page.context().setOffline(false)
    await page.getByRole('row', { name: /SPY/ }).waitFor()
    await app.close()
  })

  it('says that the gateway cannot be reached', async () => {
    const { app, page, panel } = await start('pro', '/assets')
    await page.getByRole('row', { name: /^Bitcoin BTC/ }).waitFor()
    await app.close()
    await page.getByRole('button', { name: 'ETFs' }).click()
    await panel('All assets').getByText('The gateway cannot be reached.').waitFor()
    await panel('All assets').getByRole('button', { name: 'Try again' }).waitFor()
    await expectAccessible(page, 'state-error')
  })

  it('says that an asset does not exist, and that a list is empty', async () => {
    const { app, page } = await start('pro', '/assets/no-such-asset')
    await page.getByText('No asset has the name “no-such-asset”.').waitFor()
    await page.getByRole('main').getByRole('link', { name: 'all assets' }).waitFor()
    await expectAccessible(page, 'state-404')
    await page.goto(`${app.url}/assets?class=crypto&tier=3`)
    await page.getByLabel('Filter').fill('bitcoin')
    await page.getByText('No asset contains “bitcoin”.').waitFor()
    await app.close()
  })

  it('says that it is loading until the answer arrives', async () => {
    const { app, page } = await start('pro', '/data')
    await page.route('**/graphql?*', async (route) => {
      await new Promise((resolve) => setTimeout(resolve, 2_000))
      await route.continue()
    })
    await followEntry(page, 'Assets')
    await page.getByText('Loading…').waitFor()
    await expectAccessible(page, 'state-loading')
    await page.getByRole('row', { name: /^Bitcoin BTC/ }).waitFor()
    expect(await page.getByText('Loading…').count()).toBe(0)
    await app.close()
  })

  it('has its heading while its script loads', async () => {
    const { app, page } = await start('pro', '/data')
    let letThrough = () => {}
    const held = new Promise<void>((resolve) => {
      letThrough = resolve
    })
    await page.route('**/assets-page-*.js', async (route) => {
      await held
      await route.continue()
    })
    await followEntry(page, 'Assets')
    await page.getByRole('heading', { level: 1, name: 'Assets' }).waitFor()
    await page.getByText('Loading…').waitFor()
    await expectAccessible(page, 'state-script')
    letThrough()
    await page.getByRole('row', { name: /^Bitcoin BTC/ }).waitFor()
    await app.close()
  })

  it('hides the answer to an earlier question while the next one loads, and keeps the focus', async () => {
    const { app, page, panel } = await start('pro', '/assets?class=stock')
    await page.getByRole('row', { name: /^Apple/ }).waitFor()
    let letThrough = () => {}
    const held = new Promise<void>((resolve) => {
      letThrough = resolve
    })
    await page.route('**/graphql?*', async (route) => {
      await held
      await route.continue()
    })
    const sort = panel('All assets').getByRole('button', { name: 'Asset ' })
    await sort.focus()
    await page.keyboard.press('Enter')
    await panel('All assets').getByText('Loading…').waitFor()
    expect(await page.getByText('Apple Inc.', { exact: true }).isVisible()).toBe(false)
    expect(await page.getByRole('row', { name: /^Apple/ }).count()).toBe(0)
    await expectAccessible(page, 'state-next-question')
    await page.getByRole('button', { name: 'ETFs' }).click()
    await sort.focus()
    letThrough()
    await page.getByRole('row', { name: /SPY/ }).waitFor()
    expect(await page.getByText('Loading…').count()).toBe(0)
    expect(await page.evaluate('document.activeElement?.textContent')).toMatch(/^Asset/)
    await app.close()
  })

  it('says that a dataset is late and why, with the incident, on a desktop and on a phone', async () => {
    const { app, page } = await start('pro', '/')
    const now = app.clock.now()
    const run = (feed: string, status: string, facts: object) => {
      const made = {
        provider: 'ecb',
        dataset: 'forex',
        origin: 'https://ecb.test/',
        startedAt: now,
        finishedAt: now,
      }
      return { runId: randomUUID(), feed, status, ...made, ...facts }
    }
    await app.database.prisma.ingestRun.createMany({
      data: [
        run('ecb-daily', 'failed', { error: 'HTTP 500', cause: 'provider' }),
        run('ecb-history', 'succeeded', {
          added: 1_200,
          rejected: 3,
          startedAt: new Date(now.getTime() - 3_600_000),
        }),
      ],
    })
    const live = { source: 'ecb', isDevDataset: false, observedAt: now, changedAt: now }
    await app.database.transaction((tx) => bumpDataset(tx, { dataset: 'forex', ...live }))
    app.clock.advance(5 * 24 * 3_600_000)
    await page.goto(`${app.url}/status`)
    await page
      .getByText(/the newest run, on 20 Nov 2026, 12:00 UTC, failed, and the next one tries again\.$/)
      .waitFor()
    const incident = page.getByRole('row', { name: /^Exchange rates ecb-daily/ })
    await incident.getByText('lasts', { exact: true }).waitFor()
    await incident.getByText('1 run failed: the provider did not answer, or refused.').waitFor()
    await page.getByRole('row', { name: /^Exchange rates .* Newer data are late\.$/ }).waitFor()
    expect(await page.content()).not.toContain('HTTP 500')
    for (const { size, scheme } of LOOKS) {
      await page.setViewportSize(size)
      await page.emulateMedia({ colorScheme: scheme })
      await expectAccessible(page, `status-late-${size.width}-${scheme}`)
    }
    await app.close()
  })
})
