// Reads a generated body of OpenSanctions of so many bytes, and prints the counts and how far memory grew: one entity in
// ten has an LEI and a designation, the others are persons with many names.

import { SEED_ENTITIES } from '../../../../../src/ingest/datasets/screening/screening-entities.js'
import { parseEntities } from '../../../../../src/ingest/providers/opensanctions/entities-json.js'

const bytes = Number(process.argv[2])
const NAMES = Array.from({ length: 60 }, (_, at) => `A made-up name in one script or another, number ${at}`)
const ENTITIES_PER_CHUNK = 20

async function* body(): AsyncGenerator<Uint8Array> {
  for (let sent = 0, entity = 0; sent < bytes; ) {
    const lines: string[] = []
    for (const end = entity + ENTITIES_PER_CHUNK; entity < end; entity++) {
      const person = { id: `NK-${entity}`, caption: 'A', schema: 'Person', properties: { name: NAMES } }
      const { lei } = SEED_ENTITIES[entity % SEED_ENTITIES.length] ?? { lei: '' }
      const properties = { leiCode: [lei], topics: ['sanction'] }
      const company = { ...person, schema: 'Company', properties, datasets: ['eu_fsf'] }
      const designation = { schema: 'Sanction', properties: { entity: [`NK-${entity}`] } }
      const sanction = { id: `s-${entity}`, ...designation, datasets: ['eu_fsf'] }
      lines.push(...(entity % 10 === 0 ? [company, sanction] : [person]).map((one) => JSON.stringify(one)))
    }
    const chunk = Buffer.from(`${lines.join('\n')}\n`)
    sent += chunk.length
    yield chunk
  }
}

const before = process.memoryUsage().rss
let [rows, rejected, peak] = [0, 0, before]
for await (const { kind } of parseEntities(body(), {
  now: new Date(),
  onRead: () => undefined,
  onAbsent: () => undefined,
})) {
  if (kind === 'row') rows += 1
  else rejected += 1
  if (rows % 1_000 === 0) peak = Math.max(peak, process.memoryUsage().rss)
}
const megabytes = (count: number) => Math.round(count / 1e6)
process.stdout.write(
  `${JSON.stringify({ rows, rejected, rssBeforeMb: megabytes(before), rssPeakMb: megabytes(peak) })}\n`,
)
