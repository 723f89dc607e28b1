import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { digest, newKid } from '../../../../lib/ids.ts'
import { testActor } from '../../../../testing/actor.ts'
import type { TestDeps } from '../../../../testing/deps.ts'
import { insert as insertGroup, remove as removeGroup } from '../../terminal-group/index.ts'
import {
  addAccount,
  announced,
  lockingDatabases,
  device,
  miscounted,
  openDeps,
  refusalOf,
} from '../../../../testing/devices.ts'
import type { Device } from '../../../../testing/devices.ts'
import { createPermanent, openPermanent, pagingPermanent, revokePermanent, showPermanent } from './permanent.ts'
import * as enrolment from '../index.ts'

describe.each(lockingDatabases)('permanent codes on %s', (kind) => {
  let deps: TestDeps
  beforeAll(async () => {
    deps = await openDeps(kind)
  })
  afterAll(() => deps?.close())

  const caller = (account_kid: string, visible_groups?: string[]) => ({
    ...testActor(deps, account_kid, visible_groups),
    user: { kid: newKid(), name: 'Ana' },
  })
  const group = async (account_kid: string, name: string, parent_kid = 'ROOT') =>
    (await insertGroup(caller(account_kid), { name, parent_kid })).kid
  const create = async (account_kid: string, more: { terminal_group_kid?: string; host?: string } = {}) => {
    const code = await createPermanent(caller(account_kid), { terminal_group_kid: 'NO_GROUP', ...more })
    return { ...code, token: new URL(code.token_url).searchParams.get('qr')! }
  }
  const enrol = ({ sn, claim }: Device, qrcode: string) => enrolment.enrol(deps, { sn, claim, qrcode })
  const arrive = async (qrcode: string) => {
    const d = device()
    await announced(deps, d)
    return { ...d, made: await enrol(d, qrcode) }
  }
  const all = { page: 1, page_size: 20 }
  const stored = (kid: string) =>
    deps.db.selectFrom('qrcode').selectAll().where('kid', '=', kid).executeTakeFirstOrThrow()

  it('registers many devices into its group, for as long as it lives, and counts them', async () => {
    const account = await addAccount(deps)
    const terminal_group_kid = await group(account, 'Depot')
    const code = await create(account, { terminal_group_kid })
    expect(code).toMatchObject({
      use_count: 0,
      used_at: null,
      sn: null,
      revoked_at: null,
      created_by: 'Ana',
      terminal_group_name: 'Depot',
    })
    await deps.clock.advance(400 * 24 * 3_600_000)
    const first = await arrive(code.token)
    await deps.clock.advance(60_000)
    const second = await arrive(code.token)
    if (first.made.state !== 'registered' || second.made.state !== 'registered') throw new Error('not registered')
    const row = await deps.db
      .selectFrom('terminal')
      .selectAll()
      .where('kid', '=', second.made.kid)
      .executeTakeFirstOrThrow()
    expect(row).toMatchObject({
      account_kid: account,
      terminal_group_kid,
      qrcode_kid: code.kid,
      secret_hash: digest(second.made.secret),
    })
    // A device whose reply was lost asks again: that is no other use.
    expect(await enrol(second, code.token)).toMatchObject({ state: 'registered', kid: second.made.kid })
    const shown = await showPermanent(caller(account), code.kid)
    expect(shown).toMatchObject({ use_count: 2, used_at: deps.clock.now(), sn: second.sn, token_url: code.token_url })
    expect(deps.events.at(-2)).toEqual({
      account_kid: account,
      event: { type: 'terminal_registered', kid: second.made.kid, qrcode_kid: code.kid },
    })
  })

  it('is hashed and sealed: the row alone tells nobody the token', async () => {
    const code = await create(await addAccount(deps))
    const row = await stored(code.kid)
    expect(row.token_hash).toEqual(digest(code.token))
    expect(row.token_sealed).toMatch(/^v1\./)
    expect(JSON.stringify({ ...row, token_hash: row.token_hash.toString('latin1') })).not.toContain(code.token)
  })

  it('registers nobody once it is revoked, and cannot be shown again', async () => {
    const account = await addAccount(deps)
    const code = await create(account)
    await arrive(code.token)
    const revoked = await revokePermanent(caller(account), code.kid)
    expect(revoked).toMatchObject({ revoked_at: deps.clock.now(), use_count: 1 })
    const late = device()
    await announced(deps, late)
    expect(await refusalOf(enrol(late, code.token))).toBe('qrcode_invalid')
    expect(await refusalOf(showPermanent(caller(account), code.kid))).toBe('qrcode_invalid')
    expect(await refusalOf(openPermanent(caller(account), code.kid))).toBe('qrcode_invalid')
    expect(await refusalOf(revokePermanent(caller(account), code.kid))).toBe('qrcode_invalid')
    expect((await stored(code.kid)).token_sealed).toBeNull()
    const live = await pagingPermanent(caller(account), { ...all, is_revoked: false })
    const ended = await pagingPermanent(caller(account), { ...all, is_revoked: true })
    expect([live.items, ended.items.map(({ kid }) => kid)]).toEqual([[], [code.kid]])
    await deps.clock.advance(30 * 24 * 3_600_000)
    await enrolment.purgeExpired(deps)
    expect((await pagingPermanent(caller(account), all)).total).toBe(1)
  })

  it('gives the last places of an account to as many of ten devices as there are', async () => {
    const account = await addAccount(deps, 4)
    const code = await create(account)
    const crowd = Array.from({ length: 10 }, () => device())
    for (const d of crowd) await announced(deps, d)
    const results = await Promise.all(crowd.map((d) => refusalOf(enrol(d, code.token))))
    expect(results.filter((result) => result === 'account_device_limit')).toHaveLength(6)
    expect(await showPermanent(caller(account), code.kid)).toMatchObject({ use_count: 4 })
    expect(await miscounted(deps)).toEqual([])
  })

  it('counts exactly the devices that came before it was revoked, when both happen at once', async () => {
    const account = await addAccount(deps)
    for (let round = 0; round < 5; round += 1) {
      const code = await create(account)
      const crowd = Array.from({ length: 6 }, () => device())
      for (const d of crowd) await announced(deps, d)
      const [revoked, ...results] = await Promise.all([
        revokePermanent(caller(account), code.kid),
        ...crowd.map((d) => refusalOf(enrol(d, code.token))),
      ])
      const refused = results.filter((result) => result === 'qrcode_invalid').length
      const { use_count } = await stored(code.kid)
      const came = await deps.db.selectFrom('terminal').select('kid').where('qrcode_kid', '=', code.kid).execute()
      expect([use_count, came.length, revoked.use_count]).toEqual([6 - refused, 6 - refused, use_count])
    }
  })

  it('is another than a one-time code, and is not renewed or asked about as one', async () => {
    const account = await addAccount(deps)
    const code = await create(account)
    const viewer = caller(account)
    const asOneTime = enrolment.createQrcode(viewer, { terminal_group_kid: 'NO_GROUP', qrcode_kid: code.kid })
    expect(await refusalOf(asOneTime)).toBe('not_found')
    expect(await refusalOf(enrolment.scanResult(viewer, code.kid))).toBe('not_found')
    const once = await enrolment.createQrcode(viewer, { terminal_group_kid: 'NO_GROUP' })
    expect(await refusalOf(showPermanent(viewer, once.qrcode_kid))).toBe('not_found')
    expect(await refusalOf(revokePermanent(viewer, once.qrcode_kid))).toBe('not_found')
    expect((await pagingPermanent(viewer, all)).items.map(({ kid }) => kid)).toEqual([code.kid])
  })

  it('belongs to its account, and to those who reach its group', async () => {
    const account = await addAccount(deps)
    const [north, south] = [await group(account, 'North'), await group(account, 'South')]
    const code = await create(account, { terminal_group_kid: north })
    const anywhere = await create(account)
    const stranger = caller(await addAccount(deps))
    const southern = caller(account, [south])
    for (const who of [stranger, southern])
      for (const kid of [code.kid, anywhere.kid]) {
        expect(await refusalOf(showPermanent(who, kid))).toBe('not_found')
        expect(await refusalOf(revokePermanent(who, kid))).toBe('not_found')
        expect((await pagingPermanent(who, all)).items).toEqual([])
      }
    const northern = caller(account, [north])
    expect((await pagingPermanent(northern, all)).items.map(({ kid }) => kid)).toEqual([code.kid])
    expect(await refusalOf(createPermanent(northern, { terminal_group_kid: 'NO_GROUP' }))).toBe('group_unknown')
    expect(await refusalOf(createPermanent(northern, { terminal_group_kid: south }))).toBe('group_unknown')
    expect(await refusalOf(createPermanent(stranger, { terminal_group_kid: north }))).toBe('group_unknown')
    expect(await showPermanent(northern, code.kid)).toMatchObject({ token_url: code.token_url })
  })

  it('goes to the group above when its own is deleted, as the devices do', async () => {
    const account = await addAccount(deps)
    const above = await group(account, 'Above')
    const below = await group(account, 'Below', above)
    const code = await create(account, { terminal_group_kid: below })
    await removeGroup(caller(account), below)
    const { made } = await arrive(code.token)
    if (made.state !== 'registered') throw new Error('not registered')
    const row = await deps.db.selectFrom('terminal').selectAll().where('kid', '=', made.kid).executeTakeFirstOrThrow()
    expect(row.terminal_group_kid).toBe(above)
  })

  it('names the address that was typed, or the public one of the day it is shown', async () => {
    const account = await addAccount(deps)
    const typed = await create(account, { host: 'http://mdm.example:10101' })
    expect(typed).toMatchObject({ host: 'http://mdm.example:10101' })
    expect(typed.token_url).toMatch(/^http:\/\/mdm\.example:10101\/enrol\?qr=[0-9a-f]{64}$/)
    const open = await create(account)
    const moved = {
      ...caller(account),
      deps: { ...deps, config: { ...deps.config, public_url: 'https://new.example' } },
    }
    expect((await showPermanent(moved, open.kid)).token_url).toBe(`https://new.example/enrol?qr=${open.token}`)
    for (const host of ['a b', 'javascript:alert(1)', 'http://u:p@h'])
      expect(await refusalOf(createPermanent(caller(account), { terminal_group_kid: 'NO_GROUP', host }))).toBe(
        'bad_input',
      )
  })
})
