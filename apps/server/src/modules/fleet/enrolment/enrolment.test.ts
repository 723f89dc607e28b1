import { createHash } from 'node:crypto'
import { constants, errors } from '@mdm/contract'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { digest, newKid } from '../../../lib/ids.ts'
import { authenticateDevice } from '../../../link/credentials.ts'
import { testActor } from '../../../testing/actor.ts'
import type { TestDeps } from '../../../testing/deps.ts'
import { insert as insertGroup } from '../terminal-group/index.ts'
import {
  addAccount,
  announced,
  lockingDatabases,
  device,
  miscounted,
  openDeps,
  refusalOf,
} from '../../../testing/devices.ts'
import type { Device } from '../../../testing/devices.ts'
import { mqttUrls } from '../../../addresses.ts'
import * as enrolment from './index.ts'

const minute = 60_000

describe.each(lockingDatabases)('enrolment on %s', (kind) => {
  let deps: TestDeps
  beforeAll(async () => {
    deps = await openDeps(kind)
  })
  afterAll(() => deps?.close())

  const register = (
    account_kid: string,
    sn: string,
    registration_code: string,
    more: { name?: string; terminal_group_kid?: string; visible_groups?: string[] } = {},
  ) => {
    const { visible_groups, ...given } = more
    return enrolment.registerByCode(testActor(deps, account_kid, visible_groups), {
      sn,
      registration_code,
      terminal_group_kid: 'NO_GROUP',
      ...given,
    })
  }
  const announcedAndRegistered = async (account: string, d: Device = device()) => ({
    ...d,
    kid: await register(account, d.sn, (await announced(deps, d)).registration_code),
  })
  const group = async (account_kid: string, name: string) =>
    (await insertGroup(testActor(deps, account_kid), { name, parent_kid: 'ROOT' })).kid
  const enrol = ({ sn, claim }: Device, qrcode?: string) =>
    enrolment.enrol(deps, { sn, claim, ...(qrcode === undefined ? {} : { qrcode }) })
  const qrcode = async (
    account_kid: string,
    more: { qrcode_kid?: string; terminal_group_kid?: string; host?: string } = {},
  ) => {
    const code = await enrolment.createQrcode(testActor(deps, account_kid), { terminal_group_kid: 'NO_GROUP', ...more })
    return { ...code, token: new URL(code.content).searchParams.get('qr')! }
  }
  const scan = (account_kid: string, kid: string) => enrolment.scanResult(testActor(deps, account_kid), kid)

  describe('a secret', () => {
    it('is renewed in its place: what was copied is worth nothing, the code that is shown brings another', async () => {
      const account = await addAccount(deps)
      const { kid, ...d } = await announcedAndRegistered(account)
      const old = (await enrol(d)) as { secret: string }
      await deps.db
        .updateTable('terminal')
        .set({ first_connected_at: deps.clock.now(), name: 'Till 4' })
        .where('kid', '=', kid)
        .execute()
      const caller = testActor(deps, account)
      const stranger = await addAccount(deps)
      const theirs = testActor(deps, stranger)
      expect(await refusalOf(enrolment.renewSecret(theirs, kid))).toBe('not_found')
      await enrolment.renewSecret(caller, kid)
      expect(await authenticateDevice(deps, kid, old.secret)).toBeUndefined()
      expect(deps.kicked).toContainEqual({ terminal_kid: kid, reason: 'secret_renewed' })

      // The copy has the claim as well. It brings nothing.
      expect(await refusalOf(announced(deps, d))).toBe('device_already_registered')
      expect(await refusalOf(enrol(d))).toBe('device_unknown')
      const [itself, copy] = [
        { ...device(), sn: d.sn },
        { ...device(), sn: d.sn },
      ]
      await announced(deps, copy, '10.6.6.8')
      const { registration_code } = await announced(deps, itself)
      expect(await refusalOf(register(stranger, d.sn, registration_code))).toBe('device_already_registered')
      expect(await refusalOf(register(account, d.sn, 'AAAAAA'))).toBe('registration_code_mismatch')
      expect(await register(account, d.sn, registration_code)).toBe(kid)
      expect(await refusalOf(enrol(copy))).toBe('device_already_registered')
      const { secret } = (await enrol(itself)) as { secret: string }
      expect(await authenticateDevice(deps, kid, secret)).toBeDefined()
      expect(
        await deps.db.selectFrom('terminal').select(['name', 'renewal_asked_at']).where('kid', '=', kid).execute(),
      ).toEqual([{ name: 'Till 4', renewal_asked_at: null }])
      expect(await miscounted(deps)).toEqual([])
    })
  })

  describe('an announcement', () => {
    it('keeps its code as long as the same claim refreshes it', async () => {
      const d = device()
      const first = await announced(deps, d)
      expect(first.registration_code).toMatch(/^[A-HJKMNP-Z2-9]{6}$/)
      await deps.clock.advance(30 * minute)
      expect((await announced(deps, d, '10.9.9.9')).registration_code).toBe(first.registration_code)
    })

    it('waits beside others of the same SN: the code that the device shows decides which it is', async () => {
      const account = await addAccount(deps)
      const d = device()
      // Whoever is first has nothing of it.
      const squatters = Array.from({ length: 3 }, () => ({ ...device(), sn: d.sn }))
      const theirs = []
      for (const squatter of squatters) theirs.push((await announced(deps, squatter, '10.6.6.6')).registration_code)
      const { registration_code } = await announced(deps, d)
      expect(new Set([registration_code, ...theirs]).size).toBe(4)
      expect(await enrol(d)).toMatchObject({ state: 'waiting' })
      const kid = await register(account, d.sn, registration_code)
      expect(await enrol(d)).toMatchObject({ state: 'registered', kid })
      for (const squatter of squatters) expect(await refusalOf(enrol(squatter))).toBe('device_already_registered')
      expect(await deps.db.selectFrom('announcement').select('sn').where('sn', '=', d.sn).execute()).toEqual([])
    })

    it('of one address makes room for the next when too many are for one SN', async () => {
      const d = device()
      const { registration_code } = await announced(deps, d, '10.0.0.77')
      for (let n = 0; n < 110; n += 1) await announced(deps, { ...device(), sn: d.sn }, '10.6.6.7')
      const waiting = await deps.db.selectFrom('announcement').select('address').where('sn', '=', d.sn).execute()
      expect(waiting).toHaveLength(101)
      // The device itself, elsewhere, is still known by its code.
      expect(await register(await addAccount(deps), d.sn, registration_code)).toEqual(expect.any(String))
    })

    it('of a protocol that nobody speaks is refused: the agent is to be upgraded', async () => {
      const { sn, claim } = device()
      const said = {
        sn,
        claim_hash: createHash('sha256').update(claim).digest('hex'),
        model: 'M',
        os_name: 'L',
        os_version: '1',
        service_version: '9',
      }
      expect(await refusalOf(enrolment.announce(deps, '10.1.1.1', { ...said, protocol_version: 2 }))).toBe(
        'client_not_supported',
      )
      expect(errors.client_not_supported.result).toBe(46005)
      expect(await deps.db.selectFrom('announcement').select('sn').where('sn', '=', sn).execute()).toEqual([])
    })

    it('runs out after seven days and is then purged', async () => {
      const d = device()
      const account = await addAccount(deps)
      const { registration_code } = await announced(deps, d)
      await deps.clock.advance(7 * 24 * 60 * minute)
      expect(await refusalOf(enrol(d))).toBe('device_unknown')
      expect(await refusalOf(register(account, d.sn, registration_code))).toBe('device_unknown')
      expect((await enrolment.purgeExpired(deps)).announcements).toBeGreaterThan(0)
      expect(await deps.db.selectFrom('announcement').select('sn').where('sn', '=', d.sn).execute()).toEqual([])
    })

    /** So many of one address, heard of so long ago. */
    const crowd = (count: number, name: string, address: string, age_ms = 0) =>
      sql`
      INSERT INTO announcement (sn, claim_hash, registration_code, device, address, announced_at, expires_at)
      SELECT ${name}::text || n, sha256(n::text::bytea), 'AAAAAA', '{}', ${address}, at, at + interval '7 days'
      FROM generate_series(1, ${count}::int) n, (SELECT ${deps.clock.now()}::timestamptz - ${age_ms} * interval '1 ms' AS at) age`.execute(
        deps.db,
      )
    const waitingAt = async (address: string) =>
      (await deps.db.selectFrom('announcement').select('sn').where('address', '=', address).execute()).map(
        ({ sn }) => sn,
      )

    it('always has a place: of 2000 of its address the one that was not heard of for longest goes', async () => {
      await crowd(1_980, 'silent-', '10.7.7.7', 10 * minute)
      const [neighbour, elsewhere] = [device(), device()]
      await announced(deps, elsewhere, '10.7.7.8')
      const { registration_code } = await announced(deps, neighbour, '10.7.7.7')
      await crowd(19, 'eldest-', '10.7.7.7', 60 * minute)
      for (let n = 0; n < 40; n += 1) await announced(deps, device(`flood-${n}`), '10.7.7.7')
      expect(await enrol(neighbour)).toMatchObject({ state: 'waiting' })
      const left = await waitingAt('10.7.7.7')
      expect(left).toHaveLength(2_000)
      expect(left.filter((sn) => sn.startsWith('eldest-'))).toEqual([])
      expect(left.filter((sn) => sn.startsWith('silent-'))).toHaveLength(1_980 - 21)
      expect(await waitingAt('10.7.7.8')).toEqual([elsewhere.sn])
      expect((await announced(deps, neighbour, '10.7.7.7')).registration_code).toBe(registration_code)
    })

    it('has a place also where a stranger keeps 2000 of its address awake; none of them knows which goes', async () => {
      await crowd(2_000, 'awake-', '10.7.7.9')
      const neighbour = device()
      const { registration_code } = await announced(deps, neighbour, '10.7.7.9')
      expect(registration_code).toMatch(/^[A-HJKMNP-Z2-9]{6}$/)
      for (let n = 0; n < 40; n += 1) await announced(deps, device(), '10.7.7.9')
      const left = new Set(await waitingAt('10.7.7.9'))
      expect(left.size).toBe(2_000)
      const gone = Array.from({ length: 2_000 }, (_, n) => n + 1).filter((n) => !left.has(`awake-${n}`))
      expect(gone.length).toBeGreaterThan(30)
      expect(Math.max(...gone) - Math.min(...gone)).toBeGreaterThan(gone.length * 2)
      // Who was pushed out is told so at its next question and comes again.
      await deps.db.deleteFrom('announcement').where('sn', '=', neighbour.sn).execute()
      expect(await refusalOf(enrol(neighbour))).toBe('device_unknown')
      await announced(deps, neighbour, '10.7.7.9')
      expect(await enrol(neighbour)).toMatchObject({ state: 'waiting' })
    })

    it('counts with all of its /64 as one address', async () => {
      await crowd(2_000, 'v6-', '2001:db8:7:7::/64')
      await announced(deps, device(), '2001:db8:7:7::1')
      await announced(deps, device(), '2001:db8:7:7:ffff::1')
      expect(await waitingAt('2001:db8:7:7::/64')).toHaveLength(2_000)
    })

    it('is one of at most 100,000 in all: those that were not heard of for longest go', async () => {
      const d = device()
      await crowd(100_000, 'net-', '10.8.8.8', 1000)
      await announced(deps, d, '10.8.8.9')
      await enrolment.purgeExpired(deps)
      const { count } = await deps.db
        .selectFrom('announcement')
        .select((eb) => eb.fn.countAll<string>().as('count'))
        .executeTakeFirstOrThrow()
      expect(Number(count)).toBeLessThanOrEqual(100_000)
      expect(await enrol(d)).toMatchObject({ state: 'waiting' })
      await deps.db.deleteFrom('announcement').where('address', '=', '10.8.8.8').execute()
    })
  })

  describe('registration by code', () => {
    it('refuses in the order of the rules and leaves nothing behind', async () => {
      const account = await addAccount(deps, 1)
      const d = device()
      const { registration_code: code } = await announced(deps, d)
      const long = 'x'.repeat(37)
      expect(await refusalOf(register(account, long, code, { name: '%' }))).toBe('sn_too_long')
      expect(await refusalOf(register(account, 'nobody', code, { name: `${long}%` }))).toBe('alias_too_long')
      expect(await refusalOf(register(account, 'nobody', code, { name: '50%' }))).toBe('alias_has_percent')
      expect(await refusalOf(register(account, 'nobody', code))).toBe('device_unknown')
      expect(await refusalOf(register(account, d.sn, 'AAAAA1', { terminal_group_kid: newKid() }))).toBe(
        'registration_code_mismatch',
      )
      expect(await refusalOf(register(account, d.sn, code, { terminal_group_kid: newKid() }))).toBe('group_unknown')
      const foreign = await group(await addAccount(deps), 'foreign')
      expect(await refusalOf(register(account, d.sn, code, { terminal_group_kid: foreign }))).toBe('group_unknown')
      const own = await group(account, 'own')
      expect(await refusalOf(register(account, d.sn, code, { terminal_group_kid: own, visible_groups: [] }))).toBe(
        'group_unknown',
      )
      expect(await refusalOf(register(account, d.sn, code, { visible_groups: [own] }))).toBe('group_unknown')
      expect(await miscounted(deps)).toEqual([])

      const spaced = ` ${code.slice(0, 3).toLowerCase()}-${code.slice(3).toLowerCase()}`
      const kid = await register(account, d.sn, spaced, {
        name: 'x'.repeat(36),
        terminal_group_kid: own,
        visible_groups: [own],
      })
      const row = await deps.db.selectFrom('terminal').selectAll().where('kid', '=', kid).executeTakeFirstOrThrow()
      expect(row).toMatchObject({
        account_kid: account,
        sn: d.sn,
        model: 'M1',
        imei: '350000000000001',
        registration_code: code,
        qrcode_kid: null,
        terminal_group_kid: own,
        secret_hash: null,
      })
      const state = await deps.db
        .selectFrom('terminal_state')
        .select('account_kid')
        .where('terminal_kid', '=', kid)
        .execute()
      expect(state).toEqual([{ account_kid: account }])
      expect(deps.events.slice(-2)).toEqual([
        { account_kid: account, event: { type: 'terminal_registered', kid, qrcode_kid: null } },
        { account_kid: account, event: { type: 'terminal_list_changed' } },
      ])
      expect(await refusalOf(register(account, d.sn, code))).toBe('device_already_registered')
      expect(await refusalOf(register(await addAccount(deps), d.sn, code))).toBe('device_already_registered')
      const second = device()
      const again = await announced(deps, second)
      expect(await refusalOf(register(account, second.sn, again.registration_code))).toBe('account_device_limit')
      await deps.db
        .insertInto('scrapped_sn')
        .values({ sn: second.sn, account_kid: account, scrapped_at: deps.clock.now() })
        .execute()
      expect(await refusalOf(register(account, second.sn, again.registration_code))).toBe('device_scrapped')
      expect(await miscounted(deps)).toEqual([])
    })

    it('gives the last slots of a family of accounts to as many of 20 as there are, each its own', async () => {
      const root = await addAccount(deps, 7)
      const below = await addAccount(deps, 3, root)
      const free = await addAccount(deps, constants.unlimited_devices, root)
      const devices = await Promise.all(
        Array.from({ length: 20 }, async (_, n) => {
          const d = device()
          return { d, code: (await announced(deps, d)).registration_code, account: [root, below, free][n % 3]! }
        }),
      )
      const results = await Promise.all(
        devices.map(({ d, code, account }) =>
          refusalOf(register(account, d.sn, code)).then((result) => ({ account, result })),
        ),
      )
      const made = (account: string) =>
        results.filter((r) => r.account === account && typeof r.result !== 'string').length
      expect([made(below), made(root) + made(free)]).toEqual([3, 4])
      const refusals = {
        [root]: 'account_device_limit',
        [below]: 'account_device_limit',
        [free]: 'registered_devices_exceed_limit',
      }
      for (const { account, result } of results) if (typeof result === 'string') expect(result).toBe(refusals[account])
      expect(await miscounted(deps)).toEqual([])
    })

    it('lets one of two tenants win a device', async () => {
      const accounts = [await addAccount(deps), await addAccount(deps)]
      for (let round = 0; round < 5; round += 1) {
        const d = device()
        const { registration_code } = await announced(deps, d)
        const results = await Promise.all(
          accounts.map((account) => refusalOf(register(account, d.sn, registration_code))),
        )
        expect(results.filter((r) => r === 'device_already_registered')).toHaveLength(1)
      }
    })
  })

  describe('the secret', () => {
    it('is given again until the device has connected, each replacing the last', async () => {
      const account = await addAccount(deps)
      const d = await announcedAndRegistered(account)
      const hash = async () =>
        (await deps.db.selectFrom('terminal').select('secret_hash').where('kid', '=', d.kid).executeTakeFirstOrThrow())
          .secret_hash
      const first = await enrol(d)
      const second = await enrol(d)
      if (first.state !== 'registered' || second.state !== 'registered') throw new Error('not registered')
      expect(first.kid).toBe(d.kid)
      expect(first.secret).not.toBe(second.secret)
      expect(await hash()).toEqual(digest(second.secret))
      expect(first.time).toBe(deps.clock.now().toISOString())
      expect(await refusalOf(enrol({ ...device(), sn: d.sn }))).toBe('device_already_registered')
      expect(await refusalOf(announced(deps, { ...device(), sn: d.sn }))).toBe('device_already_registered')
      expect(await refusalOf(announced(deps, d))).toHaveProperty('not_refused')
      await deps.db
        .updateTable('terminal')
        .set({ first_connected_at: deps.clock.now() })
        .where('kid', '=', d.kid)
        .execute()
      expect(await refusalOf(enrol(d))).toBe('device_already_registered')
      expect(await hash()).toEqual(digest(second.secret))
    })

    it('comes with addresses on the host that the device used, unless others are set', () => {
      const config = { ...deps.config, http: { port: 8081, host: '::' }, mqtt: { ...deps.config.mqtt, port: 1883 } }
      const urls = (more: Partial<typeof config>, host?: string) =>
        mqttUrls({ ...deps, config: { ...config, ...more } }, host)
      expect(urls({}, '10.0.0.5:8081')).toEqual(['mqtt://10.0.0.5:1883', 'ws://10.0.0.5:8081/mqtt'])
      expect(urls({}, '[fd00::1]:8081')).toEqual(['mqtt://[fd00::1]:1883', 'ws://[fd00::1]:8081/mqtt'])
      expect(urls({}, 'no host at all')).toEqual(['mqtt://localhost:1883', 'ws://localhost:8081/mqtt'])
      expect(urls({ public_url: 'https://mdm.example/base' }, 'other')).toEqual(['wss://mdm.example/base/mqtt'])
      // Behind a proxy that ends TLS.
      expect(urls({}, 'https://mdm.example')).toEqual(['wss://mdm.example/mqtt'])
      for (const public_url of ['mqtt://lan.example:1883', 'mqtts://m.example:8883'])
        expect(urls({ public_url: 'https://mdm.example', mqtt: { ...config.mqtt, public_url } })).toEqual([
          public_url,
          'wss://mdm.example/mqtt',
        ])
      expect(urls({ mqtt: { ...config.mqtt, public_url: 'mqtts://m.example:8883' } }, 'h')).toEqual([
        'mqtts://m.example:8883',
        'ws://h/mqtt',
      ])
      expect(urls({ mqtt: { ...config.mqtt, url: 'mqtt://server:secret@emqx:1883' } })).toEqual(['mqtt://emqx:1883'])
    })
  })

  describe('a QR code', () => {
    it('registers one device into its account and group', async () => {
      const account = await addAccount(deps)
      const terminal_group_kid = await group(account, 'scanned')
      const code = await qrcode(account, { terminal_group_kid })
      expect(code.expires_at.getTime() - deps.clock.now().getTime()).toBe(10 * minute)
      expect(await scan(account, code.qrcode_kid)).toEqual({ state: 'waiting', terminal_kid: null, sn: null })
      const d = device()
      expect(await refusalOf(enrol(d, code.token))).toBe('device_unknown')
      await announced(deps, d)
      const made = await enrol(d, code.token)
      if (made.state !== 'registered') throw new Error('not registered')
      const row = await deps.db.selectFrom('terminal').selectAll().where('kid', '=', made.kid).executeTakeFirstOrThrow()
      expect(row).toMatchObject({
        account_kid: account,
        terminal_group_kid,
        qrcode_kid: code.qrcode_kid,
        secret_hash: digest(made.secret),
      })
      expect(await scan(account, code.qrcode_kid)).toEqual({ state: 'registered', terminal_kid: made.kid, sn: d.sn })
      expect(deps.events.at(-2)).toEqual({
        account_kid: account,
        event: { type: 'terminal_registered', kid: made.kid, qrcode_kid: code.qrcode_kid },
      })
      // The reply was lost: the same device asks again, with the used code.
      expect(await enrol(d, code.token)).toMatchObject({ state: 'registered', kid: made.kid })
      const next = device()
      await announced(deps, next)
      expect(await refusalOf(enrol(next, code.token))).toBe('qrcode_invalid')
    })

    it('goes to one of two devices that use it at once', async () => {
      const account = await addAccount(deps)
      for (let round = 0; round < 5; round += 1) {
        const { token } = await qrcode(account)
        const pair = [device(), device()]
        for (const d of pair) await announced(deps, d)
        const results = await Promise.all(pair.map((d) => refusalOf(enrol(d, token))))
        expect(results.filter((r) => r === 'qrcode_invalid')).toHaveLength(1)
      }
      expect(await miscounted(deps)).toEqual([])
    })

    it('is refused when it ran out, was renewed, or is none, and survives a full account', async () => {
      const account = await addAccount(deps, 1)
      const d = device()
      await announced(deps, d)
      const old = await qrcode(account)
      const code = await qrcode(account, { qrcode_kid: old.qrcode_kid })
      expect(code.qrcode_kid).toBe(old.qrcode_kid)
      for (const token of [old.token, 'x', '']) expect(await refusalOf(enrol(d, token))).toBe('qrcode_invalid')
      const { kid } = await announcedAndRegistered(account)
      expect(await refusalOf(enrol(d, code.token))).toBe('account_device_limit')
      expect(await refusalOf(qrcode(account))).toBe('account_device_limit')
      await deps.db.deleteFrom('terminal').where('kid', '=', kid).execute()
      expect(await enrol(d, code.token)).toMatchObject({ state: 'registered' })

      const roomy = await addAccount(deps)
      const late = await qrcode(roomy)
      await deps.clock.advance(10 * minute)
      const other = device()
      await announced(deps, other)
      expect(await refusalOf(enrol(other, late.token))).toBe('qrcode_invalid')
      expect(await scan(roomy, late.qrcode_kid)).toMatchObject({ state: 'expired' })
      await deps.clock.advance(24 * 60 * minute)
      expect((await enrolment.purgeExpired(deps)).qrcodes).toBeGreaterThan(0)
      expect(await refusalOf(scan(roomy, late.qrcode_kid))).toBe('not_found')
    })

    it('is refused for an account that ended, for a scrapped SN, and in a foreign account', async () => {
      const account = await addAccount(deps)
      const other = await addAccount(deps)
      const code = await qrcode(account)
      const d = device()
      await announced(deps, d)
      expect(await refusalOf(scan(other, code.qrcode_kid))).toBe('not_found')
      expect(await refusalOf(qrcode(other, { qrcode_kid: code.qrcode_kid }))).toBe('not_found')
      expect(await refusalOf(qrcode(other, { terminal_group_kid: await group(account, 'g') }))).toBe('group_unknown')
      const expire = (expire_time: Date | null) =>
        deps.db.updateTable('account').set({ expire_time }).where('kid', '=', account).execute()
      await expire(deps.clock.now())
      expect(await refusalOf(enrol(d, code.token))).toBe('account_unavailable')
      await expire(null)
      await deps.db
        .insertInto('scrapped_sn')
        .values({ sn: d.sn, account_kid: account, scrapped_at: deps.clock.now() })
        .execute()
      expect(await refusalOf(enrol(d, code.token))).toBe('device_scrapped')
    })

    it('names the host that was asked for, and no other kind of address', async () => {
      const account = await addAccount(deps)
      expect((await qrcode(account, { host: 'http://mdm.example:10101' })).content).toMatch(
        /^http:\/\/mdm\.example:10101\/enrol\?qr=[0-9a-f]{64}$/,
      )
      expect((await qrcode(account, { host: 'https://mdm.example:10102/base/' })).content).toMatch(
        /^https:\/\/mdm\.example:10102\/base\/enrol\?qr=/,
      )
      for (const host of ['a b', 'javascript:alert(1)', 'http://u:p@h', 'h?x=1'])
        expect(await refusalOf(qrcode(account, { host }))).toBe('bad_input')
    })
  })
})
