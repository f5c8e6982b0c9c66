import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { z } from 'zod'
import type { CommandCall } from '../../control/command-call.js'
import { commandLine } from '../../platform/installation/command-line.js'
import { checkReceipt, type ReceiptClaims } from '../../platform/receipts/receipt.js'
import type { CommandWorld } from '../command-world.js'
import { checkReport } from './check-report.js'
import { readKeySet, readOwnKeys } from './read-key-set.js'

const HELP = `Usage: ${commandLine('verify')} receipt FILE [--jwks FILE|URL] [--json]

  FILE    an answer with its receipt: what curl -i wrote for a request with the header Prefer: receipt, or JSON with the
          members answer and receipt, as agents get it
  --jwks  key set for the signature, a file or URL such as https://HOST/.well-known/jwks.json. Default: SIGNING_KEY
  --json  prints JSON

Exit code 0: unchanged, 1: changed, 2: not checked.
`

const Kept = z.object({ answer: z.string(), receipt: z.string() })

/** Runs `verify receipt`, which needs no gateway and no database. Returns 0 if the receipt belongs to the answer, else 1. */
export async function verifyReceipt(call: CommandCall, { env }: CommandWorld): Promise<number> {
  const text = { type: 'string' } as const
  const flag = { type: 'boolean' } as const
  const { values, positionals } = parseArgs({
    args: [...call.args],
    options: { jwks: text, json: flag, help: flag },
    allowPositionals: true,
  })
  if (values.help) {
    call.out(HELP)
    return 0
  }
  const [file, ...rest] = positionals
  if (file === undefined || rest.length > 0) throw new Error(`give one file\n\n${HELP}`)
  const directory = call.directory ?? process.cwd()
  const { answer, receipt } = readKept(await readFile(resolve(directory, file)))
  const keys = values.jwks === undefined ? readOwnKeys(env) : await readKeySet(values.jwks, directory)
  const { claims, checks } = await checkReceipt(receipt, answer, { keys })
  const title = claims === null ? 'receipt' : titleOf(claims)
  const identity =
    claims === null ? {} : { operation: claims.operation, instant: claims.instant, clock: claims.clock }
  return checkReport(call, title, identity, checks, values.json === true)
}

function titleOf({ operation, instant, clock }: ReceiptClaims): string {
  const asOf = clock === null ? '' : `, as of ${clock.as_of} (${clock.basis})`
  return `receipt of ${operation} at ${instant}${asOf}`
}

const END_OF_HEAD = '\r\n\r\n'

/** The bytes of the answer and its receipt. An answer by way of a proxy has several heads; the last one belongs to it. */
function readKept(file: Buffer): { readonly answer: string | Buffer; readonly receipt: string } {
  let head = ''
  let body = file
  while (body.toString('latin1', 0, 5) === 'HTTP/') {
    const end = body.indexOf(END_OF_HEAD)
    if (end < 0) throw new Error('the file ends within its headers')
    head = body.toString('latin1', 0, end)
    body = body.subarray(end + END_OF_HEAD.length)
  }
  if (head === '') {
    const kept = Kept.safeParse(JSON.parse(file.toString()))
    if (kept.success) return kept.data
    throw new Error('the file has neither the headers of an answer nor the members answer and receipt')
  }
  const headers = new Map(
    head.split('\r\n').map((line) => {
      const colon = line.indexOf(':')
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]
    }),
  )
  const receipt = headers.get('x-receipt')
  if (receipt === undefined) throw new Error('the answer has no header X-Receipt: send Prefer: receipt')
  if (headers.has('content-encoding')) throw new Error('the answer is compressed: send no Accept-Encoding')
  return { answer: body, receipt }
}
