import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { testActor } from '../../../../testing/actor.ts'
import type { TestDeps } from '../../../../testing/deps.ts'
import { addAccount, announced, lockingDatabases, device, openDeps, refusalOf } from '../../../../testing/devices.ts'
import type { Device } from '../../../../testing/devices.ts'
import { wrong_codes_max } from '../device/announcements.ts'
import * as enrolment from '../index.ts'

const minute = 60_000

describe.each(lockingDatabases)('wrong codes on %s', (kind) => {
  let deps: TestDeps
  beforeAll(async () => {
    deps = await openDeps(kind)
  })
  afterAll(() => deps?.close())

  const register = (account_kid: string, sn: string, registration_code: string) =>
    enrolment.registerByCode(testActor(deps, account_kid), { sn, registration_code, terminal_group_kid: 'NO_GROUP' })
  const enrol = ({ sn, claim }: Device) => enrolment.enrol(deps, { sn, claim })

  it('of a customer with its sub-accounts are ten, then none for a while; a neighbour never notices', async () => {
    const [account, neighbour] = [await addAccount(deps), await addAccount(deps)]
    const below = await addAccount(deps, 10, account)
    const d = device()
    const { registration_code } = await announced(deps, d)
    const guesses = await Promise.all(
      Array.from({ length: 20 }, (_, n) => refusalOf(register(n % 2 === 0 ? account : below, d.sn, '222222'))),
    )
    expect(guesses.filter((refusal) => refusal === 'registration_code_mismatch')).toHaveLength(10)
    expect(guesses.filter((refusal) => refusal === 'too_many_wrong_codes')).toHaveLength(10)
    // Neither the right one, nor in a sheet.
    expect(await refusalOf(register(account, d.sn, registration_code))).toBe('too_many_wrong_codes')
    const rows = [{ sn: d.sn, work_order: 'W', verification_code: registration_code, name: '' }]
    const week = { account_kid: below, week: '2026-W01' }
    expect((await enrolment.judge(deps.db, deps, week, rows)).get(d.sn)).toBe('too_many_wrong_codes')
    // Of another device it may still be wrong; the device keeps its code.
    const other = device()
    await announced(deps, other)
    expect(await refusalOf(register(account, other.sn, '222222'))).toBe('registration_code_mismatch')
    expect((await announced(deps, d)).registration_code).toBe(registration_code)
    await deps.clock.advance(6 * minute)
    expect(await refusalOf(register(below, d.sn, '222222'))).toBe('registration_code_mismatch')
    await register(neighbour, d.sn, registration_code)
  })

  it('of everybody end the code when they are too many; the device announces itself for another', async () => {
    const account = await addAccount(deps)
    const d = device()
    const { registration_code } = await announced(deps, d)
    const count = (wrong_codes: number) =>
      deps.db.updateTable('announcement').set({ wrong_codes }).where('sn', '=', d.sn).execute()
    await count(wrong_codes_max - 1)
    expect((await announced(deps, d)).registration_code).toBe(registration_code)
    expect(await refusalOf(register(account, d.sn, '222222'))).toBe('registration_code_mismatch')
    expect(await refusalOf(register(account, d.sn, registration_code))).toBe('registration_code_mismatch')
    expect(await refusalOf(enrol(d))).toBe('device_unknown')
    const fresh = await announced(deps, d)
    expect(fresh.registration_code).not.toBe(registration_code)
    expect(await enrol(d)).toMatchObject({ state: 'waiting' })
    await register(account, d.sn, fresh.registration_code)
  })
})
