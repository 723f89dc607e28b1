import * as z from 'zod'
import { enrolment, StandingReply } from './enrolment.ts'
import { down, up, Usage } from './payloads.ts'
import { requests } from './requests.ts'

/** Every payload of the link by its name in docs/device-link.md. */
export const payloads: Record<string, z.ZodType> = {
  announce: enrolment.announce.input,
  announced: enrolment.announce.output,
  enrol: enrolment.enrol.input,
  enrolled: enrolment.enrol.output,
  standing: StandingReply,
  ...named('up', up),
  ...named('down', down),
  'up/event/usage': Usage,
  ...Object.fromEntries(
    Object.entries(requests).flatMap(([method, { params, data }]) => [
      [`request/${method}/params`, params],
      [`request/${method}/data`, data],
    ]),
  ),
}

/** All of them as one JSON Schema document; `$defs` has one entry for each. What is not in it may be sent and is ignored. */
export function jsonSchema(): Record<string, unknown> {
  const $defs = Object.fromEntries(
    Object.entries(payloads).map(([name, schema]) => {
      const { $schema: _, ...rest } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })
      return [name, rest]
    }),
  )
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Device link: what a device and the server say to each other',
    $defs,
  }
}

function named(prefix: string, of: Record<string, z.ZodType>): Record<string, z.ZodType> {
  return Object.fromEntries(Object.entries(of).map(([name, schema]) => [`${prefix}/${name}`, schema]))
}
