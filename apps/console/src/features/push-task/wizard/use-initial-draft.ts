import { useEffect, useEffectEvent, useState } from 'react'
import { inabilityOf, pushTargetText } from '@mdm/contract'
import type { PlannedPush, PushableType } from '@mdm/contract'
import { api, send } from '../../../core/api.ts'
import { CallFailed } from '../../../core/call-failed.ts'
import { useSessionStore } from '../../../core/session-store.ts'
import { useMay, useZone } from '../../../core/session.tsx'
import { ablesOf } from '../../../shared/devices-picker/chosen.ts'
import type { ChosenDevices, NamedDevice } from '../../../shared/devices-picker/chosen.ts'
import { fromPlanned, fromTemplate, newDraft } from './draft.ts'
import type { Draft } from './draft.ts'
import type { Given } from './address.ts'
import { kindOf } from './kinds.tsx'
import { previewedDevices } from './preview-devices.ts'

export type Initial = Given & {
  /** Devices of which only the kids are known. */
  kids?: readonly string[]
  /** The devices were known to another tab. */
  is_lost?: boolean
  /** A push that has not begun, which is changed instead of making one. */
  edit?: string
  /** Of the payload's form, for `type`. */
  values?: object
}
type Note = 'lost' | 'kind' | 'template'
type Begun = { draft: Draft | undefined; planned?: PlannedPush | undefined; notes: Note[]; error: CallFailed | null }

/** The push as it begins: what an address says of it, and of a push or template that it names. */
export function useInitialDraft(initial: Initial, kinds: readonly PushableType[]) {
  const zone = useZone()
  const language = useSessionStore((s) => s.language)
  const may_list = useMay('deviceList')
  const [begun, setBegun] = useState<Begun | null>(null)
  const [first] = kinds
  const begin = useEffectEvent(async () => {
    if (!first) return
    const { type, copy, template, values, edit } = initial
    const notes: Note[] = []
    let error: CallFailed | null = null
    const catching = <T>(work: Promise<T>): Promise<T | undefined> =>
      work.catch((failed: unknown) => {
        if (!(failed instanceof CallFailed)) throw failed
        error = failed
        return undefined
      })
    if (initial.is_lost) notes.push('lost')
    if (type && !kinds.includes(type)) notes.push('kind')
    const wanted = type && kinds.includes(type) ? type : first
    let draft = newDraft(wanted, zone)
    if (!may_list) draft.devices = { kind: 'sns', text: '', sns: [], file: undefined, wrong: [] }
    if (values) draft.values = { [wanted]: { ...kindOf(wanted).initial, ...values } }
    if (edit) {
      const planned = await catching(send(api.pushTask.get_planned, { kid: edit }))
      const kind = kinds.find((each) => each === planned?.type)
      const said = planned && pushTargetText(planned.target, { language, zone })
      if (planned && !kind) notes.push('kind')
      // Nothing else is begun in its place.
      const filled = planned && kind && fromPlanned(draft, { ...planned, type: kind }, said ?? '')
      return setBegun({ draft: filled, planned, notes, error })
    }
    if (copy) {
      const task = await catching(send(api.pushTask.get, { kid: copy }))
      const kind = kinds.find((each) => each === task?.type)
      if (task && !kind) notes.push('kind')
      else if (task && kind) draft = fromTemplate(draft, { ...task, type: kind })
    } else if (template) {
      const found = (await catching(send(api.pushTemplate.list, {})))?.find(({ kid }) => kid === template)
      if (found && kinds.includes(found.type)) draft = fromTemplate(draft, found)
      else if (!error) notes.push(found ? 'kind' : 'template')
    }
    const devices = await catching(devicesOf(initial, draft.type))
    if (devices) draft.devices = devices
    const able = devices && ablesOf(devices)
    const does = (kind: PushableType) => !able?.every((device) => inabilityOf(device, kind))
    // Nobody has said which: one that a device does.
    if (!type && !copy && !template && !does(draft.type)) draft.type = kinds.find(does) ?? draft.type
    setBegun({ draft, notes, error })
  })
  useEffect(() => void begin(), [])
  return {
    draft: begun?.draft,
    planned: begun?.planned,
    notes: begun?.notes ?? [],
    error: begun?.error ?? null,
    is_pending: !begun,
  }
}

async function devicesOf(initial: Initial, type: PushableType): Promise<ChosenDevices | undefined> {
  const { devices, kids = [], match, said = '', terminal_group_kid, terminal_dynamic_group_kid } = initial
  if (devices) return { kind: 'devices', rows: devices }
  if (kids.length > 0) return { kind: 'devices', rows: await named(kids, type) }
  if (match) return { kind: 'filter', given: { match, said } }
  if (terminal_group_kid) return { kind: 'group', terminal_group_kid }
  return terminal_dynamic_group_kid ? { kind: 'dynamic', terminal_dynamic_group_kid } : undefined
}

/** What devices are called; a preview tells it whoever may push to them. */
async function named(kids: readonly string[], type: PushableType): Promise<NamedDevice[]> {
  const { kid } = await send(api.pushTask.preview, { type, terminal_kids: [...kids] })
  return previewedDevices(kid, 'all')
}
