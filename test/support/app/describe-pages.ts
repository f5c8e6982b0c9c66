import { randomBytes } from 'node:crypto'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll } from 'vitest'
import { startTestApp, type TestApp } from './app.js'
import { describeInBrowser, type LOOKS, type WatchedPage } from './browser.js'
import { expectCallsToWork } from './panel-calls.js'
import { visit } from './visit.js'

export interface Pages {
  /** Opens a page in a size and a colour scheme. */
  readonly open: (path?: string, look?: (typeof LOOKS)[number]) => ReturnType<typeof visit>
  readonly openPage: () => Promise<WatchedPage>
  /** Runs the calls that the panels of a page show. */
  readonly expectCallsToWork: (page: Page) => Promise<void>
  readonly url: (path: string) => string
  /** The gateway, which signs receipts. */
  readonly app: () => TestApp
}

/** Tests of the pages of one gateway in a browser. Their visitor has the tier pro. */
export function describePages(what: string, tests: (pages: Pages) => void): void {
  describeInBrowser(what, (openPage) => {
    let app: TestApp
    beforeAll(async () => {
      app = await startTestApp('pglite', {
        developmentTier: 'pro',
        env: { SIGNING_KEY: randomBytes(32).toString('base64url') },
      })
    })
    afterAll(() => app?.close())
    const url = (path: string) => app.url + path
    tests({
      open: (path = '/', look) => visit(openPage, url(path), look),
      openPage,
      expectCallsToWork: (page) => expectCallsToWork(page, { url: app.url, key: app.pageKey ?? '' }),
      url,
      app: () => app,
    })
  })
}
