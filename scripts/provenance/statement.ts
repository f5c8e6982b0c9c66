import { createHash } from 'node:crypto'

export interface NamedFile {
  readonly name: string
  readonly content: Buffer
}

/** What is known of a build. */
export interface BuildFacts {
  /** Name and version of the package. */
  readonly name: string
  readonly version: string
  readonly file: NamedFile
  /** The commit, 40 hex digits. */
  readonly revision: string
  readonly lockFile: Buffer
  /** The bill of materials in the package. */
  readonly billOfMaterials: Buffer
  /** URI of who built it. */
  readonly builder: string
  readonly node: string
  readonly npm: string
  readonly finishedOn: Date
}

interface Resource {
  readonly name: string
  readonly digest: Readonly<Record<string, string>>
}

/** An in-toto statement v1 with a SLSA provenance v1 predicate. */
export interface Statement {
  readonly _type: 'https://in-toto.io/Statement/v1'
  readonly subject: readonly Resource[]
  readonly predicateType: 'https://slsa.dev/provenance/v1'
  readonly predicate: {
    readonly buildDefinition: {
      readonly buildType: string
      readonly externalParameters: Readonly<Record<string, string>>
      readonly internalParameters: Readonly<Record<string, string>>
      readonly resolvedDependencies: readonly Resource[]
    }
    readonly runDetails: {
      readonly builder: { readonly id: string }
      readonly metadata: { readonly finishedOn: string }
      readonly byproducts: readonly Resource[]
    }
  }
}

const BILL = 'sbom.cdx.json'

const sha256 = (content: Buffer) => createHash('sha256').update(content).digest('hex')

/** The provenance of a package. */
export function provenanceStatement(facts: BuildFacts): Statement {
  const { name, version, file, revision, lockFile, billOfMaterials, builder, node, npm, finishedOn } = facts
  return {
    _type: 'https://in-toto.io/Statement/v1',
    subject: [{ name: file.name, digest: { sha256: sha256(file.content) } }],
    predicateType: 'https://slsa.dev/provenance/v1',
    predicate: {
      buildDefinition: {
        buildType: 'urn:market-data-gateway:npm-pack:v1',
        externalParameters: { command: 'npm pack', package: name, version },
        internalParameters: { node, npm },
        resolvedDependencies: [
          { name: 'source', digest: { gitCommit: revision } },
          { name: 'package-lock.json', digest: { sha256: sha256(lockFile) } },
        ],
      },
      runDetails: {
        builder: { id: builder },
        metadata: { finishedOn: finishedOn.toISOString() },
        byproducts: [{ name: BILL, digest: { sha256: sha256(billOfMaterials) } }],
      },
    },
  }
}

/** Why a package is not that of the statement, a sentence for each reason; empty if it is. */
export function findMismatches(
  statement: Statement,
  file: NamedFile,
  readBillOfMaterials: () => Buffer,
): readonly string[] {
  const [subject] = statement.subject
  const stated = subject?.name === file.name ? subject.digest.sha256 : undefined
  const wrong = mismatch(file, stated)
  if (wrong !== null) return [wrong] // its content may not be readable
  const bill = statement.predicate.runDetails.byproducts.find(({ name }) => name === BILL)
  const wrongBill = mismatch({ name: BILL, content: readBillOfMaterials() }, bill?.digest.sha256)
  return wrongBill === null ? [] : [wrongBill]
}

function mismatch({ name, content }: NamedFile, stated: string | undefined): string | null {
  if (stated === undefined) return `${name}: the statement does not name it`
  const found = sha256(content)
  return found === stated ? null : `${name}: its SHA-256 is ${found}, the statement says ${stated}`
}
