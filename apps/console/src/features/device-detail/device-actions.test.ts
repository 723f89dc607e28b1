import { expect, test } from 'vitest'
import { pushableTypes } from '@mdm/contract'
import { actionGroups, keyOf } from './device-actions.ts'
import type { Entry } from './device-actions.ts'
import { deviceDialogs } from './dialogs.ts'

/** Offered beside what is asked of a lost device alone. */
const of_lost_devices = ['found', 'wipe']

test('the menu of a device offers every kind of push and every dialog of its page, each once', () => {
  const offered = Object.values<readonly Entry[]>(actionGroups).flat().map(keyOf)
  expect(new Set(offered).size).toBe(offered.length)
  const all = new Set([...pushableTypes, ...Object.keys(deviceDialogs)])
  expect(offered.toSorted()).toEqual([...all].filter((key) => !of_lost_devices.includes(key)).toSorted())
})
