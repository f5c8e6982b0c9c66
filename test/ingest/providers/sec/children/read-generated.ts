// Reads a generated body of company facts of so many bytes, of which the gateway serves one, and prints the counts and the
// most memory beyond the JavaScript heap (chunks and slices).
import { companyFactsFile } from '../../../../../src/ingest/providers/sec/company-facts.js'
import { CELLS } from '../fact-cells.js'

const most = Number(process.argv[2])

const DESCRIPTION = 'D'.repeat(500)
const FACTS_OF_A_TAG = 200
const REPEATED = 5_000

let bytes = 0
let peak = 0

function chunk(text: string): Uint8Array {
  const encoded = Buffer.from(text)
  bytes += encoded.length
  peak = Math.max(peak, process.memoryUsage().arrayBuffers)
  return encoded
}

function factsOf(count: number, value: number): string {
  const fact = JSON.stringify({ ...CELLS, val: value })
  return Array.from({ length: count }, () => fact).join(',')
}

async function* body(): AsyncGenerator<Uint8Array> {
  yield chunk('{"cik":1,"entityName":"Made up","facts":{"us-gaap":{')
  for (let at = 0; bytes < most; at++) {
    const units = `"units":{"USD":[${factsOf(FACTS_OF_A_TAG, at)}]}`
    yield chunk(`"Tag${at}":{"label":"x","description":"${DESCRIPTION}",${units}},`)
  }
  yield chunk(`"Revenues":{"units":{"USD":[${factsOf(REPEATED, CELLS.val)}]}}}}}`)
}

let [rows, rejected] = [0, 0]
for await (const { kind } of companyFactsFile.parseStream(body(), {
  now: new Date(),
  onRead: () => {},
  onAbsent: () => {},
})) {
  if (kind === 'row') rows += 1
  else rejected += 1
}
process.stdout.write(`${JSON.stringify({ bytes, rows, rejected, peak })}\n`)
