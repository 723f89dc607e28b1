import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { linuxSlots } from './linux.ts'

let folder: string
beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), 'mdm-slots-'))))
afterAll(() => rmSync(folder, { recursive: true }))

/** A machine that starts for another time; its boot loader says in the command line of the kernel which slot it took. */
async function start(name: string, cmdline: string, state: 'written' | 'trying') {
  const dir = join(folder, name)
  const proc = join(dir, 'proc')
  mkdirSync(join(proc, 'sys/kernel/random'), { recursive: true })
  writeFileSync(join(proc, 'sys/kernel/random/boot_id'), 'second\n')
  writeFileSync(join(proc, 'cmdline'), `${cmdline}\n`)
  for (const [slot, ver] of [
    ['a', 1],
    ['b', 2],
  ] as const) {
    mkdirSync(join(dir, slot), { recursive: true })
    writeFileSync(join(dir, slot, 'os.json'), JSON.stringify({ uid: 'U', os_version: '9', version_code: ver, ver }))
  }
  const trial = { id: 't', slot: 'b', state, confirm_seconds: 600, boot_id: 'first' }
  writeFileSync(join(dir, 'state.json'), JSON.stringify({ active: state === 'written' ? 'a' : 'b', trial }))
  const slots = (await linuxSlots(dir, { proc, sys: join(dir, 'sys') }))!
  const { active } = JSON.parse(readFileSync(join(dir, 'state.json'), 'utf8')) as { active: string }
  return { active, trial: await slots.trial(), ver: (await slots.build()).ver }
}

test.each([
  ['the new slot was started', 'quiet mdm.slot=b', 'written', 'b', 'trying'],
  ['the boot loader says nothing', 'quiet', 'written', 'b', 'trying'],
  ['the boot loader gave the new slot up', 'mdm.slot=a quiet', 'written', 'a', 'rolled_back'],
  ['it was started again before it reported', 'mdm.slot=a', 'trying', 'a', 'rolled_back'],
  ['what the boot loader says is no slot', 'mdm.slot=c xmdm.slot=a', 'written', 'b', 'trying'],
] as const)('after a start in which %s, the slots stand as they do', async (name, cmdline, state, active, becomes) => {
  const after = await start(name, cmdline, state)
  expect(after).toMatchObject({ active, trial: { state: becomes }, ver: active === 'a' ? 1 : 2 })
})
