import * as z from 'zod'
import { configSectionKeys } from './config/names.ts'
import { sectionOf } from './config/sections.ts'
import { contract } from './calls.ts'
import { informationSchemas } from './calls/os_information.ts'
import * as exported from './index.ts'
import { commonErrors, errors } from './errors.ts'
import type { ErrorName } from './errors.ts'
import { isFile } from './kit.ts'
import type { Call } from './kit.ts'
import { languages, paged } from './wire.ts'

type Json = Record<string, unknown>
type Direction = 'input' | 'output'
type Schemas = Record<string, Json>
/** What operations refer to, by name. */
type Components = { schemas: Schemas; responses: Record<string, Json> }

const sorted = (json: Json): Json => Object.fromEntries(Object.entries(json).toSorted(([a], [b]) => (a < b ? -1 : 1)))

/** The contract as an OpenAPI 3.1 document: one operation for every call, nothing written by hand. */
export function openapi(): Json {
  const paths: Record<string, Json> = {}
  const components: Components = {
    schemas: { Refusal: refusal() },
    responses: { Refused: refusalResponse([...commonErrors]) },
  }
  for (const [key, group] of Object.entries(contract))
    for (const call of Object.values(group.calls) as Call[])
      paths[`/api/${call.path}`] = {
        ...paths[`/api/${call.path}`],
        [call.method.toLowerCase()]: operation(call, key, components),
        ...(call.is_also_get && {
          get: { ...operation({ ...call, method: 'GET' }, key, components), operationId: `${idOf(call)}.get` },
        }),
      }
  return {
    openapi: '3.1.0',
    info: {
      title: 'MDM',
      version: '1',
      description:
        'Every reply but a file is an envelope: `result` 1 is success, any other number names a refusal. ' +
        'Messages follow `lang`, numbers never change.',
    },
    servers: [{ url: '/' }],
    security: [{ bearer: [] }, { token: [] }],
    tags: Object.entries(contract).map(([name, group]) => ({ name, description: group.title.en })),
    paths,
    components: {
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', description: 'token of login/login; recommended to scripts' },
        token: { type: 'apiKey', in: 'query', name: 'AccessToken' },
      },
      parameters: sharedParameters(),
      responses: sorted(components.responses),
      schemas: sorted(components.schemas),
    },
    'x-errors': Object.entries(errors).map(([name, { result, status, message }]) => ({
      name,
      result,
      status,
      message,
    })),
  }
}

const idOf = (call: Call): string => call.path.replaceAll('/', '.')
function operation(call: Call, tag: string, components: Components): Json {
  const is_public = call.needs === 'public'
  const shared = [...(is_public ? [] : ['account_kid']), 'lang', 'timestamp']
  return {
    operationId: idOf(call),
    tags: [tag],
    summary: call.title.en,
    description: accessOf(call),
    'x-permission': call.needs,
    'x-effect': call.effect,
    ...(is_public && { security: [] }),
    parameters: [
      ...(call.method === 'GET' ? queryParameters(call) : []),
      ...shared.map((name) => ({ $ref: `#/components/parameters/${name}` })),
    ],
    ...(call.method === 'POST' && {
      requestBody: {
        required: true,
        content: { 'application/json': { schema: schemaOf(call.input, 'input', components.schemas) } },
      },
    }),
    responses: { 200: success(call, components), ...refusals(call, components) },
  }
}

function accessOf({ needs, needs_for, scope }: Call): string {
  const who = { ops: 'The provider’s staff only. ', tenant: 'For a customer or sub-account. ', person: '' }[scope]
  if (needs === 'public') return `${who}Needs no session.`
  if (needs_for) return `${who}Needs the permission of what is done.`
  if (needs === 'signed_in') return `${who}Needs a session.`
  const names = [needs].flat().map((name) => `\`${name}\``)
  return `${who}Needs the permission ${names.join(' or ')}.`
}

function queryParameters(call: Call): Json[] {
  const { properties = {}, required = [] } = schemaOf(call.input, 'input') as {
    properties?: Record<string, Json>
    required?: string[]
  }
  return Object.entries(properties).map(([name, { description, ...schema }]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    ...(description !== undefined && { description }),
    schema,
  }))
}

/** Under the name of what is answered, where that has one: many calls answer the same. */
function success(call: Call, { schemas, responses }: Components): Json {
  if (isFile(call)) {
    responses['File'] ??= {
      description: 'The file, under the name in Content-Disposition',
      content: { '*/*': { schema: fileSchema } },
    }
    return { $ref: '#/components/responses/File' }
  }
  const data = schemaOf(call.output, 'output', schemas)
  const reply = {
    description: 'Success',
    content: {
      'application/json': {
        schema: {
          type: 'object',
          properties: { result: { const: 1 }, message: { type: 'string' }, data },
          required: ['result', 'message', 'data'],
        },
      },
    },
  }
  const name = nameIn(data)
  if (name === undefined) return reply
  responses[name] ??= reply
  return { $ref: `#/components/responses/${name}` }
}
const nameIn = ({ $ref }: Json): string | undefined =>
  typeof $ref === 'string' ? $ref.slice('#/components/schemas/'.length) : undefined
const fileSchema = { type: 'string', format: 'binary' }

/** Refusals of the call's own by HTTP status; several may share one. What any call may meet is said once, and so is a lone one. */
function refusals(call: Call, { responses }: Components): Json {
  const byStatus = new Map<number, ErrorName[]>()
  for (const name of call.errors)
    byStatus.set(errors[name].status, [...(byStatus.get(errors[name].status) ?? []), name])
  const statuses = [...byStatus].toSorted(([a], [b]) => a - b)
  return {
    ...Object.fromEntries(
      statuses.map(([status, at]) => {
        const [name, ...others] = at
        if (name === undefined || others.length > 0) return [String(status), refusalResponse(at)]
        responses[name] ??= refusalResponse(at)
        return [String(status), { $ref: `#/components/responses/${name}` }]
      }),
    ),
    default: { $ref: '#/components/responses/Refused' },
  }
}

const refusalResponse = (names: ErrorName[]): Json => ({
  description: names.map((name) => `${errors[name].result} ${name}`).join(', '),
  content: { 'application/json': { schema: { $ref: '#/components/schemas/Refusal' } } },
})

const refusal = (): Json => ({
  type: 'object',
  properties: {
    result: { type: 'integer', not: { const: 1 } },
    message: { type: 'string' },
    data: {
      anyOf: [
        { type: 'null' },
        {
          type: 'object',
          properties: { fields: { type: 'object', additionalProperties: { type: 'string' } } },
          required: ['fields'],
        },
      ],
    },
  },
  required: ['result', 'message', 'data'],
})

const sharedParameters = (): Json => ({
  account_kid: {
    name: 'account_kid',
    in: 'query',
    description: 'account to act for; checked against what the token may act for',
    schema: { type: 'string', format: 'uuid' },
  },
  lang: { name: 'lang', in: 'query', description: 'language of messages', schema: { enum: [...languages] } },
  timestamp: { name: 'timestamp', in: 'header', description: 'client time, ms', schema: { type: 'string' } },
})

const pascal = (name: string): string => name.replace(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase())
/**
 * Shared schemas by their name in the contract: what it exports is a component, so that generated clients name it too; and
 * the parts of its tables by their keys.
 */
const componentKinds = new Set(['object', 'union', 'intersection', 'record'])
const parts = new Map<z.ZodType, string>([
  ...Object.entries(exported).flatMap(([name, value]): [z.ZodType, string][] =>
    value instanceof z.ZodType && componentKinds.has(value.def.type) ? [[value, name]] : [],
  ),
  ...configSectionKeys.map((key): [z.ZodType, string] => [sectionOf(key).value, `Config${pascal(key)}`]),
  ...[...informationSchemas].map(([name, schema]): [z.ZodType, string] => [schema, pascal(name)]),
])
/** What lists answer is called after their rows. */
const pageKeys = Object.keys(paged(z.null()).shape).join()
function pageNameOf({ output }: Call): string | undefined {
  if (!(output instanceof z.ZodObject) || Object.keys(output.shape).join() !== pageKeys) return undefined
  const { items } = output.shape as { items: z.ZodArray<z.ZodType> }
  const row = parts.get(items.element)
  return row && `Paged${row}`
}
const named = new Map<z.ZodType, string>([
  ...Object.values(contract)
    .flatMap(({ calls }) => Object.values(calls) as Call[])
    .flatMap((call): [z.ZodType, string][] => {
      const name = pageNameOf(call)
      return name === undefined ? [] : [[call.output, name]]
    }),
  ...parts,
])

type Meta = { id?: string }
/** Descriptions are in zod's own registry; names come from the exports. */
function registryOf(nameOf: (schema: z.ZodType) => string | undefined): z.core.$ZodRegistry<Meta> {
  const registry = z.registry<Meta>()
  const get = (schema: z.core.$ZodType): Meta => {
    const id = nameOf(schema as z.ZodType)
    return { ...z.globalRegistry.get(schema), ...(id !== undefined && { id }) }
  }
  return Object.assign(registry, { get, has: (schema: z.core.$ZodType) => Object.keys(get(schema)).length > 0 })
}

/** Dates are RFC 3339 text on the wire; what a handler may return besides is not the caller's affair. */
const jsonSchema = (schema: z.ZodType, io: Direction, nameOf: (schema: z.ZodType) => string | undefined): Json => {
  const { $schema: _, ...json } = z.toJSONSchema(schema, {
    io,
    target: 'draft-2020-12',
    unrepresentable: 'any',
    reused: 'inline',
    metadata: registryOf(nameOf),
    // The format says it; zod's pattern for it only makes the document three times as long.
    override: ({ jsonSchema: made }) => {
      if (made.format !== undefined) delete made.pattern
      // Every number of JSON is within these.
      if (made.minimum === Number.MIN_SAFE_INTEGER) delete made.minimum
      if (made.maximum === Number.MAX_SAFE_INTEGER) delete made.maximum
    },
  }) as Json
  return json
}

let inputNames: Map<z.ZodType, string> | undefined
/** Names of inputs take half a second to find: a server that starts does not wait for a document that few ask for. */
const namesFor = (io: Direction): Map<z.ZodType, string> => (io === 'output' ? named : (inputNames ??= nameInputs()))
function nameInputs(): Map<z.ZodType, string> {
  return new Map(
    [...named].map(([schema, name]) => {
      const [input, output] = (['input', 'output'] as const).map((io) =>
        JSON.stringify(
          jsonSchema(schema, io, () => undefined),
          (key, value: unknown) => (key === 'additionalProperties' && value === false ? undefined : value),
        ),
      )
      return [schema, input === output ? name : `${name}Input`]
    }),
  )
}

/** The schema, whose named parts are references into `schemas`. */
function schemaOf(schema: z.ZodType, io: Direction, schemas: Schemas = {}): Json {
  const { $defs, ...json } = jsonSchema(schema, io, (part) => namesFor(io).get(part)) as {
    $defs?: Record<string, Json>
  }
  for (const [name, part] of Object.entries(referring($defs ?? {}) as Record<string, Json>)) {
    const { id: _, $schema: _$schema, ...rest } = part
    schemas[name] ??= rest
  }
  const own = namesFor(io).get(schema)
  const { id: _, ...rest } = referring(json) as Json
  if (own === undefined) return rest
  schemas[own] ??= rest
  return { $ref: `#/components/schemas/${own}` }
}

const referring = (json: unknown): unknown =>
  JSON.parse(JSON.stringify(json).replaceAll('"#/$defs/', '"#/components/schemas/'))
