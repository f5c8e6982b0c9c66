import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { installNode } from '../../../scripts/node-binary/install-node.js'
import { startTestApp, type TestApp } from '../../support/app/app.js'
import { quickestDatabase } from '../../support/database/database.js'

const PACKAGES = resolve(import.meta.dirname, '../../../scripts/mcp-conformance')
const PROGRAM = join(PACKAGES, 'node_modules/@modelcontextprotocol/conformance/dist/index.js')

/** The suite uses functions that Node.js 20 lacks. */
const SUITE_NODE = 22

const OF_TOOLS = 'calls a tool of the example server of the suite'
const OF_RESOURCES = 'needs resources, and the gateway has tools only'
const OF_PROMPTS = 'needs prompts, and the gateway has tools only'

/** Scenarios that test something that the gateway does not offer, and why. All others must succeed. */
const NOT_APPLICABLE: Readonly<Record<string, string>> = {
  'completion-complete': OF_PROMPTS,
  'elicitation-sep1034-defaults': OF_TOOLS,
  'elicitation-sep1330-enums': OF_TOOLS,
  'json-schema-2020-12': OF_TOOLS,
  'logging-set-level': 'needs messages of a log, which the gateway does not send to clients',
  'prompts-get-embedded-resource': OF_PROMPTS,
  'prompts-get-simple': OF_PROMPTS,
  'prompts-get-with-args': OF_PROMPTS,
  'prompts-get-with-image': OF_PROMPTS,
  'prompts-list': OF_PROMPTS,
  'resources-list': OF_RESOURCES,
  'resources-read-binary': OF_RESOURCES,
  'resources-read-text': OF_RESOURCES,
  'resources-subscribe': OF_RESOURCES,
  'resources-templates-read': OF_RESOURCES,
  'resources-unsubscribe': OF_RESOURCES,
  'tools-call-audio': OF_TOOLS,
  'tools-call-elicitation': OF_TOOLS,
  'tools-call-embedded-resource': OF_TOOLS,
  'tools-call-image': OF_TOOLS,
  'tools-call-mixed-content': OF_TOOLS,
  'tools-call-sampling': OF_TOOLS,
  'tools-call-with-logging': OF_TOOLS,
  'tools-call-with-progress': OF_TOOLS,
}

/** The Node.js that runs the suite, or why it cannot run here. */
function suiteNode(): { readonly node: string } | { readonly absent: string } {
  try {
    if (!existsSync(PROGRAM)) {
      const args = ['ci', '--no-audit', '--no-fund', '--ignore-scripts']
      if (spawnSync('npm', args, { cwd: PACKAGES }).status !== 0)
        return { absent: `npm ci failed in ${PACKAGES}` }
    }
    const isNew = Number(process.versions.node.split('.')[0]) >= SUITE_NODE
    return { node: isNew ? process.execPath : installNode(String(SUITE_NODE)) }
  } catch (error) {
    return { absent: String(error) }
  }
}

const suite = suiteNode()
const reason = 'absent' in suite ? ` (skipped: ${suite.absent})` : ''

describe.skipIf('absent' in suite)(`the conformance suite of the protocol${reason}`, () => {
  let app: TestApp
  let directory: string
  beforeAll(async () => {
    app = await startTestApp(quickestDatabase())
    directory = mkdtempSync(join(tmpdir(), 'mdg-conformance-'))
  }, 120_000)
  afterAll(async () => {
    await app?.close()
    rmSync(directory, { recursive: true, force: true })
  })

  it('succeeds, except for what the gateway does not offer', { timeout: 300_000 }, async () => {
    const args = ['server', '--url', `${app.url}/mcp`, '--suite', 'all', '--output-dir', directory]
    const stdout = await runSuite('node' in suite ? suite.node : '', args)
    const results = stdout.matchAll(/^([✓✗]) ([\w-]+): (\d+) passed/gm)
    const outcomes = Array.from(results, ([, mark, name = '', passed]) => ({
      name,
      mark,
      passed: Number(passed),
    }))
    const failed = outcomes.filter(({ mark }) => mark === '✗').map(({ name }) => name)
    expect(failed.toSorted()).toEqual(Object.keys(NOT_APPLICABLE).toSorted())
    const passed = outcomes.filter((outcome) => outcome.passed > 0).map(({ name }) => name)
    expect(passed).toEqual(
      expect.arrayContaining(['server-initialize', 'ping', 'tools-list', 'dns-rebinding-protection']),
    )
  })
})

/** Runs the suite and returns its report. */
async function runSuite(node: string, args: readonly string[]): Promise<string> {
  const child = spawn(node, [PROGRAM, ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [report] = await Promise.all([text(child.stdout), once(child, 'exit')])
  return report
}
