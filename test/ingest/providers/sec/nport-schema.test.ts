import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { validateXML } from 'xmllint-wasm'
import { samplePath } from '../../../support/samples.js'

const SCHEMA = 'sec/schema/eis_NPORT_Filer.xsd'

const NAMESPACE = 'http://www.sec.gov/edgar'

/** The schemas import two lists of codes that are not recorded: any word is one of them here. */
function codesOf(namespace: string, names: readonly string[]): string {
  const types = names.map(
    (name) =>
      `<xs:simpleType name="${name}"><xs:restriction base="xs:string"><xs:pattern value="[A-Z0-9-]{1,9}|XX"/></xs:restriction></xs:simpleType>`,
  )
  return `<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" targetNamespace="${NAMESPACE}/${namespace}">${types.join('')}</xs:schema>`
}

const CODES = [
  { fileName: 'eis_stateCodes.xsd', contents: codesOf('statecodes', ['STATE_COUNTRY_CODE']) },
  {
    fileName: 'eis_ISO_StateCodes.xsd',
    contents: codesOf('iso_statecodes', [
      'ISO_COUNTRY_CODE',
      'ISO_FOREIGN_COUNTRY_CODE',
      'ISO_STATE_AND_OUTLYING_AREA_CODE_USA',
    ]),
  },
]

function sample(path: string): string {
  return readFileSync(samplePath(path) ?? expect.fail(`${path} is not recorded`), 'utf8').trimStart()
}

function problemsOf(xml: string) {
  const schemas = ['eis_Common.xsd', 'eis_NPORT_common.xsd'].map((fileName) => ({
    fileName,
    contents: sample(`sec/schema/${fileName}`),
  }))
  return validateXML({
    xml: { fileName: 'primary_doc.xml', contents: xml },
    schema: { fileName: 'eis_NPORT_Filer.xsd', contents: sample(SCHEMA) },
    preload: [...schemas, ...CODES],
  })
}

describe.skipIf(samplePath(SCHEMA) === null)(
  'the filings of N-PORT that are recorded (samples beside the project)',
  () => {
    it.each([
      {
        path: 'sec/NPORT-P_AdvancedSeries_S000030880_20221230.xml',
        // A newer version of the schema asks for one element more in a derivatives report of 2022.
        but: "Element '{http://www.sec.gov/edgar/nport}fundsDesignatedInfo': This element is not expected. Expected is ( {http://www.sec.gov/edgar/nport}medianDailyVarPct ).",
      },
      {
        path: 'sec/NPORT_SEC_official_sample3.xml',
        // A placeholder for the filer's password.
        but: "Element '{http://www.sec.gov/edgar/nport}ccc': [facet 'length'] The value has a length of '10'; this differs from the allowed length of '8'.",
      },
    ])('fit the schema of the SEC except for one known element: $path', async ({ path, but }) => {
      const { errors } = await problemsOf(sample(path))
      expect(errors.map(({ message }) => message)).toEqual([`Schemas validity error : ${but}`])
    })

    it('would not fit it with a weight that is not a number', async () => {
      const broken = sample('sec/NPORT_SEC_official_sample3.xml').replace(/<pctVal>[^<]*</, '<pctVal>much<')
      const { valid, errors } = await problemsOf(broken)
      expect([valid, errors.some(({ message }) => message.includes('pctVal'))]).toEqual([false, true])
    })
  },
)
