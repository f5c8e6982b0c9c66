import type { Schema } from '../documents.js'
import { docstring, isReserved, literal } from './python-text.js'

const SCALARS: Readonly<Record<string, string>> = {
  string: 'str',
  integer: 'int',
  number: 'float',
  boolean: 'bool',
  object: 'Dict[str, Any]',
  null: 'None',
}

/** A member of a TypedDict. */
export interface Member {
  readonly name: string
  readonly type: string
  readonly isRequired: boolean
  readonly description?: string | undefined
}

/** The name of a component: `#/components/schemas/AssetCard`. */
export function componentOf(reference: string): string {
  return reference.slice(reference.lastIndexOf('/') + 1)
}

/** The type of a schema. `prefix` is the module of the components: `types.`. */
export function pythonType(schema: Schema, prefix = ''): string {
  if (schema.$ref !== undefined) return prefix + componentOf(schema.$ref)
  if (schema.anyOf !== undefined) return unionOf(schema.anyOf.map((part) => pythonType(part, prefix)))
  if (schema.enum !== undefined) return `Literal[${schema.enum.map(literal).join(', ')}]`
  const names = typeof schema.type === 'string' ? [schema.type] : (schema.type ?? [])
  if (names.length === 0) return 'Any'
  return unionOf(
    names.map((name) =>
      name === 'array' ? `List[${pythonType(schema.items ?? {}, prefix)}]` : (SCALARS[name] ?? 'Any'),
    ),
  )
}

function unionOf(types: readonly string[]): string {
  const others = [...new Set(types)].filter((type) => type !== 'None')
  const union = others.length > 1 ? `Union[${others.join(', ')}]` : (others[0] ?? 'None')
  return others.length === 0 || !types.includes('None') ? union : `Optional[${union}]`
}

/** The schema itself, or the component that it names; an empty schema if there is none. */
export function resolvedSchema(
  schema: Schema | undefined,
  components: Readonly<Record<string, Schema>>,
): Schema {
  const named = schema?.$ref === undefined ? schema : components[componentOf(schema.$ref)]
  return named ?? {}
}

/** The components that these schemas lead to, by name in order of the alphabet. */
export function reachableComponents(
  roots: readonly Schema[],
  components: Readonly<Record<string, Schema>>,
): readonly (readonly [name: string, schema: Schema])[] {
  const found = new Map<string, Schema>()
  const visit = (schema: Schema): void => {
    if (schema.$ref !== undefined) {
      const name = componentOf(schema.$ref)
      const component = components[name]
      if (component === undefined) throw new Error(`The document has no component ${name}.`)
      if (!found.has(name)) {
        found.set(name, component)
        visit(component)
      }
    }
    for (const part of [...(schema.anyOf ?? []), ...Object.values(schema.properties ?? {})]) visit(part)
    if (schema.items !== undefined) visit(schema.items)
  }
  for (const root of roots) visit(root)
  return [...found].toSorted(([a], [b]) => (a < b ? -1 : 1))
}

/** The module of the components: literals first, because they are values at run time. */
export function typesModule(components: readonly (readonly [name: string, schema: Schema])[]): string {
  const isObject = ([, schema]: readonly [string, Schema]) => schema.properties !== undefined
  const aliases = components.filter((entry) => !isObject(entry))
  return `"""The types of the answers of REST. An answer is a dictionary, which editors and type checkers know by these types."""

from __future__ import annotations

from typing import Any, Dict, List, Literal, Optional, TypedDict, Union

${aliases.map(([name, schema]) => `${name} = ${pythonType(schema)}\n${docstring([schema.description ?? ''], '')}`).join('\n')}
${components.filter(isObject).map(classOf).join('\n')}`
}

function classOf([name, schema]: readonly [string, Schema]): string {
  const required = new Set(schema.required ?? [])
  const members = Object.entries(schema.properties ?? {}).map(([member, form]) => ({
    name: member,
    type: pythonType(form),
    isRequired: required.has(member),
    description: form.description,
  }))
  return typedDict(name, schema.description ?? name, members)
}

/**
 * A TypedDict. Python 3.9 knows optional members only by inheritance, and a reserved word as a name only in the form of a
 * call.
 */
export function typedDict(name: string, description: string, members: readonly Member[]): string {
  const reserved = members.filter((member) => isReserved(member.name))
  const optional = members.filter((member) => !member.isRequired && !isReserved(member.name))
  const required = members.filter((member) => member.isRequired && !isReserved(member.name))
  const bases: string[] = []
  let text = ''
  if (reserved.length > 0) {
    bases.push(`_${name}Reserved`)
    const entries = reserved.map((member) => `${literal(member.name)}: ${literal(member.type)}`)
    text += `_${name}Reserved = TypedDict(${literal(`_${name}Reserved`)}, {${entries.join(', ')}})\n\n`
  }
  if (optional.length > 0) {
    bases.push(`_${name}Optional`)
    text += `class _${name}Optional(TypedDict, total=False):\n${optional.map(memberText).join('')}\n`
  }
  const head = `class ${name}(${bases.join(', ') || 'TypedDict'}):\n${docstring([description], '    ')}`
  return `${text}${head}\n${required.map(memberText).join('')}\n`
}

function memberText({ name, type, description }: Member): string {
  return `    ${name}: ${type}\n${description === undefined ? '' : docstring([description], '    ')}`
}
