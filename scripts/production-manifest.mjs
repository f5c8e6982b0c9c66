// Prepares package.json for `npm prune --omit=dev`: its optional peers become dependencies, so that their locked versions stay.
// Prisma's CLI is taken out: it is an optional peer of Prisma's client, so npm would keep it.
import { readFileSync, writeFileSync } from 'node:fs'

const manifest = JSON.parse(readFileSync('package.json', 'utf8'))
const { peerDependencies, devDependencies } = manifest
Object.assign(manifest.dependencies, peerDependencies)
for (const name of [...Object.keys(peerDependencies), 'prisma']) delete devDependencies[name]
writeFileSync('package.json', `${JSON.stringify(manifest, null, 2)}\n`)
