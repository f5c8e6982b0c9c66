// Lints the OpenAPI document in a file: prints one line per finding, and exits with 1 if there are findings.
import { readFile } from 'node:fs/promises'
import { createConfig, lint } from '@redocly/openapi-core'
import spectralCore from '@stoplight/spectral-core'
import { redocly, spectral } from './rules.mjs'

const [file] = process.argv.slice(2)
const findings = [...(await redoclyFindings()), ...(await spectralFindings())]
for (const finding of findings) console.error(finding)
console.log(`${file}: ${findings.length} findings`)
process.exitCode = findings.length > 0 ? 1 : 0

async function redoclyFindings() {
  const problems = await lint({ ref: file, config: await createConfig(redocly) })
  return problems.map(
    ({ ruleId, message, location }) => `redocly ${ruleId} ${location[0]?.pointer ?? ''} ${message}`,
  )
}

/** Removes duplicates: Spectral follows references and reports a problem at each of them. */
async function spectralFindings() {
  const linter = new spectralCore.Spectral()
  linter.setRuleset(new spectralCore.Ruleset(spectral, { source: import.meta.filename }))
  const problems = await linter.run(JSON.parse(await readFile(file, 'utf8')))
  return [
    ...new Set(problems.map(({ code, path, message }) => `spectral ${code} #/${path.join('/')} ${message}`)),
  ]
}
