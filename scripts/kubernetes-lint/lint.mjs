// node lint.mjs RENDERED.yaml TYPES.ts: validates each object by the schema of its kind, and writes the objects as TypeScript, whose
// compiler finds the fields that a kind does not have: the schemas allow them.
import { readFileSync, writeFileSync } from 'node:fs'
import { parseAllDocuments } from 'yaml'

const [rendered, types] = process.argv.slice(2)
const objects = parseAllDocuments(readFileSync(rendered, 'utf8')).map((document) => {
  if (document.errors.length > 0) throw document.errors[0]
  return document.toJS()
})

let isValid = objects.length > 0
for (const object of objects) {
  const { [object.kind]: Model } = await import(`kubernetes-models/${object.apiVersion}`)
  try {
    if (Model === undefined) throw new Error(`${object.apiVersion} has no such kind`)
    new Model(object).validate()
  } catch (error) {
    isValid = false
    process.stderr.write(`${object.kind} ${object.metadata?.name}: ${error.message}\n`)
  }
}

const declared = objects.map(
  (
    object,
    index,
  ) => `import type { I${object.kind} as Kind${index} } from 'kubernetes-models/${object.apiVersion}'
export const object${index}: Kind${index} = ${JSON.stringify(object, null, 2)}\n`,
)
writeFileSync(types, declared.join(''))
process.stdout.write(`${objects.length} objects\n`)
process.exitCode = isValid ? 0 : 1
