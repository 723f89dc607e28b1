import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Trial } from '../body/body.ts'
import { agentSlots } from './agent-slots.ts'

let folder: string
beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), 'mdm-agent-slots-'))))
afterAll(() => rmSync(folder, { recursive: true }))

type Left = { state: Trial['state']; link?: string; base?: string; script?: 'base' | 'b'; env?: Record<string, string> }
/** An agent that starts after the power was cut: `b` holds a version that was pushed. */
async function startAfter(name: string, { state, link, base = '1.0', script = 'base', env = {} }: Left) {
  const at = (...path: string[]) => join(folder, name, ...path)
  for (const each of ['base', 'slots/b']) mkdirSync(at(each), { recursive: true })
  for (const each of ['base', 'slots/b']) writeFileSync(at(each, 'mdm-agent.mjs'), '')
  writeFileSync(at('base/version'), '1.0\n')
  writeFileSync(at('slots/b/base'), base)
  const trial = { id: 't', slot: 'b', state, confirm_seconds: 600 }
  const active = state === 'confirmed' ? 'b' : 'a'
  writeFileSync(at('slots/state.json'), JSON.stringify({ active, trial }))
  if (link !== undefined) symlinkSync(link, at('slots/current'))
  const slots = await agentSlots({
    dir: at('slots'),
    base: at('base'),
    packages: at('packages'),
    version: '1.0',
    trial_seconds: 600,
    log: () => {},
    end: () => {},
    env,
    script: at(script === 'base' ? 'base' : 'slots/b', 'mdm-agent.mjs'),
  })
  const current = existsSync(at('slots/current')) ? readlinkSync(at('slots/current')) : undefined
  return { is_other: slots.is_other, current, trial: await slots.body.trial(), at }
}

test.each<[string, Left, { is_other: boolean; current: string | undefined; state: Trial['state'] }]>([
  ['written', { state: 'written' }, { is_other: false, current: undefined, state: 'written' }],
  ['on trial', { state: 'trying' }, { is_other: false, current: undefined, state: 'rolled_back' }],
  ['confirmed, before the link', { state: 'confirmed' }, { is_other: true, current: 'b', state: 'confirmed' }],
  [
    'confirmed and linked',
    { state: 'confirmed', link: 'b', script: 'b' },
    { is_other: false, current: 'b', state: 'confirmed' },
  ],
  [
    'confirmed, and the package changed since',
    { state: 'confirmed', link: 'b', base: '0.9' },
    { is_other: false, current: undefined, state: 'confirmed' },
  ],
  ['left', { state: 'rolled_back' }, { is_other: false, current: undefined, state: 'rolled_back' }],
  [
    'on trial, and this is the one that is tried',
    { state: 'trying', script: 'b', env: { MDM_AGENT_TRIAL: 't' } },
    { is_other: false, current: undefined, state: 'trying' },
  ],
])('after a cut when a version was %s, the one that counts runs', async (name, left, { state, ...expected }) => {
  const { trial, ...after } = await startAfter(name, left)
  expect({ ...after, at: undefined }).toEqual({ ...expected, at: undefined })
  expect(trial?.state).toBe(state)
})

test('a version whose slot cannot be filled leaves the book as it was', async () => {
  const { at } = await startAfter('broken', { state: 'rolled_back' })
  const before = readFileSync(at('slots/state.json'), 'utf8')
  const slots = await agentSlots({
    dir: at('slots'),
    base: at('base'),
    packages: at('packages'),
    version: '1.0',
    trial_seconds: 600,
    log: () => {},
    end: () => {},
    script: at('base/mdm-agent.mjs'),
  })
  mkdirSync(at('packages'))
  writeFileSync(at('packages/x.zip'), 'no archive')
  const writing = slots.body.write({ id: 'u', kind: 'zip', place: '/x.zip' }, new AbortController().signal)
  await expect(writing).rejects.toMatchObject({ code: 'bad_package' })
  expect([readFileSync(at('slots/state.json'), 'utf8'), existsSync(at('slots/b'))]).toEqual([before, false])
})
