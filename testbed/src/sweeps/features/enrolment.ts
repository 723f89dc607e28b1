import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { contract } from '@mdm/contract'
import { newKid } from '@mdm/server/lib/ids.ts'
import { createAccount } from '@mdm/server/modules/people/account/index.ts'
import { guesses_of_customer } from '@mdm/server/modules/fleet/enrolment/registration/guesses.ts'
import { realApk, zip } from '@mdm/server/testing/apk.ts'
import type { Caller } from '../../caller.ts'
import { createUpload, uploadFile } from '../../upload.ts'
import type { Feature } from '../feature.ts'
import { by, refusalsOf, unknownKid } from '../refusals.ts'
import type { Refusals } from '../refusals.ts'
import { crowdedZip, lostUpload } from '../shared/uploads.ts'
import { announce } from '../stage.ts'
import type { Stage } from '../stage.ts'

declare module '../feature.ts' {
  interface Things {
    /** A device that waits to be registered. */
    announced: { sn: string; registration_code: string }
    qrcode_kid: string
    permanent_kid: string
    waiting_kid: string
    apk_kid: string
  }
}

const terminal = contract.terminal.calls
const calls = contract.terminalQrcode.calls
const agent = { component_name: 'com.example.agent/.Admin' }
const elsewhere = { ...agent, download_url: 'https://cdn.example/agent.apk', signature_checksum: 'A'.repeat(43) }
const uploaded = (who: Caller, content: Buffer) => uploadFile(who, 'agent.apk', content)
const long = 'x'.repeat(37)

/** How devices are registered, one by one: by hand and by QR codes. */
export const enrolment: Feature = {
  async make({ w, call, device }) {
    const { qrcode_kid } = await call.terminal.qrcode_registered_cache({})
    const gms = await call.terminalQrcode.qrcode_gms_registered({
      ...agent,
      upload_kid: await uploaded(call, await readFile(realApk)),
    })
    const announced = await announce(w.url, `WAITING-${device.sn}`)
    const waiting_kid = await ask(w.url, call, `ASKING-${device.sn}`)
    return { announced, waiting_kid, qrcode_kid, permanent_kid: gms.qrcode_kid, apk_kid: gms.apk!.kid }
  },
  inputs: (t) => ({
    'terminal/manual_registered': { ...t.announced, terminal_group_kid: t.group_kid },
    'terminal/qrcode_registered_cache': { terminal_group_kid: t.group_kid },
    'terminal/get_scan_result': { qrcode_kid: t.qrcode_kid },
    'terminal/qrcode_forever_registered': { terminal_group_kid: t.group_kid },
    'terminal/qrcode_gms_registered': {
      component_name: 'com.example.agent/.Admin',
      apk_kid: t.apk_kid,
      qrcode_kid: t.permanent_kid,
      wifi: { ssid: 'Sweep', password: 'swept-clean' },
      admin_extras: { site: 'sweep' },
    },
    'terminal_qrcode/paging': { terminal_group_kid: t.group_kid },
    'terminal_qrcode/get': { kid: t.permanent_kid },
    'terminal_qrcode/revoke': { kid: t.permanent_kid },
    'terminal/paging_waiting': {},
    'terminal/accept_waiting': { kid: t.waiting_kid },
    'terminal/reject_waiting': { kid: t.waiting_kid },
    'terminal_qrcode/list_apk': {},
    'terminal_qrcode/delete_apk': { kid: t.apk_kid },
  }),
  refusals: (s) => ({ ...registration(s), ...approval(s), ...codes(s) }),
  tables: ['qrcode'],
  not_found: ['qrcode_invalid'],
}

/** A device asks to be let in by a code that needs approval; its request. */
export async function ask(url: string, call: Caller, sn: string): Promise<string> {
  const claim = createHash('sha256').update(sn).digest('hex')
  await announce(url, sn, claim)
  const { token_url } = await call.terminalQrcode.qrcode_forever_registered({ needs_approval: true })
  await fetch(`${url}/device/enrol`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ sn, claim, qrcode: new URL(token_url).searchParams.get('qr') }),
  })
  const { items } = await call.terminalQrcode.paging_waiting({ page_size: 100 })
  return items.find((row) => row.sn === sn)!.kid
}

function approval(s: Stage): Refusals {
  const { w, root, deps } = s
  const asked = async (sn: string, who = root) => ({ kid: await ask(w.url, who, sn) })
  return refusalsOf(calls.accept_waiting, root, {
    device_already_registered: async () => {
      const input = await asked('TAKEN-MEANWHILE')
      const { account_kid } = w.seed.customers[1]!
      const hash = Buffer.from('another')
      const row = {
        kid: newKid(),
        account_kid,
        sn: 'TAKEN-MEANWHILE',
        claim_hash: hash,
        registered_at: deps.clock.now(),
      }
      await deps.db
        .insertInto('terminal')
        .values(row as never)
        .execute()
      return input
    },
    device_scrapped: async () => {
      const input = await asked('SCRAPPED-MEANWHILE')
      const row = { sn: 'SCRAPPED-MEANWHILE', account_kid: s.customer_kid, scrapped_at: deps.clock.now() }
      await deps.db.insertInto('scrapped_sn').values(row).execute()
      return input
    },
    account_device_limit: async () => {
      const who = await fullAccount(s)
      return by(who, await asked('NO-PLACE-TO-BE-LET-IN', who))
    },
    registered_devices_exceed_limit: async () => {
      const who = await fullFamily(s)
      return by(who, await asked('NO-PLACE-ABOVE-TO-BE-LET-IN', who))
    },
  })
}

function registration(s: Stage): Refusals {
  const { w, root } = s
  return {
    ...refusalsOf(terminal.manual_registered, root, {
      sn_too_long: () => ({ sn: long, registration_code: 'AAAAAA' }),
      alias_too_long: () => ({ sn: 'A', registration_code: 'A', name: long }),
      alias_has_percent: () => ({ sn: 'A', registration_code: 'A', name: '5%' }),
      device_unknown: () => ({ sn: 'NEVER-SEEN', registration_code: 'AAAAAA' }),
      device_already_registered: () => ({ sn: w.devices[0]!.sn, registration_code: 'AAAAAA' }),
      registration_code_mismatch: async () => ({ ...(await announce(w.url, 'MISMATCH')), registration_code: '!' }),
      too_many_wrong_codes: async () => {
        const guess = { ...(await announce(w.url, 'GUESSED')), registration_code: '!' }
        for (let n = 0; n < guesses_of_customer.limit; n++) await root.try_(terminal.manual_registered, guess)
        return guess
      },
      account_device_limit: async () => by(await fullAccount(s), await announce(w.url, 'NO-PLACE')),
      registered_devices_exceed_limit: async () => by(await fullFamily(s), await announce(w.url, 'NO-PLACE-ABOVE')),
      group_unknown: async () => ({ ...(await announce(w.url, 'GROUPLESS')), terminal_group_kid: unknownKid }),
      device_scrapped: async () => {
        const scrapped = { sn: 'SCRAPPED', account_kid: s.customer_kid, scrapped_at: s.deps.clock.now() }
        await s.deps.db.insertInto('scrapped_sn').values(scrapped).execute()
        return { sn: 'SCRAPPED', registration_code: 'AAAAAA' }
      },
    }),
    ...refusalsOf(terminal.qrcode_registered_cache, root, {
      group_unknown: () => ({ terminal_group_kid: unknownKid }),
      account_device_limit: async () => by(await fullAccount(s), {}),
    }),
  }
}

/** A customer without a place left. */
async function fullAccount({ w, deps }: Stage): Promise<Caller> {
  const { account_kid } = w.seed.customers[2]!
  await deps.db.updateTable('account').set({ terminal_max: 0 }).where('kid', '=', account_kid).execute()
  return w.customers[2]!
}

/** A sub-account with room of its own under a root without any. */
async function fullFamily(s: Stage): Promise<Caller> {
  const { db } = s.deps
  const name = s.unique('Full')
  const parent = await createAccount(db, { type: 1, name, terminal_max: 0, sub_accounts_allowed: true })
  const child = await createAccount(db, { type: 2, parent_kid: parent.kid, name: `${name} child`, terminal_max: 5 })
  return (await s.user(child.kid, 2, [await s.role(child.kid, 100, ['*'])])).call
}

/** Permanent codes, and those of Android Enterprise. */
function codes(s: Stage): Refusals {
  const { root } = s
  const revoked = async () => {
    const { kid } = await root.terminalQrcode.qrcode_forever_registered({})
    await root.terminalQrcode.revoke({ kid })
    return kid
  }
  return {
    ...refusalsOf(calls.qrcode_forever_registered, root, { group_unknown: () => ({ terminal_group_kid: unknownKid }) }),
    ...refusalsOf(calls.get, root, { qrcode_invalid: async () => ({ kid: await revoked() }) }),
    ...refusalsOf(calls.revoke, root, { qrcode_invalid: async () => ({ kid: await revoked() }) }),
    ...refusalsOf(calls.qrcode_gms_registered, root, {
      group_unknown: () => ({ ...elsewhere, terminal_group_kid: unknownKid }),
      qrcode_invalid: async () => ({ ...elsewhere, qrcode_kid: await revoked() }),
      qrcode_too_large: () => ({
        ...elsewhere,
        admin_extras: Object.fromEntries(['a', 'b', 'c'].map((name) => [name, 'x'.repeat(1_000)])),
      }),
      upload_not_finished: async () => ({ ...agent, upload_kid: await createUpload(root, 'agent.apk', 1_000) }),
      file_transfer_failed: async () => ({ ...agent, upload_kid: await lostUpload(s, 'agent.apk') }),
      storage_exceeded: async () => {
        const who = s.w.customers[1]!
        const { account_kid } = s.w.seed.customers[1]!
        await s.deps.db
          .updateTable('disk_space')
          .set({ max_bytes: 10 })
          .where('account_kid', '=', account_kid)
          .where('area', '=', 'app_center')
          .execute()
        return by(who, { ...agent, upload_kid: await uploaded(who, await readFile(realApk)) })
      },
      apk_invalid: async () => ({ ...agent, upload_kid: await uploaded(root, Buffer.from('no archive at all')) }),
      apk_unsigned: async () => ({ ...agent, upload_kid: await uploaded(root, zip({})) }),
      apk_beyond_limits: async () => ({ ...agent, upload_kid: await uploaded(root, crowdedZip()) }),
    }),
  }
}
