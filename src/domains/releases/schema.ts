import { hasNext, parseOffsetPage } from '../../core/page.js'
import { Problems } from '../../core/problems.js'
import { builder } from '../../schema-kit/builder.js'
import { hints, queryEndpoint, type Types } from '../../schema-kit/fields.js'
import { offsetPageArguments } from '../../schema-kit/shared-arguments.js'
import { flag, instant, integer, shownAs, shownFields, text } from '../../schema-kit/shown-fields.js'
import './dataset-tables-schema.js'
import { getRelease, listReleases, type PublishedRelease, parseReleasedDataset } from './service.js'

const releaseFields = (t: PothosSchemaTypes.ObjectFieldBuilder<Types, PublishedRelease>) =>
  shownFields(t, {
    dataset: t.string({
      description: 'The dataset of the release, e.g. forex.',
      resolve: ({ manifest }) => manifest.dataset,
    }),
    release_id: text(
      'The instant and the first digits of the hash. `release` of other fields takes `<dataset>/<release_id>`.',
      'releaseId',
    ),
    known_at: t.field({
      type: 'DateTime',
      description: 'The release has what the gateway knew at this instant.',
      resolve: ({ manifest }) => new Date(manifest.known_at),
    }),
    created_at: instant('When the release was stored where it is.', 'createdAt'),
    rows: t.field({
      type: 'BigInt',
      description: 'Rows of all files.',
      resolve: ({ manifest }) => manifest.rows,
    }),
    bytes: t.field({
      type: 'BigInt',
      description: 'Bytes of all files.',
      resolve: ({ manifest }) => manifest.bytes,
    }),
    is_dev_dataset: t.boolean({
      description: 'Whether any row is synthetic.',
      resolve: ({ manifest }) => manifest.is_dev_dataset,
    }),
    content_hash: t.string({
      description: '`sha256:` and 64 hex digits: SHA-256 of the canonical JSON (RFC 8785) of the manifest.',
      resolve: ({ seal }) => seal.content_hash,
    }),
    signature: t.string({
      nullable: true,
      description:
        'Ed25519 signature over the canonical JSON of the manifest, base64url. Null if the gateway signs nothing.',
      resolve: ({ seal }) => seal.signature,
    }),
    signing_key_id: t.string({
      nullable: true,
      description: 'Id of the signing key in /.well-known/jwks.json. Null without a signature.',
      resolve: ({ seal }) => seal.signing_key_id,
    }),
  })

const ReleaseType = builder.objectRef<PublishedRelease>('Release').implement({
  description: 'A release: signed files with what was known of a dataset at one instant. It never changes.',
  fields: releaseFields,
})

const SignedReleaseType = builder.objectRef<PublishedRelease>('SignedRelease').implement({
  description: 'A release with its manifest.',
  fields: (t) =>
    shownFields(t, {
      ...releaseFields(t),
      manifest: t.field({
        type: 'JSONObject',
        description:
          'Files with SHA-256, bytes, rows, first and last period; columns with type, unit and meaning; missing periods; providers with their terms; versions of the rules; the release before.',
        // A plain record of the parsed manifest.
        resolve: ({ manifestText }) => JSON.parse(manifestText) as Record<string, unknown>,
      }),
      canonical_manifest: text(
        'The canonical JSON of the manifest: the bytes in UTF-8 that were hashed and signed.',
        'manifestText',
      ),
    }),
})

interface ReleaseList {
  readonly data: readonly PublishedRelease[]
  readonly total: number
  readonly hasNext: boolean
}

const ReleaseListType = builder.objectRef<ReleaseList>('ReleaseList').implement({
  description: 'Releases, newest first.',
  fields: (t) =>
    shownFields(t, {
      data: shownAs([ReleaseType])('The releases of this page.'),
      total: integer('Number of releases on all pages.'),
      has_next: flag('Whether another page follows.', 'hasNext'),
    }),
})

queryEndpoint('releases', {
  summary: 'Releases of datasets',
  keywords: ['bulk download', 'Parquet files', 'snapshots of data', 'cite data'],
  description:
    'Releases of one dataset or of all, newest first: files of what was known at an instant, which never change. `release` returns the manifest.',
  access: 'caller',
  cost: 'metered',
  rest: {
    method: 'GET',
    path: '/v1/releases',
    tag: 'releases',
    table: { rows: 'data', total: 'total', paging: { by: 'offset' } },
  },
  errors: ['service_unavailable'],
  clock: 'followed',
  type: ReleaseListType,
  args: (arg) => ({
    ...offsetPageArguments(arg),
    dataset: arg.string({
      description: 'Lists the releases of this dataset only.',
      ...hints({ example: 'forex', maxLength: 40, defaultText: 'all datasets' }),
    }),
  }),
  check: (args) => {
    const problems = new Problems()
    const page = parseOffsetPage(problems, args)
    const dataset = parseReleasedDataset(problems, args.dataset)
    problems.refuse()
    return { page, dataset }
  },
  resolve: async ({ page, dataset }, context) => {
    const { releases, total } = await listReleases(dataset, page, context)
    return { data: releases, total, hasNext: hasNext(page, total) }
  },
})

queryEndpoint('release', {
  summary: 'A release with its signed manifest',
  keywords: ['manifest of files', 'signed data', 'reproducible', 'hashes of files'],
  description:
    'The manifest of a release, with hash and signature; field `releases` lists the releases. The files are at /v1/releases/{dataset}/{release_id}/files/{name}, and need bulk:read.',
  access: 'caller',
  partScopes: ['bulk:read'],
  cost: 'metered',
  rest: { method: 'GET', path: '/v1/releases/{dataset}/{release_id}', tag: 'releases' },
  errors: ['not_found', 'service_unavailable'],
  clock: 'followed',
  type: SignedReleaseType,
  args: (arg) => ({
    dataset: arg.string({
      required: true,
      description: 'The dataset of the release.',
      ...hints({ example: 'forex', maxLength: 40 }),
    }),
    release_id: arg.string({
      required: true,
      description: 'The id of the release.',
      ...hints({ example: '20261120T120000.000Z-0123456789ab', maxLength: 40 }),
    }),
  }),
  check: ({ dataset, release_id }) => ({ dataset, releaseId: release_id }),
  resolve: ({ dataset, releaseId }, context) => getRelease(dataset, releaseId, context),
})
