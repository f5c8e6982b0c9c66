import { readdirSync, readFileSync } from 'node:fs'
import { builtinModules } from 'node:module'
import { join, resolve } from 'node:path'
import { expect, it } from 'vitest'

const ROOT = resolve(import.meta.dirname, '../../..')

/** What a build bundles for browsers: its packages are development dependencies. */
const FOR_BROWSERS = /^(?:portal|generated\/page-assets)\//

/** Imports that are left after compiling: those of types alone are not. */
const IMPORT =
  /^(?:import|export)\s(?!type\s)(?:[^'"`;]*?\sfrom\s)?'([^'.][^']*)'|\bimport\('([^'.][^']*)'\)/gm

const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as Manifest

interface Manifest {
  readonly bundleDependencies: readonly string[]
  readonly dependencies: Readonly<Record<string, string>>
  readonly devDependencies: Readonly<Record<string, string>>
  readonly peerDependencies: Readonly<Record<string, string>>
  readonly peerDependenciesMeta: Readonly<Record<string, { readonly optional?: boolean }>>
}

/** By package, a file that imports it. */
function importedPackages(): ReadonlyMap<string, string> {
  const files = readdirSync(join(ROOT, 'src'), { recursive: true }).map(String)
  const found = files
    .filter((file) => /\.ts$/.test(file) && !FOR_BROWSERS.test(file))
    .flatMap((file) => {
      const text = readFileSync(join(ROOT, 'src', file), 'utf8')
      return [...text.matchAll(IMPORT)].map(([, named, loaded]) => [named ?? loaded ?? '', file] as const)
    })
    .filter(([name]) => !name.startsWith('node:') && !builtinModules.includes(name))
    .map(([name, file]) => [/^(?:@[^/]+\/)?[^/]+/.exec(name)?.[0] ?? name, file] as const)
  return new Map(found)
}

it('names each package that runs in production as a dependency or an optional peer', () => {
  const imported = importedPackages()
  const known = { ...manifest.dependencies, ...manifest.peerDependencies }
  expect([...imported].filter(([name]) => known[name] === undefined)).toEqual([])
  for (const name of ['ws', 'graphql-ws', 'nodemailer', '@modelcontextprotocol/server', '@opentelemetry/api'])
    expect(imported.has(name)).toBe(true)
})

it('pins each version, and tests optional peers in the required version', () => {
  const { dependencies, devDependencies, peerDependencies, peerDependenciesMeta } = manifest
  const loose = Object.entries({ ...dependencies, ...devDependencies, ...peerDependencies }).filter(
    ([, version]) => !/^(?:npm:[\w-]+@)?\d+\.\d+\.\d+(?:-[\w.-]+)?$/.test(version),
  )
  expect(loose).toEqual([])
  expect(devDependencies).toMatchObject(peerDependencies)
  const optional = Object.fromEntries(Object.keys(peerDependencies).map((name) => [name, { optional: true }]))
  expect(peerDependenciesMeta).toEqual(optional)
})

it('packs all dependencies but the one that differs between systems', () => {
  const { dependencies, bundleDependencies } = manifest
  expect([...bundleDependencies, '@node-rs/argon2'].toSorted()).toEqual(Object.keys(dependencies).toSorted())
})
