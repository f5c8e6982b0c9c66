import { expect } from 'vitest'
import { blocksOfGuide, type GuideBlock } from './blocks.js'

/** Commands of the guide on the first day that change the machine: a test does not run them. */
const OF_THE_MACHINE = ['npm install --global ', 'useradd ', 'systemctl ', 'curl '] as const

export interface InstallationPlaces {
  /** In the place of `npm root --global`. */
  readonly packages: string
  /** In the place of /etc. */
  readonly etc: string
  readonly databaseUrl: string
}

/** The guide's statements for the superuser, with another name in the place of `gateway` for the role and the database. */
export function databaseStatements(blocks: readonly GuideBlock[], name: string): readonly string[] {
  const block = blocks.find(({ language }) => language === 'sql')
  const text = block?.text ?? expect.fail('the guide creates no database')
  return text.replaceAll('gateway', name).trim().split('\n')
}

/** The installation of that guide without what changes the machine, in other places. */
export function installationScript({ packages, etc, databaseUrl }: InstallationPlaces): string {
  const block = blocksOfGuide('first-day').find(({ firstLine }) => firstLine.startsWith(OF_THE_MACHINE[0]))
  const text = block?.text ?? expect.fail('the guide has no installation')
  for (const command of OF_THE_MACHINE) expect(text).toMatch(new RegExp(`^${command}`, 'm'))
  const places = {
    '$(npm root --global)': packages,
    '/etc/systemd/system/': `${etc}/`,
    '/etc/market-data-gateway.env': `${etc}/market-data-gateway.env`,
    'postgresql://gateway:PASSWORD@127.0.0.1:5432/gateway': databaseUrl,
  }
  const script = text
    .split('\n')
    .filter((line) => !OF_THE_MACHINE.some((command) => line.startsWith(command)))
    .join('\n')
  return Object.entries(places).reduce((adapted, [printed, here]) => {
    expect(adapted).toContain(printed)
    return adapted.replaceAll(printed, here)
  }, script)
}
