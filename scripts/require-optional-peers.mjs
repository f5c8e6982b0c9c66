// Turns the optional peers of package.json into dependencies, so that `npm prune --omit=dev` keeps their locked versions.
import { readFileSync, writeFileSync } from 'node:fs'

const manifest = JSON.parse(readFileSync('package.json', 'utf8'))
const { peerDependencies, devDependencies } = manifest
Object.assign(manifest.dependencies, peerDependencies)
for (const name of Object.keys(peerDependencies)) delete devDependencies[name]
writeFileSync('package.json', `${JSON.stringify(manifest, null, 2)}\n`)
