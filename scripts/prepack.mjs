// Writes sbom.cdx.json, the bill of materials of a package (CycloneDX): its production dependencies, each with hash and licence.
// npm runs it before `npm pack`.
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ROOT } from './compile.mjs'

/** Reads a JSON file of the checkout. */
function readJson(name) {
  return JSON.parse(readFileSync(join(ROOT, name), 'utf8'))
}

/** The lock file without the packages that only development needs: `devOptional` ones are optional peers too. */
function productionLock() {
  const { packages, ...lock } = readJson('package-lock.json')
  const { devDependencies: _, bundleDependencies: __, ...root } = packages['']
  const kept = Object.entries(packages).filter(
    ([path, { dev, devOptional }]) => path !== '' && dev !== true && devOptional !== true,
  )
  return { ...lock, packages: Object.fromEntries([['', root], ...kept]) }
}

/** Asks npm for the bill of materials of a lock file, in a directory that has nothing else. */
function billOfMaterials(lock) {
  const { devDependencies: _, bundleDependencies: __, ...manifest } = readJson('package.json')
  const temporary = mkdtempSync(join(tmpdir(), 'mdg-sbom-'))
  const directory = join(temporary, manifest.name) // npm names the bill after its directory
  try {
    mkdirSync(directory)
    writeFileSync(join(directory, 'package.json'), JSON.stringify(manifest))
    writeFileSync(join(directory, 'package-lock.json'), JSON.stringify(lock))
    const args = ['sbom', '--sbom-format=cyclonedx', '--sbom-type=application', '--package-lock-only']
    const { status, stdout, stderr } = spawnSync('npm', args, {
      cwd: directory,
      encoding: 'utf8',
      maxBuffer: 2 ** 26,
    })
    if (status !== 0) throw new Error(`npm sbom ended with ${status}: ${stderr}`)
    return stdout
  } finally {
    rmSync(temporary, { recursive: true, force: true })
  }
}

writeFileSync(join(ROOT, 'sbom.cdx.json'), billOfMaterials(productionLock()))
