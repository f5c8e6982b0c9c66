import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { type LoadedSettings, loadSettings } from '../../src/config.js'
import { makeApiKey } from '../../src/platform/secrets/api-key-format.js'
import { createReloading } from '../../src/process/reloading.js'

const START = { LOG_LEVEL: 'info', SCHEDULE: 'off' } as const

describe('settings that are read again', () => {
  function begin(first: Readonly<Record<string, string>> = START, check: () => void = () => {}) {
    const logged: unknown[] = []
    const levels: string[] = []
    const changes: [schedule: string, isOfSchedule: boolean][] = []
    let env = first
    const note =
      (level: string) =>
      (...line: readonly unknown[]) =>
        void logged.push([level, ...line])
    const log = {
      ...{ info: note('info'), warn: note('warn'), error: note('error') },
      setLevel: (level: string) => void levels.push(level),
    }
    const read = (): LoadedSettings => loadSettings(env)
    const reloading = createReloading(read(), read, log, {
      check,
      pageKeyOf: ({ demoKey }) => demoKey,
      changed: ({ config }, isOfSchedule) => void changes.push([config.schedule, isOfSchedule]),
    })
    const reload = (next: Readonly<Record<string, string>>) => {
      env = next
      return reloading.reload()
    }
    return { ...reloading, reload, logged, levels, changes }
  }

  it('are taken over: log level, CORS, demo key and schedule', async () => {
    const { live, reload, logged, levels, changes } = begin()
    await reload({
      ...{ LOG_LEVEL: 'warn', SCHEDULE: 'forex', CORS_ORIGINS: 'https://app.example' },
      DEMO_KEY: makeApiKey('test', randomBytes),
    })
    expect(live().config).toMatchObject({ logLevel: 'warn', schedule: 'forex' })
    expect(live().config.corsOrigins).toEqual(new Set(['https://app.example']))
    expect(live().pageKey).toMatch(/^mdg_test_/)
    expect([levels, changes]).toEqual([['warn'], [['forex', true]]])
    const settings = ['CORS_ORIGINS', 'DEMO_KEY', 'LOG_LEVEL', 'SCHEDULE']
    expect(logged).toEqual([['info', { settings }, 'settings were read again']])
  })

  it('are taken over: the keys of other services, and nothing else about these services', async () => {
    const of = (key: string) => ({
      ...{ OPENFIGI_API_KEY: key, ETHERSCAN_API_KEY: key },
      ...{ AI_BASE_URL: 'https://ai.example/v1', AI_API_KEY: key, AI_MODEL: 'm' },
      ...{ SMTP_URL: `smtp://news:${key}@127.0.0.1`, NEWSLETTER_FROM: 'news@gateway.example' },
      ...{ RELEASES_URL: 's3://releases', AWS_ACCESS_KEY_ID: key, AWS_SECRET_ACCESS_KEY: key },
    })
    const { live, reload, logged, changes } = begin({ ...START, ...of('first') })
    await reload({
      ...START,
      ...of('second'),
      RELEASES_URL: 's3://others',
      OPENFIGI_URL: 'https://figi.example',
    })
    expect(live().config).toMatchObject({
      openFigi: { url: 'https://api.openfigi.com', apiKey: 'second' },
      etherscanKey: 'second',
      languageModel: { apiKey: 'second' },
      newsletter: { server: { credentials: { pass: 'second' } } },
      releases: { bucket: { bucket: 'releases', accessKeyId: 'second', secretAccessKey: 'second' } },
    })
    expect(logged).toEqual([
      ['warn', { settings: ['OPENFIGI_URL', 'RELEASES_URL'] }, 'changed settings wait for the next start'],
      ['info', { settings: expect.arrayContaining(['SMTP_URL']) }, 'settings were read again'],
    ])
    expect(changes).toEqual([['off', true]])
  })

  it.each([
    ['off', false],
    ['on', true],
  ])(
    'start the schedule again for credentials of the bucket if RELEASES_WEEKLY is %s: %s',
    async (RELEASES_WEEKLY, isOfSchedule) => {
      const of = (key: string) => ({
        ...{
          RELEASES_WEEKLY,
          RELEASES_URL: 's3://releases',
          AWS_ACCESS_KEY_ID: key,
          AWS_SECRET_ACCESS_KEY: key,
        },
      })
      const { reload, changes } = begin({ ...START, ...of('first') })
      await reload({ ...START, ...of('second') })
      expect(changes).toEqual([['off', isOfSchedule]])
    },
  )

  it('wait for the next start if they begin or end the sending of mails', async () => {
    const mails = { SMTP_URL: 'smtp://127.0.0.1', NEWSLETTER_FROM: 'news@gateway.example' }
    const { live, reload, logged } = begin()
    await reload({ ...START, ...mails })
    expect(live().config.newsletter).toBeNull()
    expect(logged[0]).toEqual([
      'warn',
      { settings: ['NEWSLETTER_FROM', 'SMTP_URL'] },
      'changed settings wait for the next start',
    ])
  })

  it('wait for the next start if they cannot change while it runs, and the log names them', async () => {
    const { live, reload, logged, changes } = begin()
    await reload({ ...START, PORT: '4007', CACHE_BYTES: '0' })
    expect([live().config.port, live().config.cacheBytes]).not.toContain(4007)
    expect(logged).toEqual([
      ['warn', { settings: ['CACHE_BYTES', 'PORT'] }, 'changed settings wait for the next start'],
      ['info', { settings: [] }, 'settings were read again'],
    ])
    expect(changes).toEqual([['off', false]])
  })

  it.each([
    ['have faults', { ...START, CORS_ORIGINS: 'nonsense' }, () => {}],
    [
      'are refused',
      { ...START, LOG_LEVEL: 'debug' },
      () => {
        throw new Error('DEMO_KEY is revoked')
      },
    ],
  ])('stay as they were if they %s, and count once they are right', async (_what, wrong, check) => {
    let isChecked = true
    const { live, reload, logged, levels, changes } = begin(START, () => (isChecked ? check() : undefined))
    await reload(wrong)
    expect([live().config.logLevel, levels, changes]).toEqual(['info', [], []])
    expect(logged).toEqual([
      [
        'error',
        { reason: expect.stringMatching(/CORS_ORIGINS|revoked/) },
        expect.stringContaining('the former ones stay'),
      ],
    ])
    isChecked = false
    await reload({ ...START, LOG_LEVEL: 'debug' })
    expect(live().config.logLevel).toBe('debug')
  })

  it('are read one after another', async () => {
    const { live, reload, changes } = begin()
    await Promise.all([reload({ ...START, SCHEDULE: 'forex' }), reload({ ...START, SCHEDULE: 'off' })])
    expect([live().config.schedule, changes.length]).toEqual(['off', 2])
  })
})
