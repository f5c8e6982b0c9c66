import { setTimeout as sleep } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestApp } from '../../support/app/app.js'
import { describeInBrowser, OF_PAGE, screenshot, type WatchedPage } from '../../support/app/browser.js'
import { openTab, runOpenTab, tabNames } from '../../support/app/graphiql.js'
import { quickestDatabase } from '../../support/database/database.js'

/** What the browser looks at: the tests ask only for an address and the key its pages carry. */
interface Gateway {
  readonly url: string
  readonly key: string
  close(): Promise<void>
}

async function startGateway(): Promise<Gateway> {
  const app = await startTestApp(quickestDatabase(), { developmentTier: 'pro' })
  return { url: app.url, key: app.pageKey ?? '', close: () => app.close() }
}

const TABS = ['StocksWithListings', 'OneAsset', 'EuroRates', 'DiscoverTicker', 'HourlyCandles', 'WhatChanged']

describeInBrowser('the explorers in a browser', (openPage) => {
  let gateway: Gateway
  beforeAll(async () => {
    gateway = await startGateway()
  })
  afterAll(() => gateway?.close())

  const foreign = (requested: readonly string[]) =>
    requested.filter((url) => !url.startsWith(`${gateway.url}/`))

  async function openGraphiql(page: Page): Promise<void> {
    await page.goto(`${gateway.url}/graphql`)
    await settled(page)
  }

  it('opens GraphiQL with a tab per example, each of which runs unchanged', async () => {
    const { page, requested, complaints } = await openPage()
    await openGraphiql(page)
    expect(await tabNames(page)).toEqual(TABS)
    for (const name of TABS) {
      await openTab(page, name)
      const { data, errors } = await runOpenTab(page, name)
      expect(errors, name).toBeUndefined()
      expect(Object.values(data), name).not.toContain(null)
      await page.locator('.result-window', { hasText: '"data"' }).waitFor()
      await screenshot(page, `graphiql-${name}`)
    }
    expect(foreign(requested)).toEqual([])
    expect(complaints).toEqual([])
  })

  it('shows the key in the headers box, and keeps tabs and key after a reload', async () => {
    const { page } = await openPage()
    await openGraphiql(page)
    const headers = page.locator('.graphiql-editor-tool')
    await headers.getByText(`"${gateway.key}"`).waitFor()
    await openTab(page, 'EuroRates')
    for (const _reload of [1, 2]) {
      await page.reload()
      await settled(page)
      await headers.getByText(`"${gateway.key}"`).waitFor()
      expect(await tabNames(page)).toEqual(TABS)
      await page.getByRole('tab', { selected: true, name: 'EuroRates' }).waitFor()
    }
    expect((await runOpenTab(page, 'EuroRates')).errors).toBeUndefined()
  })

  it('replaces the development key of an earlier start in the browser’s stored tabs', async () => {
    const { page } = await openPage()
    await openGraphiql(page)
    await openTab(page, 'EuroRates')
    const kept = await page.evaluate((key) => {
      for (const entry of Object.keys(localStorage)) {
        const value = localStorage.getItem(entry) ?? ''
        localStorage.setItem(entry, value.replaceAll(String(key), 'mdg_test_earlier'))
      }
      return localStorage.getItem('graphiql:tabState')
    }, gateway.key)
    expect(kept).toContain('mdg_test_earlier')
    await page.reload()
    const headers = page.locator('.graphiql-editor-tool')
    await headers.getByText(`"${gateway.key}"`).waitFor()
    expect(await headers.getByText('mdg_test_earlier').count()).toBe(0)
    expect(await tabNames(page)).toEqual(TABS)
  })

  const PATHS = [
    '/',
    '/assets',
    '/assets/bitcoin',
    '/assets/apple',
    '/assets/spdr-gold-shares',
    '/assets/gold',
    '/currencies',
    '/macro',
    '/screening',
    '/receipts',
    '/data',
    '/status',
    '/changes',
    '/account',
    '/graphql',
    '/docs',
    '/docs/guides',
    '/docs/guides/first-requests',
  ]

  it('has no warning or error in the console of any page, and names the pages in one line', async () => {
    const opened: { readonly path: string; readonly watched: WatchedPage }[] = []
    for (const path of PATHS) {
      const watched = await openPage()
      const { page } = watched
      await page.goto(gateway.url + path)
      await page.getByRole('heading', { level: 1 }).first().waitFor()
      await expect.poll(() => page.getByText('Loading…').count(), OF_PAGE).toBe(0)
      if (path === '/graphql') await settled(page)
      if (path === '/docs') await page.getByRole('button', { name: 'Search' }).first().waitFor()
      opened.push({ path, watched })
    }
    // A preloaded script that is not used is warned about after some seconds.
    await sleep(4_000)
    const { url } = gateway
    const line = `Market Data Gateway: portal ${url}/, GraphiQL ${url}/graphql, REST reference ${url}/docs, guides ${url}/docs/guides`
    const found = opened.map(({ path, watched: { complaints, hints } }) => {
      const lines = hints.filter((hint) => hint.includes('Market Data Gateway'))
      return { path, complaints, lines }
    })
    expect(found).toEqual(PATHS.map((path) => ({ path, complaints: [], lines: [line] })))
  })

  it('is linked from the portal', async () => {
    const { page, requested, complaints } = await openPage()
    await page.goto(gateway.url)
    await page.getByRole('link', { name: 'Read the REST reference' }).click()
    await page
      .getByRole('navigation', { name: 'Documentation' })
      .getByRole('link', { name: 'GraphQL', exact: true })
      .click()
    await settled(page)
    expect(await page.title()).toBe('Market Data Gateway: GraphQL')
    expect(foreign(requested)).toEqual([])
    expect(complaints).toEqual([])
  })
})

/** Waits until GraphiQL has drawn its tabs and editors. */
async function settled(page: Page): Promise<void> {
  await expect.poll(() => page.getByRole('tab').count(), OF_PAGE).toBe(TABS.length)
  await page.getByRole('button', { name: /^Execute query/ }).waitFor()
}
