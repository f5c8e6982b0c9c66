import { spawnSync } from 'node:child_process'
import { copyFileSync, cpSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'graphql'
import { graphSchema } from '../../../src/schema.js'
import { clientOpenApi, clientOperations, clientRoutes, JSON_TYPE } from '../documents.js'
import { emptyOutput } from '../empty-output.js'
import { operationModules } from './python-operations.js'
import { clientModule } from './python-routes.js'
import { docstring, typeNameOf } from './python-text.js'
import { reachableComponents, resolvedSchema, typesModule } from './python-types.js'

/** The written package. */
interface WrittenPythonClient {
  readonly name: string
  readonly version: string
  readonly files: number
  readonly bytes: number
  /** Wheel and source distribution; empty if no Python with flit_core was found. */
  readonly distributions: readonly string[]
}

const NAME = 'market-data-gateway'
const MODULE = 'market_data_gateway'

/** The first instant that a zip file can have: the same bytes in every run. */
const SOURCE_DATE_EPOCH = '315532800'

/** Empties `out` and writes the package into it, with wheel and source distribution if flit_core is installed. */
export async function writePythonClient(root: string, out: string): Promise<WrittenPythonClient> {
  emptyOutput(out, 'pyproject.toml', `name = "${NAME}"`)
  const directory = join(out, MODULE)
  mkdirSync(directory, { recursive: true })
  cpSync(join(root, 'scripts/client/python/runtime'), directory, {
    recursive: true,
    filter: (path) => !path.includes('__pycache__'),
  })
  const modules = await generatedModules()
  for (const [name, text] of Object.entries(modules)) writeFileSync(join(directory, name), text)
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }
  writeFileSync(join(directory, '_version.py'), `VERSION = "${version}"\n`)
  writeFileSync(join(directory, 'py.typed'), '')
  writeFileSync(join(out, 'pyproject.toml'), projectText(version))
  copyFileSync(join(root, 'LICENSE'), join(out, 'LICENSE'))
  copyFileSync(join(root, 'src/gateway/pages/guides/python.md'), join(out, 'README.md'))
  const names = readdirSync(directory)
  const bytes = names.reduce((sum, name) => sum + statSync(join(directory, name)).size, 0)
  return { name: NAME, version, files: names.length + 3, bytes, distributions: buildDistributions(out) }
}

async function generatedModules(): Promise<Readonly<Record<string, string>>> {
  const [routes, { components }, operations] = await Promise.all([
    clientRoutes(),
    clientOpenApi(),
    clientOperations(),
  ])
  const bodies = routes.flatMap(({ operation }) =>
    Object.values(operation.responses).flatMap(({ content }) => content?.[JSON_TYPE]?.schema ?? []),
  )
  const parameters = routes.flatMap(({ operation }) =>
    (operation.parameters ?? []).map(({ schema }) => schema),
  )
  const requests = routes.flatMap(({ operation }) =>
    Object.values(
      resolvedSchema(operation.requestBody?.content[JSON_TYPE]?.schema, components.schemas).properties ?? {},
    ),
  )
  const graphql = operationModules(graphSchema, parse(operations))
  const errors = components.schemas.Error?.properties?.error?.enum ?? []
  return {
    'types.py': typesModule(reachableComponents([...bodies, ...parameters, ...requests], components.schemas)),
    'client.py': clientModule(routes, components.schemas),
    'operation_types.py': graphql.types,
    'operations.py': graphql.operations,
    'api_errors.py': errorsModule(errors),
  }
}

/** One class for each error code: `not_found` is NotFoundError. */
function errorsModule(codes: readonly string[]): string {
  const nameOf = (code: string) => `${typeNameOf(code.replace(/_error$/, ''))}Error`
  const classes = codes.map((code) => {
    return `class ${nameOf(code)}(ApiError, code="${code}"):\n${docstring([`The gateway refused the request with the code \`${code}\`.`], '    ')}`
  })
  return `"""One exception for each error code of the gateway."""\n\nfrom __future__ import annotations\n\nfrom .errors import ApiError\n\n__all__ = [${codes.map((code) => `"${nameOf(code)}"`).join(', ')}]\n\n\n${classes.join('\n\n')}`
}

function projectText(version: string): string {
  return `[build-system]
requires = ["flit_core >=3.8,<4"]
build-backend = "flit_core.buildapi"

[project]
name = "${NAME}"
version = "${version}"
description = "Client of the market data gateway: lists and series as DataFrames, point in time, releases that are verified."
readme = "README.md"
requires-python = ">=3.9"
license = { file = "LICENSE" }
dependencies = []
classifiers = [
  "License :: OSI Approved :: Apache Software License",
  "Programming Language :: Python :: 3",
  "Typing :: Typed",
]

[project.optional-dependencies]
pandas = ["pandas >=1.5"]
polars = ["polars >=1.0"]
arrow = ["pyarrow >=14"]
signatures = ["cryptography >=38"]

[tool.flit.module]
name = "${MODULE}"

[[tool.mypy.overrides]]
module = ["cryptography.*", "numpy.*", "pandas.*", "polars.*", "pyarrow.*"]
ignore_missing_imports = true
`
}

/** Builds wheel and source distribution offline, with the first Python that has flit_core. */
function buildDistributions(out: string): readonly string[] {
  const program = `from flit_core import buildapi\nfor build in (buildapi.build_sdist, buildapi.build_wheel): print(build("dist"))`
  const env = { ...process.env, SOURCE_DATE_EPOCH, PYTHONDONTWRITEBYTECODE: '1' }
  for (const python of ['python3', '/usr/bin/python3']) {
    const hasBuilder = spawnSync(python, ['-c', 'import flit_core.buildapi']).status === 0
    if (!hasBuilder) continue
    mkdirSync(join(out, 'dist'))
    const built = spawnSync(python, ['-c', program], { cwd: out, env, encoding: 'utf8', timeout: 60_000 })
    if (built.status !== 0)
      throw new Error(`${python} could not build the package: ${built.stderr.slice(-2_000)}`)
    return built.stdout.trim().split('\n')
  }
  return []
}
