import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { buildOpenApi } from '../../../../src/gateway/rest/openapi/openapi.js'
import { preferredType } from '../../../../src/gateway/rest/response/accept.js'
import { compileTable } from '../../../../src/gateway/rest/response/table.js'
import { exportTable } from '../../../../src/gateway/rest/response/table-export.js'
import { csvLine } from '../../../../src/gateway/rest/response/text-export.js'
import { responseOf } from '../../../support/app/transport.js'
import { restApp } from '../rest-app.js'
import { ask, POINTS, points, schema } from '../table-app.js'

const CSV = 'text/csv'
const NDJSON = 'application/x-ndjson'

describe('the type of the answer', () => {
  it.each([
    ['*/*', 'application/json'],
    ['application/*', 'application/json'],
    ['text/html, application/xml;q=0.9, */*;q=0.8', 'application/json'],
    ['application/json, text/csv', 'application/json'],
    ['application/json;q=0.5, text/csv;q=0.4', 'application/json'],
    ['application/problem+json', 'application/json'],
    ['text/csv', CSV],
    ['TEXT/CSV; charset=utf-8', CSV],
    ['text/csv, */*', CSV],
    ['text/csv, application/json', CSV],
    ['text/*', CSV],
    ['application/json;q=0.4, text/csv;q=0.5', CSV],
    ['text/csv, application/problem+json', CSV],
    ['*/*, application/json;q=0', CSV],
    ['application/x-ndjson', NDJSON],
    ['application/vnd.apache.parquet', 'application/vnd.apache.parquet'],
    ['application/vnd.apache.arrow.stream, application/json;q=0.5', 'application/vnd.apache.arrow.stream'],
    ['text/csv;q=0.8, application/x-ndjson', NDJSON],
    ['application/x-ndjson, text/csv', NDJSON],
  ])('of %s is %s', async (accept, type) => {
    const response = await ask('/v1/points/a', accept)
    expect([response.status, response.headers.get('content-type')?.split(';')[0]]).toEqual([200, type])
  })

  it.each(['text/html', 'text/csv;q=0', 'text/csv;q=0, text/*;q=0'])(
    'is refused with 406 for %s',
    async (accept) => {
      expect((await ask('/v1/points/a', accept)).status).toBe(406)
    },
  )

  it.each([
    ['', 'application/json'],
    ['?format=json', 'application/json'],
    ['?format=csv', CSV],
    ['?format=CSV', CSV],
    ['?format=ndjson', NDJSON],
    ['?format=parquet', 'application/vnd.apache.parquet'],
    ['?format=arrow', 'application/vnd.apache.arrow.stream'],
  ])('is that of the parameter: %s', async (search, type) => {
    for (const accept of ['*/*', `${type}, text/html`]) {
      const response = await ask(`/v1/points/a${search}`, accept)
      expect([response.status, response.headers.get('content-type')?.split(';')[0]]).toEqual([200, type])
    }
  })

  it('is the same file by parameter, by path and by Accept', async () => {
    const [parameter, path, header] = await Promise.all([
      ask('/v1/points/a?format=csv', '*/*'),
      ask('/v1/points/a.csv', '*/*'),
      ask('/v1/points/a', CSV),
    ])
    const text = await parameter.text()
    expect([await path.text(), await header.text()]).toEqual([text, text])
    expect(parameter.headers.get('content-disposition')).toBe(path.headers.get('content-disposition'))
  })

  it.each([
    ['/v1/points/a?format=xlsx', 422, 'format'],
    ['/v1/points/a?format=', 422, 'format'],
    ['/v1/points/a?format=csv&format=json', 422, 'is given more than once'],
    ['/v1/points/a.csv?format=csv', 422, 'is not a known parameter'],
  ])('is refused for %s', async (path, status, words) => {
    const response = await ask(path, '*/*')
    expect([response.status, await response.text()]).toEqual([status, expect.stringContaining(words)])
  })

  it('is a 406 if Accept excludes that of the parameter', async () => {
    const response = await ask('/v1/points/a?format=csv', 'application/json')
    expect([response.status, await response.text()]).toEqual([
      406,
      expect.stringContaining(`use one of: ${CSV}.`),
    ])
  })

  it('is the first offered if none is requested or allowed', () => {
    for (const accept of [null, '', 'text/html']) expect(preferredType(accept, ['a/b', 'c/d'])).toBe('a/b')
  })

  it('is never CSV on a route without a list or series', async () => {
    const { ask: other } = restApp()
    const response = await other('/v1/thing', { headers: { accept: CSV } })
    expect([response.status, response.headers.get('content-type')]).toEqual([
      406,
      'application/json; charset=utf-8',
    ])
  })

  it('of a failure is JSON, or problem+json if that is preferred', async () => {
    const plain = await ask('/v1/points/missing', CSV)
    expect([plain.status, plain.headers.get('content-type')]).toEqual([
      404,
      'application/json; charset=utf-8',
    ])
    const problem = await ask('/v1/points/a?nope=1', 'text/csv, application/problem+json')
    expect([problem.status, problem.headers.get('content-type')]).toEqual([422, 'application/problem+json'])
    expect(plain.headers.has('content-disposition')).toBe(false)
  })
})

describe('CSV', () => {
  it('has a header of field names, CRLF, ISO dates, empty nulls and quotes where needed', async () => {
    const response = await ask('/v1/points/a', CSV)
    expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8; header=present')
    expect(await response.text()).toBe(
      [
        'date,at,value,count,final,note',
        '2026-01-02,2026-03-02T10:00:00.000Z,1.0312,3,true,plain',
        '2026-01-05,,,,,',
        '2026-01-06,2026-03-02T10:00:00.000Z,-0.5,0,false,""',
        '2026-01-07,2026-03-02T10:00:00.000Z,1e-7,-4,false,"a ""b"", c\r\nd"',
        "2026-01-08,2026-03-02T10:00:00.000Z,1e+21,1,false,'=1+1",
        '',
      ].join('\r\n'),
    )
  })

  it('of an empty series is its header', async () => {
    expect(await (await ask('/v1/points/empty', CSV)).text()).toBe('date,at,value,count,final,note\r\n')
  })

  const cell = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.string({ unit: fc.constantFrom(...',"\r\n=+-@\' \t;1e.a') }),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.boolean(),
    fc.date({ noInvalidDate: true }),
    fc.constant(null),
  )
  const table = fc
    .integer({ min: 1, max: 6 })
    .chain((width) => fc.array(fc.array(cell, { minLength: width, maxLength: width }), { minLength: 1 }))

  it('is parsed back cell by cell, whatever the cells contain; only null is an unquoted empty cell', () => {
    fc.assert(
      fc.property(table, (rows) => {
        const cast = (value: string, { quoting }: { quoting: boolean }) =>
          value === '' && !quoting ? null : value
        const read: unknown = parse(rows.map(csvLine).join(''), { record_delimiter: '\r\n', cast })
        const expected = rows.map((row) => row.map((value) => (value === null ? null : asRead(value))))
        expect(read).toEqual(expected)
      }),
      { numRuns: 500 },
    )
  })

  it('gives a spreadsheet no text to run: a cell that begins like a formula is a number or has an apostrophe', () => {
    for (const formula of [
      '=1+1',
      '+cmd|x',
      '-2+3',
      '@SUM(A1)',
      '-',
      '+1 ',
      '=',
      '-1,5',
      '+0x1f',
      '＝1+1',
      '＋1',
      '－1',
      '＠SUM(A1)',
      '\t=1+1',
      '\r=1+1',
      '\n=1+1',
    ]) {
      expect(parse(csvLine([formula]))).toEqual([[`'${formula}`]])
    }
    for (const harmless of ['-1.5', '+1', '-1e-7', '-.5', "'=1", 'a=b', ' =1']) {
      expect(parse(csvLine([harmless]))).toEqual([[harmless]])
    }
  })

  it('quotes a lone CR or LF, which many readers treat as the end of a record', () => {
    expect(csvLine(['a\rb', 'a\nb', 'ab'])).toBe('"a\rb","a\nb",ab\r\n')
  })

  it('writes lists and objects as their JSON', () => {
    expect(parse(csvLine([['a', null], { b: 1 }]))).toEqual([['["a",null]', '{"b":1}']])
  })
})

/** A cell as a reader gets it; the apostrophe is judged by Number, not by the pattern under test. */
function asRead(value: string | number | boolean | Date): string {
  if (value instanceof Date) return value.toISOString()
  if (typeof value !== 'string') return String(value)
  const isNumber = value.trim() === value && !Number.isNaN(Number(value))
  return [...'=+-@\t\r\n'].some((sign) => value.startsWith(sign)) && !isNumber ? `'${value}` : value
}

describe('NDJSON', () => {
  it('has a line per row, each as in the JSON body', async () => {
    const body = (await (await ask('/v1/points/a', '*/*')).json()) as { data: { points: unknown[] } }
    const response = await ask('/v1/points/a', NDJSON)
    expect(response.headers.get('content-type')).toBe('application/x-ndjson; charset=utf-8')
    const expected = body.data.points.map((point) => `${JSON.stringify(point)}\n`)
    expect(await response.text()).toBe(expected.join(''))
    expect(expected).toHaveLength(5)
  })

  it('of an empty series is empty', async () => {
    const response = await ask('/v1/points/empty', NDJSON)
    expect([response.status, await response.text()]).toEqual([200, ''])
  })
})

describe('headers of an export', () => {
  it.each([
    ['/v1/points/a', 'points-a.csv'],
    ['/v1/points/a?step=1h&from=2026-01-02', 'points-a-1h.csv'],
    ['/v1/points/a?inverse=true', 'points-a-inverse.csv'],
    ['/v1/points/a?inverse=false', 'points-a.csv'],
    ['/v1/points/..%2F%22%0D%0Aa%C3%A9b', 'points-.._a_b.csv'],
    [`/v1/points/${'k'.repeat(300)}`, `points-${'k'.repeat(93)}.csv`],
  ])('name the file of %s %s', async (path, name) => {
    const { headers } = await ask(path, CSV)
    expect(headers.get('content-disposition')).toBe(`attachment; filename="${name}"`)
  })

  it('keep source, origin, freshness and age, escaped if a header could not carry them', async () => {
    for (const type of [CSV, NDJSON]) {
      const { headers } = await ask('/v1/points/a', type)
      expect(headers.get('x-data-source')).toBe('Banque%0A%E2%82%AC')
      expect(headers.get('x-is-dev-dataset')).toBe('false')
      expect(headers.get('x-data-freshness')).toBe('stale')
      expect(headers.get('x-last-updated')).toBe('2026-03-02T10:00:00.000Z')
    }
    expect((await ask('/v1/points/a', '*/*')).headers.has('x-data-source')).toBe(false)
  })

  it('come with HEAD too, without a body', async () => {
    const head = await ask('/v1/points/a', CSV, { method: 'HEAD' })
    const whole = await ask('/v1/points/a', CSV)
    expect([head.status, await head.text()]).toEqual([200, ''])
    expect([...head.headers]).toEqual([...whole.headers])
  })

  it.each([
    [{ meta: { source: 'ecb', is_dev_dataset: true } }, 'ecb', 'true'],
    [{ source: 'seed' }, 'seed', 'true'],
    [{ source: 'ecb' }, 'ecb', 'false'],
    [{ _meta: { sources: ['kraken', 'binance'] } }, 'kraken, binance', 'false'],
    [{}, null, null],
  ])('say of %j: source %s, synthetic %s', async (known, source, isDev) => {
    const series = compileTable(points(), { rows: 'data.points' })
    const reply = exportTable(CSV, {
      table: series,
      data: { ...known, data: { points: [] } },
      values: {},
      dataVersion: '',
    })
    const { headers } = await responseOf(reply, 'GET')
    expect([headers.get('x-data-source'), headers.get('x-is-dev-dataset')]).toEqual([source, isDev])
  })
})

describe('separate paths', () => {
  it.each([
    ['.csv', CSV],
    ['.ndjson', NDJSON],
  ])('answer as %s whatever else Accept would prefer', async (extension, type) => {
    const file = await ask(`/v1/points/a${extension}?step=1h`, '*/*')
    const same = await ask('/v1/points/a?step=1h', type)
    expect(await file.text()).toBe(await same.text())
    expect([...file.headers]).toEqual([...same.headers])
  })

  it('read the parameter before the extension, and leave other dots in it', async () => {
    const { headers } = await ask('/v1/points/a.b.csv', '*/*')
    expect(headers.get('content-disposition')).toBe('attachment; filename="points-a.b.csv"')
    const json = await ask('/v1/points/a.b', '*/*')
    expect(await json.json()).toMatchObject({ data: { key: 'a.b' } })
  })

  it('refuse an unknown file with 406, and write failures as JSON', async () => {
    const refused = await ask('/v1/points/a.csv', 'application/json')
    expect([refused.status, await refused.json()]).toMatchObject([
      406,
      { message: 'None of the requested media types can be produced; use one of: text/csv.' },
    ])
    const missing = await ask('/v1/points/missing.csv', CSV)
    expect([missing.status, missing.headers.get('content-type')]).toEqual([
      404,
      'application/json; charset=utf-8',
    ])
  })

  it('state the number of rows', async () => {
    for (const path of ['/v1/points/a', '/v1/points/a.csv', '/v1/points/a.ndjson'])
      expect((await ask(path, '*/*')).headers.get('x-total-count')).toBe(String(POINTS.length))
    expect((await ask('/v1/points/empty.csv', '*/*')).headers.get('x-total-count')).toBe('0')
  })
})

describe('a table without rows', () => {
  it.each(['data', 'data.key', 'data.nope', 'points'])('is refused when the app is created: %s', (rows) => {
    expect(() => compileTable(points(), { rows })).toThrow(/points/)
  })
})

describe('OpenAPI', async () => {
  const document = await buildOpenApi(schema, {
    version: '1',
    serverUrl: '/',
    environment: 'production',
    form: 'full',
  })
  const operation = (path: string) =>
    (document.paths[path]?.get ?? {}) as {
      operationId: string
      responses: { 200: { content: Record<string, object>; headers: Record<string, object> } }
    }
  it('has in its full form an operation for each file: the 200 of the JSON operation is JSON', () => {
    const types = (path: string) => [
      operation(path).operationId,
      Object.keys(operation(path).responses[200].content),
    ]
    expect(types('/v1/points/{key}')).toEqual(['points', ['application/json']])
    expect(types('/v1/points/{key}.csv')).toEqual(['points_csv', [CSV]])
    expect(types('/v1/points/{key}.ndjson')).toEqual(['points_ndjson', [NDJSON]])
  })

  it('has in its short form one operation whose parameter format names the files', async () => {
    const { paths, components } = await buildOpenApi(schema, {
      version: '1',
      serverUrl: '/',
      environment: 'production',
      form: 'short',
    })
    const { parameters, responses } = (paths['/v1/points/{key}']?.get ?? {}) as {
      parameters: object[]
      responses: { 200: { content: object } }
    }
    expect(Object.keys(paths).filter((path) => path.startsWith('/v1/points'))).toEqual(['/v1/points/{key}'])
    expect(Object.keys(responses[200].content)).toEqual(['application/json'])
    expect(parameters).toContainEqual({ $ref: '#/components/parameters/format' })
    expect(components.parameters?.format).toMatchObject({
      in: 'query',
      schema: { enum: ['json', 'csv', 'ndjson', 'parquet', 'arrow'] },
    })
  })

  it('shows a file as text with an example, and the headers of an export', () => {
    const { content, headers } = operation('/v1/points/{key}.csv').responses[200]
    expect(content[CSV]).toEqual({
      schema: {
        type: 'string',
        contentMediaType: CSV,
        description: expect.stringContaining('One record per Point'),
      },
      example: 'date,at,value,count,final,note\r\n2026-01-02,2026-01-02T00:00:00.000Z,1.25,4,true,text\r\n',
    })
    expect(operation('/v1/points/{key}.ndjson').responses[200].content[NDJSON]).toEqual({
      schema: {
        type: 'string',
        contentMediaType: NDJSON,
        description: 'One Point per line, as JSON.',
      },
      example:
        '{"date":"2026-01-02","at":"2026-01-02T00:00:00.000Z","value":1.25,"count":4,"final":true,"note":"text"}\n',
    })
    expect(Object.keys(headers)).toEqual(
      expect.arrayContaining([
        'X-Data-Source',
        'X-Is-Dev-Dataset',
        'X-Data-Freshness',
        'X-Last-Updated',
        'X-Total-Count',
      ]),
    )
  })
})
