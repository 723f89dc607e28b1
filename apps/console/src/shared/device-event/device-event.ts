import type { Out } from '@mdm/contract'
import type { api } from '../../core/api.ts'
import { texts as english } from './texts/en.ts'

export type DeviceEvent = Out<typeof api.terminal.paging_event>['items'][number]

type Known = keyof (typeof english)['type']
export const eventTypes = Object.keys(english.type) as Known[]
export const isKnownType = (type: string): type is Known => Object.hasOwn(english.type, type)
