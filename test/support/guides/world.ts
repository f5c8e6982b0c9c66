import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { expect } from 'vitest'
import { createAccountWithKey } from '../../../src/domains/access/operator.js'
import { cleanUp, type Gateway, seededDataDir, startGateway } from '../../process/gateway.js'
import { isInstalledInPython, MAY_RUN_PYTHON_CLIENT } from '../../scripts/client/installed-python-client.js'
import { availableDatabases } from '../database/database.js'
import { openSqlWorld, type SqlWorld } from '../database/sql-world.js'
import { type MailServer, startMailServer } from '../peers/mail-server.js'
import { RECEIVER_CERTIFICATE, startReceiver, type WebhookReceiver } from '../peers/webhook-receiver.js'
import type { GuideBlock } from './blocks.js'
import { GUIDE_FILES } from './files.js'
import { GuideShell, type ShellResult } from './shell.js'

const NODE_MODULES = resolve(import.meta.dirname, '../../../node_modules')

const isInstalled = (program: string, version = '--version') => spawnSync(program, [version]).status === 0

/** What some blocks need beyond the gateway. */
export const PRESENT = {
  python3: isInstalled('python3'),
  'Python with pandas': MAY_RUN_PYTHON_CLIENT,
  'Python with backtrader': isInstalledInPython('pandas, backtrader'),
  'Python with vectorbt': isInstalledInPython('pandas, vectorbt'),
  HAProxy: isInstalled('haproxy', '-v'),
  promtool: isInstalled('promtool'),
  kubectl: spawnSync('kubectl', ['kustomize', '--help']).status === 0,
  'PostgreSQL and psql': availableDatabases().includes('postgres') && isInstalled('psql'),
} as const

/**
 * A reader with a gateway that was started as `npm start` does it, a receiver of webhooks and a mail server, in a directory of
 * its own with `.data` in it; and, where PostgreSQL answers, a gateway on it for the guide of SQL access.
 */
export class GuideWorld {
  readonly gateway: Gateway
  readonly directory: string
  readonly receiver: WebhookReceiver
  readonly mail: MailServer
  readonly sql: SqlWorld | null
  readonly #shells = new Map<string, GuideShell>()
  readonly #printed = new Map<string, string>()

  private constructor(parts: Pick<GuideWorld, 'gateway' | 'directory' | 'receiver' | 'mail' | 'sql'>) {
    this.gateway = parts.gateway
    this.directory = parts.directory
    this.receiver = parts.receiver
    this.mail = parts.mail
    this.sql = parts.sql
  }

  static async open(): Promise<GuideWorld> {
    const dataDir = await seededDataDir()
    const directory = join(dirname(dataDir), 'reader')
    mkdirSync(directory)
    symlinkSync(dataDir, join(directory, '.data'))
    symlinkSync(NODE_MODULES, join(directory, 'node_modules'))
    for (const [name, text] of Object.entries(GUIDE_FILES)) writeFileSync(join(directory, name), text)
    const [receiver, mail] = await Promise.all([startReceiver(), startMailServer()])
    const [gateway, sql] = await Promise.all([
      startGateway({
        DATA_DIR: dataDir,
        ...{ SMTP_URL: mail.url, NEWSLETTER_FROM: 'news@gateway.example' },
        ...{ WEBHOOK_PRIVATE_HOSTS: 'localhost', NODE_EXTRA_CA_CERTS: RECEIVER_CERTIFICATE },
      }),
      PRESENT['PostgreSQL and psql'] ? openSqlWorld('creator of roles') : null,
    ])
    if (sql !== null) await holdKeys(sql, join(directory, 'sql'))
    return new GuideWorld({ gateway, directory, receiver, mail, sql })
  }

  async close(): Promise<void> {
    await this.sql?.close()
    await cleanUp()
    await Promise.all([this.receiver.close(), this.mail.close()])
  }

  /** The development key of the tier. */
  key(tier: string): string {
    // The gateway's own file.
    const keys = JSON.parse(readFileSync(join(this.directory, '.data/dev-keys.json'), 'utf8')) as Record<
      string,
      string
    >
    return keys[tier] ?? expect.fail(`no development key of ${tier}`)
  }

  /** As printed, but for the addresses. */
  adapted({ guide, text }: Pick<GuideBlock, 'guide' | 'text'>): string {
    const url = guide === 'sql' && this.sql !== null ? this.sql.app.url : this.gateway.url
    return text
      .replaceAll('127.0.0.1:4000', new URL(url).host)
      .replaceAll('127.0.0.1:4001', new URL(this.gateway.metricsUrl).host)
      .replaceAll('https://hooks.example.com/changes', `${this.receiver.url}/changes`)
  }

  /** The block exits with 0, and every answer is 2xx or 304, or of a status that the block itself names. */
  async run(block: GuideBlock, script = this.adapted(block)): Promise<ShellResult> {
    const result = await (await this.#shellOf(block.guide)).run(script)
    const isExpected = (status: number) =>
      (status >= 200 && status < 300) || status === 304 || block.text.includes(String(status))
    expect([result.statuses.filter((status) => !isExpected(status)), result.out]).toEqual([
      [],
      expect.not.stringContaining('"errors":['),
    ])
    if (/\bcurl /.test(block.text)) expect(result.statuses.length).toBeGreaterThan(0)
    this.#printed.set(block.guide, `${this.printed(block.guide)}${result.out}\n`)
    return result
  }

  /** What the blocks of a guide have printed so far. */
  printed(guide: string): string {
    return this.#printed.get(guide) ?? ''
  }

  async #shellOf(guide: string): Promise<GuideShell> {
    const known = this.#shells.get(guide)
    if (known !== undefined) return known
    const directory = guide === 'sql' ? join(this.directory, 'sql') : this.directory
    const shell = await GuideShell.open(directory, guide)
    this.#shells.set(guide, shell)
    return shell
  }
}

/** On PostgreSQL the reader has a key of the tier pro in the place of the development keys. */
async function holdKeys({ app }: SqlWorld, directory: string): Promise<void> {
  const { raw_key } = await createAccountWithKey(app.access, { tier: 'pro', label: 'reader' })
  mkdirSync(join(directory, '.data'), { recursive: true })
  writeFileSync(join(directory, '.data/dev-keys.json'), JSON.stringify({ pro: raw_key }))
}
