import * as z from 'zod'
import { ApiRefused } from './api-authorisation.ts'
import { FenceAction } from './fence.ts'
import { Battery, Usage } from './payloads.ts'
import { StagingScan } from './staging.ts'

const Crossing = z.object({
  fence_kid: z.uuid(),
  fence_version: z.number().int().min(1),
  fence: z.string().max(64).optional().describe('its name'),
  longitude: z.number().min(-180).max(180).describe('of the first position beyond the band'),
  latitude: z.number().min(-90).max(90),
})

/** Types of events that the server knows, and the `detail` of each. A device may report others; they are shown as they are. */
export const events = {
  boot: z.object({}),
  battery: z.object({
    trigger: Battery.shape.trigger.unwrap().exclude(['change']),
    level: Battery.shape.level,
  }),
  fence_in: Crossing,
  fence_out: Crossing,
  fence_action: FenceAction,
  usage: Usage,
  staging: StagingScan,
  api_refused: ApiRefused,
} as const
