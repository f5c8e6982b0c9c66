import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestApp } from '../../support/app/app.js'
import { describeInBrowser, LOOKS, OF_PAGE, screenshot, violations } from '../../support/app/browser.js'
import { followEntry } from '../../support/app/visit.js'
import { quickestDatabase } from '../../support/database/database.js'

/** Adds up how far a page moves, as browsers score it. */
const OBSERVE_SHIFTS = `window.shifted = 0
new PerformanceObserver((list) => {
  for (const { value } of list.getEntries()) window.shifted += value
}).observe({ type: 'layout-shift' })`

describeInBrowser('the portal in a browser', (openPage) => {
  let gateway: { readonly url: string; close(): Promise<void> }
  beforeAll(async () => {
    gateway = await startTestApp(quickestDatabase(), { developmentTier: 'pro' })
  })
  afterAll(() => gateway?.close())

  const foreign = (requested: readonly string[]) =>
    requested.filter((url) => !url.startsWith(`${gateway.url}/`))

  it.each(LOOKS)(
    'shows the data accessibly at $size.width px in the $scheme scheme',
    async ({ size, scheme }) => {
      const { page, requested, complaints } = await openPage()
      await page.setViewportSize(size)
      await page.emulateMedia({ colorScheme: scheme })
      const look = async (name: string) => {
        await screenshot(page, `portal-${name}-${size.width}-${scheme}`)
        expect(await violations(page), name).toEqual([])
        const width = await page.evaluate('document.documentElement.scrollWidth')
        expect(width, `${name} scrolls sideways`).toBe(size.width)
      }
      await page.goto(gateway.url)
      const market = page.getByRole('group', { name: 'Market' })
      await expect.poll(() => market.locator('tbody tr').count(), OF_PAGE).toBe(8)
      await expect.poll(() => page.getByText('Loading…').count(), OF_PAGE).toBe(0)
      await page.getByRole('row', { name: 'EUR/USD' }).waitFor()
      await page.getByRole('row', { name: /^US inflation \d/ }).waitFor()
      await page.getByText(/^\d+ of \d+ datasets fresh$|^all \d+ datasets fresh$/).waitFor()
      await page.getByText('"ticker": "BTC"').waitFor()
      await look('overview')
      await page.getByRole('link', { name: 'Bitcoin', exact: true }).click()
      await page.getByRole('img', { name: /^Price of Bitcoin over \d+ hours;/ }).waitFor()
      await look('asset')
      const sections = page.getByRole('navigation', { name: 'Sections' })
      await sections.getByRole('link', { name: 'Evidence' }).click()
      await page.getByRole('cell', { name: 'used' }).first().waitFor()
      await look('evidence')
      await sections.getByRole('link', { name: 'Analyses' }).click()
      await page.locator('.entries a').first().waitFor()
      await look('analyses')
      await page.locator('.entries a').first().click()
      await page.getByText('unchanged', { exact: true }).waitFor()
      await look('snapshot')
      expect(foreign(requested)).toEqual([])
      expect(complaints).toEqual([])
    },
  )

  it('moves between pages and back without a reload', async () => {
    const { page } = await openPage()
    await page.goto(gateway.url)
    await page.evaluate('window.isSame = true')
    await page.getByRole('link', { name: 'Sign in', exact: true }).click()
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    expect(new URL(page.url()).pathname).toBe('/account')
    await page.goBack()
    await page.getByRole('heading', { level: 1, name: /says where it comes from/ }).waitFor()
    expect(await page.evaluate('window.isSame')).toBe(true)
  })

  it.each(['/', '/assets', '/assets/apple', '/currencies', '/macro', '/data', '/account'])(
    'loads for %s the scripts that the page names, and no other',
    async (path) => {
      const { page, requested } = await openPage()
      await page.goto(gateway.url + path, { waitUntil: 'networkidle' })
      await page.getByRole('heading', { level: 1 }).waitFor()
      const named = await page
        .locator('script[src], link[rel=modulepreload]')
        .evaluateAll((tags) => tags.map((tag) => tag.getAttribute('src') ?? tag.getAttribute('href')))
      const scripts = requested.map((url) => new URL(url).pathname).filter((name) => name.endsWith('.js'))
      expect(scripts.toSorted()).toEqual(named.toSorted())
    },
  )

  it('says that the script of a page cannot be loaded, and loads it when asked', async () => {
    const { page } = await openPage()
    await page.goto(`${gateway.url}/data`)
    await page.getByRole('row', { name: /^Crypto prices candles/ }).waitFor()
    await page.route('**/screening-page-*.js', (route) => route.abort())
    await followEntry(page, 'Screening')
    await page.getByRole('heading', { name: 'This page could not be loaded' }).waitFor()
    expect(await violations(page)).toEqual([])
    await page.unroute('**/screening-page-*.js')
    await page.getByRole('button', { name: 'Load again' }).click()
    await page.getByRole('textbox', { name: 'Identifiers, one per line' }).waitFor()
  })

  it('creates an account and its keys, and deletes both', async () => {
    const { page, complaints } = await openPage()
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.goto(`${gateway.url}/account`)
    await page.getByRole('button', { name: 'Create an account instead' }).click()
    await page.getByLabel('E-mail').fill('user@example.org')
    await page.getByLabel('Password').fill('correct horse battery')
    await page.getByRole('button', { name: 'Create an account', exact: true }).click()
    await page.getByText('tier free').waitFor()
    const once = page.locator('.once')
    await once.getByText('First key').waitFor()
    const curl = String(await once.locator('code').last().textContent())
    expect(await statusOf(/mdg_test_\w{37}/.exec(curl)?.[0] ?? '')).toBe(200)
    expect(curl).toMatch(/^curl -H "X-API-Key: \S+" http:\S+\/v1\/assets\/bitcoin$/)

    await page.getByLabel('Label').fill('laptop')
    await page.getByLabel('Limit it to some scopes').check()
    await page.getByRole('button', { name: 'Create the key' }).click()
    await once.getByText('laptop').waitFor()
    await once.getByRole('button', { name: 'Copy the key' }).click()
    await once.getByRole('button', { name: 'Copied' }).waitFor()
    const key = String(await page.evaluate('navigator.clipboard.readText()'))
    expect(key).toMatch(/^mdg_test_\w{37}$/)
    expect(await statusOf(key)).toBe(200)
    await screenshot(page, 'portal-account')
    expect(await violations(page)).toEqual([])
    await once.getByRole('button', { name: 'I have stored it' }).click()
    expect(await page.content()).not.toContain(key)

    await page.getByRole('button', { name: 'Rotate laptop' }).click()
    const next = (await once.locator('code').first().textContent()) ?? ''
    expect(next).not.toBe(key)
    expect([await statusOf(key), await statusOf(next)]).toEqual([200, 200])
    const row = page.getByRole('row', { name: new RegExp(next.slice(0, 16)) })
    await row.getByRole('button', { name: 'Revoke laptop' }).click()
    await row.getByRole('button', { name: 'Revoke now laptop' }).click()
    await expect.poll(() => statusOf(next)).toBe(401)

    await page.getByLabel('Label').fill('past')
    await page.getByLabel('Give it a clock').check()
    await page.getByLabel('Instant (UTC)').fill('2026-11-01')
    await page.getByLabel('A fact counts as known').selectOption('published')
    await page.getByRole('button', { name: 'Create the key' }).click()
    const past = (await once.locator('code').first().textContent()) ?? ''
    await page.getByText('1 Nov 2026, 00:00 UTC, published').waitFor()
    const newestRate = async () => {
      const answer = await fetch(`${gateway.url}/v1/forex?quote=USD`, { headers: { 'x-api-key': past } })
      const { data } = (await answer.json()) as { data: readonly { date: string }[] } // the contract
      return data.at(-1)?.date
    }
    expect(await newestRate()).toBe('2026-10-30')
    await page.getByRole('button', { name: 'Move forward past' }).click()
    await page.getByLabel('Forward to (UTC)').fill('2026-11-10T18:00')
    await page.getByRole('button', { name: 'Move', exact: true }).click()
    await page.getByText('10 Nov 2026, 18:00 UTC, published').waitFor()
    expect(await newestRate()).toBe('2026-11-10')
    await page.getByRole('button', { name: 'Move forward past' }).click()
    await page.getByLabel('Forward to (UTC)').fill('2026-11-09')
    await page.getByRole('button', { name: 'Move', exact: true }).click()
    await page.getByText('a clock is never set back').first().waitFor()
    expect(await violations(page)).toEqual([])
    await once.getByRole('button', { name: 'I have stored it' }).click()

    await page.getByLabel('Label').fill('parent')
    await page.getByRole('button', { name: 'Create the key' }).click()
    const parent = (await once.locator('code').first().textContent()) ?? ''
    await once.getByRole('button', { name: 'I have stored it' }).click()
    const made = await fetch(`${gateway.url}/auth/keys`, {
      method: 'POST',
      headers: { 'x-api-key': parent, 'content-type': 'application/json' },
      body: JSON.stringify({ label: 'child' }),
    })
    const { raw_key: child } = (await made.json()) as { raw_key: string } // the contract
    await page.reload()
    await page.getByRole('button', { name: 'Revoke parent' }).click()
    await page.getByText('parent created keys that end with it (1): child').waitFor()
    await page.getByRole('button', { name: 'Revoke now parent' }).click()
    await expect.poll(() => statusOf(parent)).toBe(401)
    expect(await statusOf(child)).toBe(401)

    const end = page.getByRole('button', { name: 'Delete the account' })
    expect(await end.isDisabled()).toBe(true)
    await page.getByLabel(/^Type/).fill('delete my account')
    await end.click()
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    expect(await statusOf(key)).toBe(401)
    // The browser names the move that was refused.
    expect(complaints).toEqual([expect.stringContaining('status of 422')])
  })

  it('shows a new account with its first key at once, so that nothing moves, and creates no second one', async () => {
    const { page } = await openPage()
    await page.setViewportSize({ width: 390, height: 844 })
    // Slower than the time after an input in which browsers excuse a movement.
    await page.route('**/auth/keys', async (route) => {
      await page.waitForTimeout(600)
      await route.continue()
    })
    await page.goto(`${gateway.url}/account`)
    await page.getByRole('button', { name: 'Create an account instead' }).click()
    await page.getByLabel('E-mail').fill('steady@example.org')
    await page.getByLabel('Password').fill('correct horse battery')
    await page.evaluate(OBSERVE_SHIFTS)
    await page.getByRole('button', { name: 'Create an account', exact: true }).click()
    await page.locator('.once').getByText('First key').waitFor()
    await page.getByRole('row', { name: /^First key/ }).waitFor()
    await page.getByRole('img', { name: /^Units charged per day/ }).waitFor()
    expect(await page.evaluate('window.shifted')).toBeLessThanOrEqual(0.05)
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByLabel('E-mail').fill('steady@example.org')
    await page.getByLabel('Password').fill('correct horse battery')
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByRole('row', { name: /^First key/ }).waitFor()
    expect(await page.locator('.once').count()).toBe(0)
    expect(await page.getByRole('row', { name: /^First key/ }).count()).toBe(1)
  })

  it('shows an error for a wrong password', async () => {
    const { page } = await openPage()
    await page.goto(`${gateway.url}/account`)
    await page.getByLabel('E-mail').fill('nobody@example.org')
    await page.getByLabel('Password').fill('not the password')
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByRole('alert').waitFor()
    expect(await violations(page)).toEqual([])
  })

  it('serves every page with a policy that blocks foreign content', async () => {
    const accept = 'text/html'
    for (const path of ['/', '/account', '/assets/bitcoin', '/nothing']) {
      const { headers, status } = await fetch(gateway.url + path, { headers: { accept } })
      expect(status, path).toBe(path === '/nothing' ? 404 : 200)
      const policy = headers.get('content-security-policy') ?? ''
      expect(policy, path).toContain("default-src 'self'; script-src 'self'; style-src 'self';")
      expect(policy, path).not.toMatch(/https?:|\*|unsafe/)
    }
  })

  async function statusOf(key: string): Promise<number> {
    const response = await fetch(`${gateway.url}/v1/usage`, { headers: { 'x-api-key': key } })
    await response.arrayBuffer()
    return response.status
  }
})
