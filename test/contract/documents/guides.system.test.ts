import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { START_MS } from '../../process/gateway.js'
import * as answers from '../../support/guides/answer-claims.js'
import * as bi from '../../support/guides/bi-claims.js'
import { type GuideBlock, guideBlocks } from '../../support/guides/blocks.js'
import * as data from '../../support/guides/data-claims.js'
import * as kubernetes from '../../support/guides/kubernetes-claims.js'
import { isTakenByHaproxy, isTakenByPrometheus } from '../../support/guides/proxy-claims.js'
import * as python from '../../support/guides/python-claims.js'
import * as webhooks from '../../support/guides/webhook-claims.js'
import { GuideWorld, PRESENT } from '../../support/guides/world.js'

/** What is not run here, by guide and beginning: why, or the file that runs it. `ts` of the client is one program. */
const NOT_RUN: readonly (readonly [guide: string, beginning: string, reason: string])[] = [
  [
    'README',
    'npm install && npm start ',
    'installs, and runs all tests: test/contract/documents/install.system.test.ts',
  ],
  [
    'first-day',
    'npm pack ',
    'installs for the machine, and Docker: test/contract/documents/install.system.test.ts',
  ],
  [
    'first-day',
    'npm install --global ',
    'installs for the machine, with systemd: test/contract/documents/install.system.test.ts',
  ],
  ['live-data', 'npm start -- --live ', 'asks providers over the network; its feeds are looked up below'],
  [
    'subscriptions',
    'import { ApolloClient, ',
    'needs a package of its own: `npm run clients`, scripts/clients.ts',
  ],
  ['client', 'npm run client ', 'test/scripts/client/installed-client.ts makes, packs and installs it'],
  [
    'client',
    'ts',
    'test/scripts/client/package.system.test.ts compiles and runs these blocks as one program',
  ],
]

interface Run {
  readonly needs?: keyof typeof PRESENT
  run(world: GuideWorld, block: GuideBlock): Promise<unknown>
}

/** How a block is run that is no `sh`, or that says more than that it works. By guide, language and beginning. */
const RUNS: readonly (readonly [guide: string, language: string, beginning: string, run: Run])[] = [
  ['README', 'json', '{', { run: answers.showsTheAsset }],
  ['README', 'python', 'import ', { needs: 'python3', run: python.runsInPlainPython }],
  ['README', 'graphql', '{', { run: answers.asksGraphql }],
  ['README', 'mermaid', '', { run: answers.namesParts }],
  ['agents', 'json', '{', { run: answers.listsTools }],
  ['as-of', 'text', '', { run: answers.drawsMarksBelowDays }],
  ['as-of', 'graphql', '{', { run: answers.asksGraphql }],
  ['as-of', 'python', 'import ', { needs: 'python3', run: python.losesOnlyByPublication }],
  ['caching', 'sh', 'KEY=', { run: answers.asksAgain }],
  ['first-requests', 'json', '{', { run: answers.showsTheAsset }],
  ['first-requests', 'js', 'const headers', { run: answers.runsInNode }],
  ['first-requests', 'python', 'import ', { needs: 'python3', run: python.runsInPlainPython }],
  ['errors', 'json', '{', { run: answers.showsTheMissingKey }],
  ['first-requests', 'http', 'Link:', { run: answers.hasHeadersOf('/v1/forex?quote=USD') }],
  ['limits', 'http', 'x-ratelimit-limit', { run: answers.hasHeadersOf('/v1/assets/bitcoin') }],
  ['limits', 'sh', 'FREE=', { run: answers.isRefused }],
  ['limits', 'json', '{', { run: answers.showsTheRefusal }],
  ['subscriptions', 'json', '{', { run: data.showsThePause }],
  ['own-files', 'csv', 'event_type', { run: data.ingests('events') }],
  ['own-files', 'csv', 'ticker,mic,date', { run: data.ingests('prices') }],
  ['own-files', 'sh', 'npm run ingest -- instruments', { run: data.readsOwnFiles }],
  ['subscriptions', 'js', 'import { createClient', { run: data.subscribes }],
  ['newsletter', 'sh', 'SMTP_URL=', { run: answers.configures }],
  ['operations', 'sh', 'export KEY_PEPPER=', { run: answers.configures }],
  ['recovery', 'sql', 'select ', { run: answers.isTriedBy('test/process/promotion.system.test.ts') }],
  ['rotation', 'ini', 'KEY_PEPPER=', { run: answers.isTriedBy('test/process/rotation.long.test.ts') }],
  [
    'rotation',
    'sh',
    'npm run admin -- secrets rotate',
    { run: answers.isTriedBy('test/process/rotation.long.test.ts') },
  ],
  ['rotation', 'sh', 'SIGNING_KEY=', { run: answers.isTriedBy('test/process/rotation.long.test.ts') }],
  ['rotation', 'sql', '', { run: answers.isTriedBy('test/process/service-secrets.long.test.ts') }],
  ['first-day', 'haproxy', 'defaults', { needs: 'HAProxy', run: isTakenByHaproxy }],
  ['first-day', 'sql', '', { run: answers.isTriedBy('test/contract/documents/install.system.test.ts') }],
  ['first-day', 'yaml', 'scrape_configs:', { needs: 'promtool', run: isTakenByPrometheus }],
  ['kubernetes', 'sh', 'docker build ', { needs: 'kubectl', run: kubernetes.preparesSecrets }],
  ['kubernetes', 'sh', 'export NS=', { needs: 'kubectl', run: kubernetes.appliesManifests }],
  ['kubernetes', 'sh', 'kubectl -n $NS exec ', { needs: 'kubectl', run: kubernetes.runsCommands }],
  ['scaling', 'sh', 'WORKERS=', { run: answers.configures }],
  ['files', 'sql', 'select ', { run: data.queriesFiles }],
  ['releases', 'sql', 'select ', { run: data.queriesFiles }],
  ['python', 'sh', 'npm run client ', { needs: 'Python with pandas', run: python.installsPythonClient }],
  [
    'backtests',
    'python',
    'from market_data_gateway import yf',
    { needs: 'Python with pandas', run: python.runsInPython },
  ],
  [
    'backtests',
    'python',
    'import backtrader',
    { needs: 'Python with backtrader', run: python.runsWithItsWarnings },
  ],
  [
    'backtests',
    'python',
    'import vectorbt',
    { needs: 'Python with vectorbt', run: python.runsWithItsWarnings },
  ],
  ['duckdb', 'sql', 'install httpfs', { run: bi.readsReleaseByRanges }],
  ['grafana', 'yaml', 'apiVersion: 1', { run: bi.sendsTheKeyOfGrafana }],
  ['power-query', 'm', '(path as text', { run: bi.definesGatewayRows }],
  ['power-query', 'm', 'let', { run: bi.readsAllPagesAsGatewayRows }],
  ['python', 'python', '', { needs: 'Python with pandas', run: python.runsInPython }],
  ['sql', 'sh', 'KEY=', { needs: 'PostgreSQL and psql', run: (world, block) => world.run(block) }],
  ['sql', 'sh', 'export PGPASSWORD=', { needs: 'PostgreSQL and psql', run: data.connects }],
  ['sql', 'sh', 'createdb ', { needs: 'PostgreSQL and psql', run: data.startsOnPostgres }],
  ['sql', 'sql', 'select ', { needs: 'PostgreSQL and psql', run: data.queries }],
  ['sql', 'conf', 'hostssl ', { needs: 'PostgreSQL and psql', run: data.namesTheGroup }],
  ['webhooks', 'http', 'POST /changes', { run: webhooks.hasTheFormOfAnEvent }],
  ['webhooks', 'ts', 'import ', { run: webhooks.receivesInTypeScript }],
  ['webhooks', 'python', 'import ', { needs: 'python3', run: webhooks.receivesInPython }],
]

const BLOCKS = guideBlocks()

const isListed = (block: GuideBlock, [guide, beginning]: (typeof NOT_RUN)[number]) =>
  guide === block.guide && (block.firstLine.startsWith(beginning) || block.language === beginning)
const isRunBy = (block: GuideBlock, [guide, language, beginning]: (typeof RUNS)[number]) =>
  guide === block.guide && language === block.language && block.firstLine.startsWith(beginning)

const LISTED = BLOCKS.filter((block) => NOT_RUN.some((entry) => isListed(block, entry)))
/**
 * The guide on Python downloads the release that the guide on releases writes. Guides that ingest come last: an ingestion removes
 * the seed that other guides read. Their files come before the commands on them.
 */
const INGESTING = ['live-data', 'own-files']
const order = ({ guide, language }: GuideBlock) =>
  INGESTING.includes(guide) ? (language === 'csv' ? 3 : 4) : guide === 'python' ? 2 : 1
const TO_RUN = BLOCKS.filter((block) => !LISTED.includes(block)).toSorted((a, b) => order(a) - order(b))

const nameOf = ({ guide, line, language, firstLine }: GuideBlock) =>
  `${guide}.md:${line} ${language}: ${firstLine}`

describe('the code of the guides', { timeout: 120_000 }, () => {
  const looked = new Set<string>()
  let world: GuideWorld
  beforeAll(async () => {
    world = await GuideWorld.open()
  }, START_MS)
  afterAll(() => world?.close())

  it.for(TO_RUN.map((block) => [nameOf(block), block] as const))('%s', async ([name, block], { skip }) => {
    const own = RUNS.find((entry) => isRunBy(block, entry))?.[3]
    looked.add(name)
    if (own?.needs !== undefined && !PRESENT[own.needs]) skip(`${own.needs}: not on this machine`)
    if (own !== undefined) await own.run(world, block)
    else if (block.language === 'sh') await world.run(block)
    else expect.fail(`nothing runs a block of ${block.language || 'no language'}: say how, or list it`)
  })

  it('names existing feeds', async () => {
    const [network] = LISTED.filter(({ guide, language }) => guide === 'live-data' && language === 'sh')
    const asked = Array.from(
      network?.text.matchAll(/^npm run ingest -- ([\w-]+)/gm) ?? [],
      ([, feed]) => feed,
    )
    const { out } = await world.run(
      { ...TO_RUN[0], guide: 'live-data', text: '' } as GuideBlock,
      'npm run ingest -- --help',
    )
    const known = new Set(Array.from(out.matchAll(/^ {2}([a-z][\w-]+) /gm), ([, feed]) => feed))
    expect(asked.length).toBeGreaterThan(20)
    expect(asked.filter((feed) => !known.has(feed))).toEqual([])
  })

  it('is either run or listed, and every listed or separately run block exists', () => {
    expect(looked.size + LISTED.length).toBe(BLOCKS.length)
    expect(NOT_RUN.length).toBeLessThanOrEqual(7)
    expect(NOT_RUN.filter((entry) => !BLOCKS.some((block) => isListed(block, entry)))).toEqual([])
    expect(RUNS.filter((entry) => !BLOCKS.some((block) => isRunBy(block, entry)))).toEqual([])
  })
})
