import { readFileSync } from 'node:fs'
import * as z from 'zod'

type Json = z.core.JSONSchema.JSONSchema

/** The JSON Schema as it is published, by names of what it describes: what a stranger's tests hold against messages. */
export const published = (
  JSON.parse(readFileSync(new URL('../../../../docs/device-link.schema.json', import.meta.url), 'utf8')) as {
    $defs: Record<string, Json>
  }
).$defs

/** With what it refers to in its place: the document as a whole is no schema of anything. */
const whole = (json: Json): Json =>
  JSON.parse(JSON.stringify(json), (_key, value: { $ref?: string } | null) =>
    value?.$ref === undefined ? value : whole(published[value.$ref.replace('#/$defs/', '').replaceAll('~1', '/')]!),
  ) as Json

/** What is published of this name, as a schema that checks. */
export const publishedSchema = (name: string): z.ZodType => z.fromJSONSchema(whole(published[name]!))
