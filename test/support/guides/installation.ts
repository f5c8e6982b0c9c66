import { expect } from 'vitest'
import { guideBlocks } from './blocks.js'

/** Commands of the guide on installation that change the machine: a test does not run them. */
const OF_THE_MACHINE = ['npm install --global ', 'useradd ', 'systemctl ', 'curl '] as const

export interface InstallationPlaces {
  /** In the place of `npm root --global`. */
  readonly packages: string
  /** In the place of /etc. */
  readonly etc: string
  readonly databaseUrl: string
}

/** The installation of the guide on installation without what changes the machine, in other places. */
export function installationScript({ packages, etc, databaseUrl }: InstallationPlaces): string {
  const block = guideBlocks().find(
    ({ guide, firstLine }) => guide === 'installation' && firstLine.startsWith(OF_THE_MACHINE[0]),
  )
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
