import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text as textOf } from 'node:stream/consumers'
import { expect, inject } from 'vitest'
import type { Caller } from '../../../src/policy/principal.js'
import { policiesOf, stopOfStream } from '../../../src/policy/quota.js'
import { scopesOfTier } from '../../../src/policy/scopes.js'
import { ask, startGateway } from '../../process/gateway.js'
import { queryFiles } from '../columnar-files.js'
import { dropPostgresDatabase } from '../database/database.js'
import type { SqlWorld } from '../database/sql-world.js'
import { eventually } from '../eventually.js'
import type { GuideBlock } from './blocks.js'
import type { GuideWorld } from './world.js'

// Files that are ingested, subscriptions, and logins of SQL.

const FREE_CALLER: Caller = {
  kind: 'key',
  accountId: 'a',
  meterId: 'a',
  keyId: 'k',
  tier: 'free',
  scopes: scopesOfTier('free'),
  contract: null,
  isNarrowed: false,
  endsAt: null,
}

/** It is what a stream sends when the hour of a free account is spent. */
export async function showsThePause(_world: GuideWorld, { text }: GuideBlock): Promise<void> {
  const [policy] = policiesOf(FREE_CALLER, 'metered', new Date('2026-11-20T12:30:00Z'))
  if (policy === undefined) return expect.fail('the tier free has no quota')
  const { error } = stopOfStream('free', [{ policy, used: policy.quota, units: 1 }])
  const shown = JSON.parse(text) as { errors: readonly { message: string; extensions: object }[] }
  expect(shown.errors).toEqual([
    {
      message: error.message,
      extensions: { code: error.graphqlCode, http: { status: error.status }, retry_after: error.retryAfter },
    },
  ])
}

/** The file is taken unchanged: no line is rejected. */
export const ingests =
  (feed: string) =>
  async (world: GuideWorld, block: GuideBlock): Promise<void> => {
    writeFileSync(join(world.directory, `${feed}.csv`), block.text)
    const { out } = await world.run(block, `npm run -s ingest -- ${feed} --file ${feed}.csv --json`)
    const summary = JSON.parse(out) as { added: number; rejected: number }
    expect([summary.added > 0, summary.rejected]).toEqual([true, 0])
  }

/** Every file of the reader is taken without a rejected line. */
export async function readsOwnFiles(world: GuideWorld, block: GuideBlock): Promise<void> {
  const { out } = await world.run(block)
  expect(out).not.toMatch(/[1-9]\d* rejected/)
}

/** DuckDB finds rows in the files that the guide has downloaded. */
export async function queriesFiles(world: GuideWorld, { text }: GuideBlock): Promise<void> {
  const rows = await queryFiles(world.directory, text)
  expect(rows.length).toBeGreaterThan(3)
  for (const cell of rows.flatMap((row) => Object.values(row))) expect(cell).not.toBeNull()
}

/** The subscription is opened, as it is charged, and goes on without an error. */
export async function subscribes(world: GuideWorld, block: GuideBlock): Promise<void> {
  const file = join(world.directory, 'subscribe.mjs')
  writeFileSync(file, world.adapted(block))
  const before = await chargedFor(world)
  const env = { PATH: process.env.PATH, KEY: world.key('pro') }
  const child = spawn(process.execPath, [file], {
    env,
    cwd: world.directory,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const errors = textOf(child.stderr)
  try {
    await eventually(async () => expect(await chargedFor(world)).toBe(before + 1))
    expect(child.exitCode).toBeNull()
  } finally {
    child.kill()
  }
  expect(await errors).toBe('')
}

async function chargedFor(world: GuideWorld): Promise<number> {
  const { body } = await ask<{ policies: { policy: string; used: number }[] }>(
    `${world.gateway.url}/v1/usage`,
    world.key('pro'),
  )
  return body.policies.find(({ policy }) => policy === 'month')?.used ?? 0
}

/** The login that the block before has made works. */
export async function connects(world: GuideWorld, block: GuideBlock): Promise<void> {
  await world.run(block, `${block.text.trim()} -c 'select 1 as answered' </dev/null`)
  expect(world.printed('sql')).toContain('answered')
}

/** A gateway on a database that the block has created, with its settings, makes a login. */
export async function startsOnPostgres(world: GuideWorld, block: GuideBlock): Promise<void> {
  const START = 'npm start -- --seed\n'
  expect(block.text.endsWith(START)).toBe(true)
  const name = `mdg_guide_${randomBytes(4).toString('hex')}`
  const { host, port, username } = new URL(inject('postgresUrl') ?? expect.fail('no PostgreSQL'))
  const there = `export PGUSER='${username}' PGPORT='${port || 5432}'\n`
  const commands = block.text
    .slice(0, -START.length)
    .replace('createdb --host 127.0.0.1 gateway', `createdb --host 127.0.0.1 ${name}`)
    .replace('127.0.0.1:5432/gateway', `${username}@${host}/${name}`)
  try {
    const { env } = await world.run(block, there + commands)
    const gateway = await startGateway({ ...pick(env), SEED: 'on', DATA_DIR: join(world.directory, name) })
    const keys = readFileSync(join(world.directory, name, 'dev-keys.json'), 'utf8')
    const { pro } = JSON.parse(keys) as { readonly pro: string } // the gateway's own file
    const asked = await fetch(`${gateway.url}/v1/billing/sql-credentials`, {
      method: 'POST',
      headers: { 'x-api-key': pro, 'content-type': 'application/json' },
      body: JSON.stringify({ label: 'laptop' }),
    })
    expect(asked.status).toBe(201)
    await gateway.stop('SIGTERM')
  } finally {
    await dropPostgresDatabase(`postgresql://${username}@${host}/${name}`)
  }
}

function pick({ DATABASE_URL = '', KEY_PEPPER = '', JWT_KEYS = '' }: Readonly<Record<string, string>>) {
  return { DATABASE_URL, KEY_PEPPER, JWT_KEYS }
}

export async function queries(world: GuideWorld, block: GuideBlock): Promise<void> {
  const script = `psql "$LOGIN" -v ON_ERROR_STOP=1 <<'SQL'\n${block.text}SQL`
  const { out } = await world.run(block, script)
  expect(out).toContain('ticker | snapshot_date | price_consensus_usd')
}

/** The role that the lines let in is that of logins, but for the oid of the database. */
export async function namesTheGroup({ sql }: GuideWorld, { text }: GuideBlock): Promise<void> {
  const lines = text.trim().split('\n')
  for (const line of lines) expect(line).toMatch(/^host(ssl)?\s+\w+\s+\+star_reader_16384\s+\S+\s+[\w-]+$/)
  const world: SqlWorld = sql ?? expect.fail('no PostgreSQL')
  const found = await world.asSuperuser(
    `select 1 from pg_roles r join pg_database d on r.rolname = 'star_reader_' || d.oid
     where d.datname = current_database()`,
  )
  expect(found).toHaveLength(1)
}
