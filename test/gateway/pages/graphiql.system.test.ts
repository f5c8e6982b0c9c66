import axe from 'axe-core'
import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../support/app/app.js'
import { describeInBrowser, LOOKS, OF_PAGE, screenshot } from '../../support/app/browser.js'
import { runOpenTab, tabNames } from '../../support/app/graphiql.js'
import { quickestDatabase } from '../../support/database/database.js'

/** Rules that GraphiQL and its editor break themselves. */
const OF_GRAPHIQL = ['color-contrast', 'nested-interactive']
/** Our own elements are outside this container. */
const GRAPHIQL = '.graphiql-container'

describeInBrowser('GraphiQL in a browser', (openPage) => {
  let app: TestApp
  beforeAll(async () => {
    app = await startTestApp(quickestDatabase(), { developmentTier: 'pro' })
  })
  afterAll(() => app?.close())

  const foreign = (requested: readonly string[]) => requested.filter((url) => !url.startsWith(`${app.url}/`))

  it('lists every published operation by tag, and opens and runs one by keyboard', async () => {
    const { page, requested, complaints } = await openPage()
    await page.goto(`${app.url}/graphql`)
    const list = page.getByLabel('Examples')
    const { body } = await app.rest<{ data: { operation: string }[] }>('/v1/operations')
    await expect.poll(() => list.locator('optgroup option').count(), OF_PAGE).toBe(body.data.length)
    const offered = await list
      .locator('optgroup option')
      .evaluateAll((options) => options.map((option) => option.getAttribute('value')))
    expect([...offered].sort()).toEqual(body.data.map(({ operation }) => operation).sort())
    await list.focus()
    await page.keyboard.type('ohlcv')
    expect(await list.inputValue()).toBe('ohlcv')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await selected(page, 'ohlcv')
    await page.locator('.graphiql-editor-tool').getByText('"bitcoin"').waitFor()
    const { data, errors } = await runOpenTab(page, 'query ohlcv')
    expect(errors).toBeUndefined()
    expect(data).toMatchObject({ ohlcv: { data: { asset_id: 'bitcoin' } } })
    await page.locator('.result-window', { hasText: '"candles"' }).waitFor()
    expect(foreign(requested)).toEqual([])
    expect(complaints).toEqual([])
  })

  it('finds operations by the words people use, and opens the first one by Enter', async () => {
    const { page, complaints } = await openPage()
    await page.goto(`${app.url}/graphql`)
    const [find, list] = [page.getByRole('searchbox', { name: 'Find' }), page.getByLabel('Examples')]
    await expect.poll(() => find.isEnabled(), OF_PAGE).toBe(true)
    const found = async (text: string) => {
      await find.fill(text)
      const names = await list
        .locator('option')
        .evaluateAll((all) => all.map((one) => one.getAttribute('value')))
      return names.slice(0, 3)
    }
    expect(await found('candles')).toContain('ohlcv')
    expect((await found('market cap'))[0]).toBe('asset')
    expect((await found('exchange rate'))[0]).toBe('forex')
    expect(await found('inflation')).toContain('bis_series')
    expect((await found('sanctions'))[0]).toBe('screen_leis')
    expect(await found('no such thing')).toEqual([''])
    await page.getByRole('status').getByText('No operation matches. Try another word.').waitFor()
    expect((await found('Price  History'))[0]).toBe('ohlcv')
    await page
      .getByRole('status')
      .getByText(/^\d+ operations? match/)
      .waitFor()
    await find.press('Enter')
    await selected(page, 'ohlcv')
    await find.fill('')
    await expect.poll(() => list.locator('optgroup').count()).toBeGreaterThan(5)
    expect(complaints).toEqual([])
  })

  it('opens the operation of a link in one tab, even after a second link and a reload', async () => {
    const { page, complaints } = await openPage()
    await openLinked(page, 'forex')
    const { data, errors } = await runOpenTab(page, 'query forex')
    expect(errors).toBeUndefined()
    expect(data).toMatchObject({
      forex: { base: 'EUR', quote: 'USD', data: [{ date: '2026-11-16' }, {}, {}, {}] },
    })
    expect(new URL(page.url()).searchParams.has('operation')).toBe(false)
    const before = await tabNames(page)
    await stored(page, 'forex')
    await page.reload()
    await selected(page, 'forex')
    expect(await tabNames(page)).toEqual(before)
    await openLinked(page, 'forex')
    expect(await tabNames(page)).toEqual(before)
    expect(complaints).toEqual([])
  })

  it.each(['nothing', '<img src=x onerror=alert(1)>'])('reports %s as an unknown operation', async (name) => {
    const { page, complaints } = await openPage()
    await page.goto(`${app.url}/graphql?operation=${encodeURIComponent(name)}`)
    await page
      .getByRole('status')
      .getByText(`Unknown operation ${name}. Choose one from the list.`, { exact: true })
      .waitFor()
    await page.getByRole('button', { name: /^Execute query/ }).waitFor()
    expect(await tabNames(page)).not.toContain(name)
    expect(complaints).toEqual([])
  })

  it('opens from the link of an operation in the REST reference', async () => {
    const { page } = await openPage()
    await page.goto(`${app.url}/docs#tag/forex/GET/v1/forex`)
    const link = page.locator('a[href$="/graphql?operation=forex"]').first()
    await link.waitFor()
    expect(await link.textContent()).toBe('Open it in GraphiQL')
    await link.evaluate((element) => element.removeAttribute('target'))
    await link.click()
    await selected(page, 'forex')
  })

  it.each(LOOKS)(
    'fits list, editor, run button and result into $size.width px in the $scheme scheme',
    async ({ size: { width }, scheme }) => {
      const { page, complaints } = await openPage()
      await page.setViewportSize({ width, height: 844 })
      await page.emulateMedia({ colorScheme: scheme })
      await openLinked(page, 'forex')
      await runOpenTab(page, 'query forex')
      await page.locator('.result-window', { hasText: '"EUR"' }).waitFor()
      await screenshot(page, `graphiql-${width}-${scheme}`)
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width)
      const background = String(await page.evaluate('getComputedStyle(document.body).backgroundColor'))
      const [red = 0] = background.match(/\d+/g)?.map(Number) ?? []
      expect(red > 128 ? 'light' : 'dark', background).toBe(scheme)
      const run = page.getByRole('button', { name: /^Execute query/ })
      const [editor, result] = [page.locator('.graphiql-query-editor'), page.locator('.result-window')]
      for (const part of [page.getByLabel('Examples'), editor, run, result]) {
        const { x, y, right, bottom } = await placeOf(part)
        expect([x >= 0, y >= 0, right <= width, bottom <= 844]).toEqual([true, true, true, true])
      }
      const [button, text, answer] = [await placeOf(run), await placeOf(editor), await placeOf(result)]
      expect(Math.min(button.width, button.height)).toBeGreaterThanOrEqual(40)
      if (width === 390) {
        expect(text.width).toBeGreaterThanOrEqual(380)
        expect(answer.width).toBeGreaterThanOrEqual(380)
        expect(Math.min(text.height, answer.height)).toBeGreaterThanOrEqual(200)
        expect(answer.y).toBeGreaterThanOrEqual(text.bottom)
      }
      expect(await violations(page)).toEqual([])
      expect(complaints).toEqual([])
    },
  )

  it('opens and closes the schema documentation over the editor on a phone', async () => {
    const { page } = await openPage()
    await page.setViewportSize({ width: 390, height: 844 })
    await openLinked(page, 'forex')
    const explorer = page.locator('.graphiql-plugin')
    await page.getByRole('button', { name: 'Show Documentation Explorer' }).click()
    await page.getByText('All Schema Types').waitFor()
    expect(await placeOf(explorer)).toMatchObject({ x: 0, right: 390 })
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390)
    await page.getByRole('button', { name: 'Hide Documentation Explorer' }).click()
    await explorer.waitFor({ state: 'hidden' })
    await page.getByRole('button', { name: /^Execute query/ }).click({ trial: true })
  })

  async function openLinked(page: Page, operation: string): Promise<void> {
    await page.goto(`${app.url}/graphql?operation=${operation}`)
    await selected(page, operation)
  }
})

const selected = (page: Page, name: string) => page.getByRole('tab', { selected: true, name }).waitFor()

/** Waits until GraphiQL has stored a tab with its variables, which it does after half a second. */
async function stored(page: Page, name: string): Promise<void> {
  const titles = () =>
    page.evaluate(() => {
      const { tabs } = JSON.parse(localStorage.getItem('graphiql:tabState') ?? '{"tabs":[]}')
      return tabs.flatMap((tab: { title: string; variables: string }) => (tab.variables ? tab.title : []))
    })
  await expect.poll(titles, OF_PAGE).toContain(name)
}

async function placeOf(part: Locator) {
  const box = await part.boundingBox()
  if (box === null) throw new Error(`${part} is not drawn`)
  return { ...box, right: box.x + box.width, bottom: box.y + box.height }
}

/** Accessibility violations that axe finds, without those of GraphiQL itself. */
async function violations(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe.source)
  const { violations } = (await page.evaluate('axe.run()')) as axe.AxeResults
  const found = violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target }) => ({ id, target: String(target) })),
  )
  const isOurs = await Promise.all(
    found.map(async ({ id, target }) => {
      const isInside = await page
        .locator(target)
        .evaluate((node, outer) => node.closest(outer) !== null, GRAPHIQL)
      return !(isInside && OF_GRAPHIQL.includes(id))
    }),
  )
  return found.filter((_, at) => isOurs[at]).map(({ id, target }) => `${id} at ${target}`)
}
