import { errors } from '@mdm/contract'
import type { ErrorName } from '@mdm/contract'
import { deviceSections, secret_mask, sectionOf } from '@mdm/contract/config/sections.ts'
import type { ConfigField, ConfigFields } from '@mdm/contract/config/sections.ts'
import { Configuration, endpoints, errorsOfAll } from '@mdm/device-link'
import { jsonSchema, jsonSchemaOf } from '@mdm/device-link/json-schema.ts'

export type Json = {
  type?: string | string[]
  title?: string
  description?: string
  const?: unknown
  enum?: unknown[]
  pattern?: string
  format?: string
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  minItems?: number
  maxItems?: number
  properties?: Record<string, Json>
  required?: string[]
  items?: Json
  anyOf?: Json[]
  oneOf?: Json[]
  allOf?: Json[]
  $ref?: string
}
export type LinkSchema = { $defs: Record<string, Json> }

/** What docs/device-link.schema.json says: the payloads of the link, the sections that devices are told, and their endpoints. */
export function linkSchema(): LinkSchema {
  const sections = Object.fromEntries(deviceSections.map((section) => [`config/${section}`, sectionSchema(section)]))
  const calls = Object.entries(endpoints).map(([name, one]) => [`http/endpoint/${name}`, endpointSchema(one)])
  const schema = jsonSchema({ ...sections, ...Object.fromEntries(calls) }) as LinkSchema
  const told = schema.$defs['down/config']!.properties!['config']!
  for (const section of deviceSections) told.properties![section] = { $ref: `#/$defs/config~1${section}` }
  return schema
}

/** Refusals of an endpoint, those that every request may meet included. */
export const refusalsOf = (names: readonly string[]) =>
  [...names, ...errorsOfAll].map((name) => ({ name, ...errors[name as ErrorName] }))

type Endpoint = {
  method: string
  path: string
  is_signed_in: boolean
  says: string
  errors: readonly string[]
  request?: Parameters<typeof jsonSchemaOf>[0]
  reply?: Parameters<typeof jsonSchemaOf>[0]
}
function endpointSchema({ method, path, is_signed_in, says, errors: names, request, reply }: Endpoint): Json {
  const properties: Record<string, Json> = {
    method: { const: method },
    path: { const: path },
    authorization: { const: is_signed_in ? 'Bearer {kid}:{secret}' : null },
    ...(request && { request: jsonSchemaOf(request) as Json }),
    ...(reply && { reply: jsonSchemaOf(reply) as Json }),
    refusal: {
      oneOf: refusalsOf(names).map(({ name, status, result, message }) => ({
        title: name,
        description: message.en,
        properties: { status: { const: status }, result: { const: result } },
      })),
    },
  }
  return { description: says, type: 'object', properties }
}

/** A section as a device is told it: secrets are in the clear there, never masked. */
function sectionSchema(section: (typeof deviceSections)[number]): Json {
  const { title, hint, fields, toWire } = sectionOf(section)
  const on_wire = (Configuration.shape as Record<string, Parameters<typeof jsonSchemaOf>[0]>)[section]
  const made = toWire && on_wire ? (jsonSchemaOf(on_wire) as Json) : objectOf(fields)
  return { title: title.en, description: hint.en, ...made }
}

const objectOf = (fields: ConfigFields): Json => ({
  type: 'object',
  properties: Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, fieldOf(field)])),
  required: Object.keys(fields),
})

function fieldOf({ title, schema, unit, fields, when }: ConfigField): Json {
  const json = withoutMask(jsonSchemaOf(schema) as Json)
  const condition = when && `with ${when[0]} ${when.slice(1).join(' or ')}`
  const description = [title.en, unit && `in ${unit}`, condition].filter(Boolean).join('; ')
  return { ...json, ...(fields && { items: objectOf(fields) }), description }
}

/** The mask stands for a secret where people read it; a device gets the secret. */
function withoutMask(json: Json): Json {
  if (json.const === secret_mask) throw new Error('nothing but a mask')
  if (json.enum?.includes(secret_mask)) return { ...json, enum: json.enum.filter((one) => one !== secret_mask) }
  if (!json.anyOf) return json
  const left = json.anyOf.filter((one) => one.const !== secret_mask).map(withoutMask)
  return left.length === 1 ? left[0]! : { ...json, anyOf: left }
}
