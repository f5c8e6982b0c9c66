// Takes a picture of every page of a running gateway, wide and narrow, light and dark, and measures how far the page moves
// while it loads and how many bytes it needs: npm run pictures -- http://127.0.0.1:4000 DIRECTORY [PATH...]
// Without a directory it takes the pictures of the README, which are in .github/pictures.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { type Browser, chromium, type Page } from 'playwright-core'

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
  '/docs/guides',
  '/docs/guides/first-requests',
  '/docs',
  '/graphql',
  '/no-such-page',
]

const SIZES = [
  { width: 1280, height: 800 },
  { width: 390, height: 844 },
] as const
const SCHEMES = ['light', 'dark'] as const

/** The reference draws for seconds, GraphiQL loads its editor, and the page of changes never ends its requests. */
const SETTLE_MS = 3_000

/** Layout shifts so far, as browsers score them. */
const SHIFTS = `new Promise((resolve) => {
  let sum = 0
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) if (!entry.hadRecentInput) sum += entry.value
  }).observe({ type: 'layout-shift', buffered: true })
  setTimeout(() => resolve(sum), 100)
})`

/** Bytes that travelled for the document and all that it loads, but for the font. */
const BYTES = `['navigation', 'resource']
  .flatMap((type) => performance.getEntriesByType(type))
  .filter(({ name }) => !name.endsWith('.woff2'))
  .reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0)`

/** The pictures of the README by name. A JPEG of this quality has at most 250 kB. */
const README_PICTURES = { portal: '/', graphiql: '/graphql' } as const
const README_DIRECTORY = resolve(import.meta.dirname, '../.github/pictures')
const README_QUALITY = 80

async function takeReadmePictures(browser: Browser, origin: string): Promise<void> {
  for (const [name, path] of Object.entries(README_PICTURES))
    for (const colorScheme of SCHEMES) {
      const page = await browser.newPage({ viewport: SIZES[0], colorScheme })
      await page.goto(origin + path)
      await page.waitForTimeout(SETTLE_MS)
      if (path === '/graphql') {
        await page.getByRole('button', { name: 'Execute query' }).click()
        await page.waitForTimeout(SETTLE_MS)
      }
      const file = join(README_DIRECTORY, `${name}-${colorScheme}.jpg`)
      await page.screenshot({ path: file, type: 'jpeg', quality: README_QUALITY })
      await page.close()
    }
}

async function takePictures(
  browser: Browser,
  origin: string,
  directory: string,
  chosen: readonly string[],
): Promise<void> {
  mkdirSync(directory, { recursive: true })
  const lines: string[] = []
  for (const path of chosen.length > 0 ? chosen : PATHS)
    for (const viewport of SIZES)
      for (const colorScheme of SCHEMES) {
        const name = path === '/' ? 'overview' : path.slice(1).replaceAll('/', '-')
        const file = join(directory, `${name}-${viewport.width}-${colorScheme}.png`)
        const line = await takePicture(browser, origin + path, file, { viewport, colorScheme })
        process.stdout.write(`${line}\n`)
        lines.push(line)
      }
  writeFileSync(join(directory, 'pictures.tsv'), `${lines.join('\n')}\n`)
}

async function takePicture(browser: Browser, url: string, file: string, look: object): Promise<string> {
  const context = await browser.newContext(look)
  const page = await context.newPage()
  await page.goto(url)
  await page.waitForTimeout(SETTLE_MS)
  const bytes = await page.evaluate(BYTES)
  const shifts = (await page.evaluate(SHIFTS)) as number
  await page.screenshot({ path: file })
  const height = await heightOf(page)
  await context.close()
  return `${file}\tshift ${shifts.toFixed(3)}\t${bytes} bytes\theader ${height} px`
}

/** The height of the header; 0 without one. */
function heightOf(page: Page): Promise<number> {
  return page.evaluate(() => document.querySelector('.bar')?.getBoundingClientRect().height ?? 0)
}

const [origin, directory, ...chosen] = process.argv.slice(2)
if (origin === undefined) throw new Error('npm run pictures -- URL [DIRECTORY [PATH...]]')
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM_PATH ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-background-networking', '--disable-component-update'],
})
await (directory === undefined
  ? takeReadmePictures(browser, origin)
  : takePictures(browser, origin, directory, chosen))
await browser.close()
