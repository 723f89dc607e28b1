import * as z from 'zod'
import { Count } from '../wire.ts'
import { Where } from './terminal_filter.ts'

/** What is pushed, by its name: the first of several, and how many there are. */
export const PushSubject = z.object({
  things: z.array(z.object({ name: z.string(), version: z.string(), package: z.string() })),
  count: Count,
  path: z.string().describe('folder that files go to'),
  seconds: Count.describe('so long the device rings'),
})
export type PushSubject = z.output<typeof PushSubject>

export const pushTargetKinds = ['named', 'all', 'no_group', 'group', 'dynamic_group', 'match'] as const
/** Whom a push is for as it was said, in the names of that moment. */
export const PushTarget = z.object({
  kind: z.enum(pushTargetKinds),
  names: z
    .array(z.string())
    .describe(
      'of a group, with those above it, the outermost first; of a dynamic group; the first SNs of named devices',
    ),
  named: Count.describe('devices that were named'),
  is_narrowed: z.boolean().describe('of these, only devices that match more conditions'),
  conditions: z
    .object({ where: Where, names: z.record(z.string(), z.string()), dates: z.array(z.string()) })
    .optional()
    .describe('what they are narrowed by, where conditions are all, with the names of the fields and groups in them'),
  file: z.string().optional().describe('name of the file that the SNs came from'),
})
export type PushTarget = z.output<typeof PushTarget>
