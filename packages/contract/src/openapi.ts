import * as z from 'zod'
import { contract } from './calls.ts'
import { commonErrors, errors } from './errors.ts'
import type { ErrorName } from './errors.ts'
import { isFile } from './kit.ts'
import type { Call } from './kit.ts'
import { languages } from './wire.ts'

type Json = Record<string, unknown>
type Direction = 'input' | 'output'

/** The contract as an OpenAPI 3.1 document: one operation for every call, nothing written by hand. */
export function openapi(): Json {
  const paths: Record<string, Json> = {}
  for (const [key, group] of Object.entries(contract))
    for (const call of Object.values(group.calls) as Call[])
      paths[`/api/${call.path}`] = {
        ...paths[`/api/${call.path}`],
        [call.method.toLowerCase()]: operation(call, key),
        ...(call.is_also_get && {
          get: { ...operation({ ...call, method: 'GET' }, key), operationId: `${idOf(call)}.get` },
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
    tags: Object.entries(contract).map(([name, group]) => ({ name, description: group.title.en })),
    paths,
    components: {
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', description: 'token of login/login; recommended to scripts' },
        token: { type: 'apiKey', in: 'query', name: 'AccessToken' },
      },
      parameters: sharedParameters(),
      schemas: { Refusal: refusal() },
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
function operation(call: Call, tag: string): Json {
  const is_public = call.needs === 'public'
  const shared = [...(is_public ? [] : ['account_kid']), 'lang', 'timestamp']
  return {
    operationId: idOf(call),
    tags: [tag],
    summary: call.title.en,
    description: accessOf(call),
    'x-permission': call.needs,
    'x-effect': call.effect,
    security: is_public ? [] : [{ bearer: [] }, { token: [] }],
    parameters: [
      ...(call.method === 'GET' ? queryParameters(call) : []),
      ...shared.map((name) => ({ $ref: `#/components/parameters/${name}` })),
    ],
    ...(call.method === 'POST' && {
      requestBody: { required: true, content: { 'application/json': { schema: schemaOf(call.input, 'input') } } },
    }),
    responses: { 200: success(call), ...refusals(call) },
  }
}

function accessOf({ needs, scope }: Call): string {
  const who = scope === 'ops' ? 'The provider’s staff only. ' : ''
  if (needs === 'public') return `${who}Needs no session.`
  return who + (needs === 'signed_in' ? 'Needs a session.' : `Needs the permission \`${needs}\`.`)
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

const success = (call: Call): Json =>
  isFile(call)
    ? { description: 'The file, under the name in Content-Disposition', content: { '*/*': { schema: fileSchema } } }
    : {
        description: 'Success',
        content: {
          'application/json': {
            schema: {
              type: 'object',
              properties: { result: { const: 1 }, message: { type: 'string' }, data: schemaOf(call.output, 'output') },
              required: ['result', 'message', 'data'],
            },
          },
        },
      }
const fileSchema = { type: 'string', format: 'binary' }

/** Refusals by HTTP status; several may share one. */
function refusals(call: Call): Json {
  const common = commonErrors.filter(
    (name) => call.needs !== 'public' || !['unauthorized', 'no_permission'].includes(name),
  )
  const names = [...new Set<ErrorName>([...common, ...call.errors])]
  const byStatus = new Map<number, ErrorName[]>()
  for (const name of names) byStatus.set(errors[name].status, [...(byStatus.get(errors[name].status) ?? []), name])
  const statuses = [...byStatus].toSorted(([a], [b]) => a - b)
  return Object.fromEntries(statuses.map(([status, at]) => [String(status), refusalResponse(at)]))
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

/** Dates are RFC 3339 text on the wire; what a handler may return besides is not the caller's affair. */
function schemaOf(schema: z.ZodType, io: Direction): Json {
  const { $schema: _, ...json } = z.toJSONSchema(schema, {
    io,
    target: 'draft-2020-12',
    unrepresentable: 'any',
    reused: 'inline',
    // The format says it; zod's pattern for it only makes the document three times as long.
    override: ({ jsonSchema }) => void (jsonSchema.format !== undefined && delete jsonSchema.pattern),
  }) as Json
  return json
}
