import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { type Calls, check, type Gateway, LEI, TOO_MANY } from './client.js'

/** Longer than a program takes on a busy machine. */
const PROGRAM_MS = 60_000

const PACKAGE = join(import.meta.dirname, '../generated/python')

/** The gateway's own client for Python, as `npm run client -- --python` writes it. */
export const calls: Calls = (gateway) => ({
  list: run(
    gateway,
    'body = client.assets(limit=2).first().body',
    'len(body["data"]) == 2 and body["meta"]["is_dev_dataset"]',
  ),
  one: run(gateway, 'body = client.asset("bitcoin").body', 'body["data"]["ticker"] == "BTC"'),
  error: run(
    gateway,
    `
try:
    client.assets(tier=${TOO_MANY}).first()
except ValidationError as failure:
    error = failure`,
    'error.status == 422 and error.details[0]["field"] == "tier"',
  ),
  pages: run(
    gateway,
    // One page has 100 at most.
    'ids = [row["asset_id"] for row in client.assets(limit=105)]',
    'len(set(ids)) == 105',
  ),
  post: run(gateway, `body = client.screen_leis(leis=["${LEI}"]).body`, `body["data"][0]["lei"] == "${LEI}"`),
  operation: run(
    gateway,
    'answer = client.operations.asset(id="bitcoin")',
    'answer.data["asset"]["data"]["ticker"] == "BTC"',
  ),
})

/** Runs a program with the client, and checks a condition. */
function run({ url, key }: Gateway, program: string, condition: string): () => Promise<void> {
  const text = `
from market_data_gateway import Client, ValidationError
client = Client()
${program}
assert ${condition}, ${JSON.stringify(condition)}
`
  return async () => {
    const env = {
      ...process.env,
      PYTHONPATH: PACKAGE,
      MARKET_DATA_GATEWAY_URL: url,
      MARKET_DATA_GATEWAY_KEY: key,
    }
    const ran = spawnSync('python3', ['-c', text], { env, encoding: 'utf8', timeout: PROGRAM_MS })
    check(ran.status === 0, (ran.error ?? ran.stderr).toString().slice(-1_000))
  }
}
