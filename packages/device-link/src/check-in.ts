import * as z from 'zod'
import { downNames } from './topics.ts'

/** POST /device/check-in: for a device that keeps no MQTT connection. `payload` is that of the topic of the same name. */
export const CheckIn = z.object({
  messages: z
    .array(z.object({ name: z.enum(['hello', 'state', 'event', 'task', 'reply']), payload: z.unknown() }))
    .max(100)
    .default([])
    .describe('what it has to say, in this order; all of it is stored once the answer comes'),
  wait_seconds: z
    .number()
    .int()
    .min(0)
    .max(50)
    .default(0)
    .describe('how long the answer may wait for something to be sent'),
  silent_seconds: z
    .number()
    .int()
    .min(60)
    .max(7 * 86_400)
    .default(1_800)
    .describe('it counts as offline when it does not check in again for so long'),
})
export const CheckedIn = z.object({
  messages: z
    .array(z.object({ name: z.enum(downNames), payload: z.unknown() }))
    .max(100)
    .describe('what it is owed; what it does not report on is sent again'),
})
