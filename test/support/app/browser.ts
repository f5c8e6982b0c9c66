import { existsSync } from 'node:fs'
import { join } from 'node:path'
import axe from 'axe-core'
import { type Browser, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, onTestFinished } from 'vitest'
import { SEEDED_AT } from '../database/database.js'

const CHROMIUM_PATH = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium'

/** Why browser tests cannot run here, or null. With REQUIRE_SERVICES=1 they run, and fail, all the same. */
const BROWSER_ABSENT: string | null =
  existsSync(CHROMIUM_PATH) || process.env.REQUIRE_SERVICES === '1'
    ? null
    : `no Chromium at ${CHROMIUM_PATH} (set CHROMIUM_PATH)`

/** For one thing that a page does: the REST reference needs seconds of a core, of which other tests leave little. */
export const OF_PAGE = { timeout: 120_000 } as const

/** For a test in a browser, where a page does several things. */
const IN_BROWSER = { timeout: 5 * OF_PAGE.timeout } as const

/** Tests of what a browser shows, in one browser of their own; skipped, and said so, where there is none. */
export function describeInBrowser(what: string, tests: (openPage: () => Promise<WatchedPage>) => void): void {
  const title = BROWSER_ABSENT === null ? what : `${what} (skipped: ${BROWSER_ABSENT})`
  describe.skipIf(BROWSER_ABSENT !== null)(title, IN_BROWSER, () => {
    let browser: Browser
    beforeAll(async () => {
      browser = await launchBrowser()
    })
    afterAll(() => browser?.close())
    tests(() => openPage(browser))
  })
}

const WIDE = { width: 1280, height: 900 }
const NARROW = { width: 390, height: 844 }

/** The sizes and colour schemes that every page is looked at in. With EVERY_LOOK=1 each size in each scheme. */
export const LOOKS = [
  { size: WIDE, scheme: 'light' },
  { size: NARROW, scheme: 'dark' },
  ...(process.env.EVERY_LOOK === '1'
    ? ([
        { size: WIDE, scheme: 'dark' },
        { size: NARROW, scheme: 'light' },
      ] as const)
    : []),
] as const

/** A headless Chromium with a profile of its own that can reach this machine only. */
function launchBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: CHROMIUM_PATH,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
    ],
  })
}

export interface WatchedPage {
  readonly page: Page
  /** Addresses asked for so far, but for data: and blob:, which never leave the browser. */
  readonly requested: readonly string[]
  /** Errors of scripts, refusals of the content security policy, failed loads and warnings, as the console tells them. */
  readonly complaints: readonly string[]
  /** What the scripts tell the developer in the console. */
  readonly hints: readonly string[]
}

/** A new page for one test. It notes its requests and what goes wrong. Its date is that of the gateways of tests. */
async function openPage(browser: Browser): Promise<WatchedPage> {
  const context = await browser.newContext({ viewport: { width: 1400, height: 900 } })
  // What stays open goes on drawing beside the next test.
  onTestFinished(() => context.close())
  context.setDefaultTimeout(OF_PAGE.timeout)
  const page = await context.newPage()
  await page.clock.setFixedTime(SEEDED_AT)
  const requested: string[] = []
  const complaints: string[] = []
  const hints: string[] = []
  context.on('request', (request) => {
    if (!/^(data|blob):/.test(request.url())) requested.push(request.url())
  })
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text())
    if (message.type() === 'info') hints.push(message.text())
  })
  return { page, requested, complaints, hints }
}

/** Keeps a picture of the page when SCREENSHOTS_DIR is set. */
export async function screenshot(page: Page, name: string): Promise<void> {
  const directory = process.env.SCREENSHOTS_DIR
  if (!directory) return
  await page.waitForTimeout(500) // transitions
  await page.screenshot({ path: join(directory, `${name}.png`), fullPage: true })
}

/** Accessibility violations that axe finds, by rule and element. */
export async function violations(page: Page): Promise<readonly string[]> {
  return (await page.evaluate(`${axe.source}
    axe.run().then(({ violations }) =>
      violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => id + ' at ' + target)))`)) as string[]
}
