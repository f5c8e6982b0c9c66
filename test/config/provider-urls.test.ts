import { expect, it } from 'vitest'
import { parseProviderUrls } from '../../src/config/provider-urls.js'
import { loadConfig } from '../../src/config.js'
import { withProviderUrls } from '../../src/platform/http-client/provider-addresses.js'

it('reads a base address for each provider', () => {
  const env = {
    PROVIDER_URL_ECB: 'https://mirror.example/ecb',
    PROVIDER_URL_KRAKEN: 'http://127.0.0.1:9000',
    PROVIDER_URL_UN_SANCTIONS: 'https://mirror.example/un',
    PORT: '1',
  }
  expect(loadConfig(env).providerUrls).toEqual({
    ecb: 'https://mirror.example/ecb',
    kraken: 'http://127.0.0.1:9000',
    'un-sanctions': 'https://mirror.example/un',
  })
})

it.each([
  ['PROVIDER_URL_ECBB', 'https://a.example', 'unknown provider "ecbb"; did you mean PROVIDER_URL_ECB?'],
  [
    'PROVIDER_URL_UK_SANCTION',
    'https://a.example',
    'unknown provider "uk-sanction"; did you mean PROVIDER_URL_UK_SANCTIONS?',
  ],
  ['PROVIDER_URL_ECB', 'mirror', 'must be a URL: https://…'],
  [
    'PROVIDER_URL_ECB',
    'http://mirror.example',
    'must begin with https; http is allowed for this machine only',
  ],
  [
    'PROVIDER_URL_ECB',
    'ftp://mirror.example',
    'must begin with https; http is allowed for this machine only',
  ],
  ['PROVIDER_URL_ECB', 'https://me:secret@mirror.example', 'must have no user and no password'],
  ['PROVIDER_URL_ECB', 'https://mirror.example/?key=1', 'must have no query and no fragment'],
])('refuses %s=%s', (name, value, fault) => {
  expect(parseProviderUrls({ [name]: value }).faults).toEqual([`${name}: ${fault}`])
  expect(() => loadConfig({ [name]: value })).toThrow(`${name}: ${fault}`)
})

it('sends the requests of that provider there, and no others', async () => {
  const urls: string[] = []
  const circuits: (string | undefined)[] = []
  const response = { status: 200, headers: new Headers(), body: new Uint8Array() }
  const http = withProviderUrls(
    {
      request: async ({ url, circuit }) => {
        urls.push(url)
        circuits.push(circuit)
        return response
      },
      download: async ({ url }) => {
        urls.push(url)
        return { status: 200, bytes: 0 }
      },
    },
    { ecb: 'https://mirror.example/ecb/' },
  )
  const limits = { timeoutMs: 1, maxBytes: 1, retries: 0 }
  await http.request({ url: 'https://data-api.ecb.europa.eu/service/data/EXR?format=csvdata', ...limits })
  await http.download({ url: 'https://www.ecb.europa.eu/stats/hist.zip', ...limits }, 'body')
  await http.request({ url: 'https://api.kraken.com/0/public/OHLC?pair=XBTUSD', ...limits })
  expect(urls).toEqual([
    'https://mirror.example/ecb/service/data/EXR?format=csvdata',
    'https://mirror.example/ecb/stats/hist.zip',
    'https://api.kraken.com/0/public/OHLC?pair=XBTUSD',
  ])
  expect(circuits).toEqual(['data-api.ecb.europa.eu', undefined])
})
