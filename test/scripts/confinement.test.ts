import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'

const read = (name: string) => readFileSync(resolve(import.meta.dirname, '../..', name), 'utf8')

describe('the confinement of the gateway', () => {
  it('every service of compose.yaml has limits, a read-only root and only the capabilities that it needs', () => {
    const text = read('compose.yaml')
    const confined = /x-confined: &confined\n((?: {2}.*\n)+)/.exec(text)?.[1] ?? ''
    for (const line of [
      'read_only: true',
      'cap_drop: [ALL]',
      'security_opt: [no-new-privileges:true]',
      'pids_limit: 512',
    ])
      expect(confined).toContain(`  ${line}\n`)
    const services = /\nservices:\n([\s\S]*?)\n\S/.exec(text)?.[1]?.split(/\n(?= {2}\w+:\n)/) ?? []
    expect(services).toHaveLength(3)
    for (const service of services) {
      expect(service).toContain('    <<: *confined\n')
      expect(service).toMatch(/^ {4}mem_limit: \d+[gm]$/m)
      expect(service).toMatch(/^ {4}tmpfs: /m)
    }
    expect(text).not.toContain('seccomp=')
  })

  it('the systemd unit has limits, a read-only system, no capabilities and a filter of system calls', () => {
    const lines = read('scripts/systemd/market-data-gateway.service').split('\n')
    for (const line of [
      'MemoryMax=2G',
      'TasksMax=512',
      'NoNewPrivileges=yes',
      'CapabilityBoundingSet=',
      'ProtectSystem=strict',
      'SystemCallArchitectures=native',
      'SystemCallFilter=@system-service',
    ])
      expect(lines).toContain(line)
  })

  it('the package has the unit, the alert rules and the dashboard that the guide names', () => {
    const { files } = JSON.parse(read('package.json')) as { files: readonly string[] } // a file of ours
    expect(files).toEqual(expect.arrayContaining(['scripts/monitoring', 'scripts/systemd']))
  })
})
