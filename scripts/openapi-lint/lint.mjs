// Lints the OpenAPI document in the file that is named: one line per finding, exit code 1 where there is any.
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

/** Spectral follows references, so what is wrong in one place is found wherever it is referred to: named once. */
async function spectralFindings() {
  const linter = new spectralCore.Spectral()
  linter.setRuleset(new spectralCore.Ruleset(spectral, { source: import.meta.filename }))
  const problems = await linter.run(JSON.parse(await readFile(file, 'utf8')))
  return [
    ...new Set(problems.map(({ code, path, message }) => `spectral ${code} #/${path.join('/')} ${message}`)),
  ]
}
