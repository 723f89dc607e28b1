import { generateKeyPairSync } from 'node:crypto'
import { contract, osLimits } from '@mdm/contract'
import { newKid } from '@mdm/server/lib/ids.ts'
import { zipOf } from '@mdm/server/testing/zip.ts'
import { until } from '../../until.ts'
import { createUpload, uploadFile } from '../../upload.ts'
import type { Feature } from '../feature.ts'
import { refusalsOf, unknownKid } from '../refusals.ts'
import type { Refusals } from '../refusals.ts'
import { addParts } from '../shared/information.ts'
import { lostUpload } from '../shared/uploads.ts'
import type { Stage } from '../stage.ts'

const calls = contract.opsOsVersion.calls

/** OS versions are the provider's alone: any kid does. Customers see those that they may push. */
export const osVersion: Feature = {
  inputs: (t) => {
    const of = { kid: t.log_kid }
    const draft = { uid_kid: t.log_kid, os_version: '9.00.1', version_code: 1, ver: 1 }
    return {
      'ops/os_version/paging': {},
      'ops/os_version/get': of,
      'ops/os_version/list_from': of,
      'ops/os_version/insert': draft,
      'ops/os_version/update': { ...of, description: 'Sweep' },
      'ops/os_version/delete': of,
      'ops/os_version/insert_package': { os_version_kid: t.log_kid, upload_kid: t.log_kid },
      'ops/os_version/make_differences': { os_version_kid: t.log_kid, from_kids: [t.log_kid] },
      'ops/os_version/retry_package': of,
      'ops/os_version/delete_package': of,
      'ops/os_version/download_package': of,
      'ops/os_version/save_audience': { ...of, mode: 'launched', is_for_all: true, accounts: [] },
      'ops/os_version/discard_step': { ...of, step: 'upload' },
      'ops/os_version/to_sign': of,
      'ops/os_version/release': of,
      'ops/os_version/offer_packages': of,
      'ops/os_version/pushing': of,
      'ops/os_version/take_offline': { ...of, cancels_tasks: false },
      'ops/os_version/list_history': of,
      'ops/os_version/running': of,
      'ops/os_version/list_account': {},
      'ops/os_version/list_group': { account_kid: t.log_kid },
      'ops/os_version/list_key': {},
      'ops/os_version/key_statement': { public_key: 'x'.repeat(60) },
      'ops/os_version/register_key': { public_key: 'x'.repeat(60) },
      'ops/os_version/rotate_key': { is_old_revoked: false },
      'os_version/list': {},
      'os_version/fleet': {},
      'os_version/paging_behind': {},
    }
  },
  refusals,
  tables: ['os_version_account', 'os_version_day'],
  not_found: ['os_uid_unknown', 'os_not_available'],
}

type Signed = typeof calls.release | typeof calls.offer_packages | typeof calls.register_key

/** A UID, and what versions of it are made with. */
export async function osStage(s: Stage) {
  const { operator, deps } = s
  const versions = operator.opsOsVersion
  const uid = await s.once('a UID of OS versions', async () =>
    operator.opsUid.insert({
      type: 'standard',
      ...(await addParts(operator, 1)),
      reserve_code: 'OS',
      display_name: 'OS versions',
    }),
  )
  const name = `sweep_${uid.code}_full.zip`
  const draft = (more: object = {}) => {
    const ver = Number(s.unique('1').replace(' ', ''))
    return { uid_kid: uid.kid, os_version: `9.00.${ver}`, version_code: ver, ver, ...more }
  }
  const version = async (more: object = {}) => (await versions.insert(draft(more))).kid
  const upload = async (content: Buffer | Promise<Buffer> = zipOf([['DOWNLOAD/a', 'a']])) =>
    uploadFile(operator, name, await content)
  const settled = (kid: string) =>
    until('the package to be checked', async () => {
      const { packages } = await versions.get({ kid })
      return packages.every(({ state }) => state === 'ready' || state === 'failed') ? packages : undefined
    })
  /** Of which a process finds what it is. */
  const withUpload = async (content?: Buffer) => {
    const kid = await version()
    const { kid: package_kid } = await versions.insert_package({
      os_version_kid: kid,
      upload_kid: await upload(content),
    })
    await settled(kid)
    return { kid, package_kid }
  }
  /** Sound, in rows: a copy of one that a process has looked at once for all of them, without the bytes. */
  const withPackage = async () => {
    const {
      from_build: _,
      fault: __,
      ...sound
    } = await s.once('a sound package of an OS version', async () => {
      const { package_kid } = await withUpload()
      return deps.db.selectFrom('os_package').selectAll().where('kid', '=', package_kid).executeTakeFirstOrThrow()
    })
    const kid = await version()
    const package_kid = newKid()
    await deps.db
      .insertInto('os_package')
      .values({ ...sound, kid: package_kid, os_version_kid: kid, object: newKid() })
      .execute()
    return { kid, package_kid }
  }
  const forAll = { mode: 'launched' as const, is_for_all: true, accounts: [] }
  const released = async () => {
    const made = await withPackage()
    await versions.save_audience({ kid: made.kid, ...forAll })
    await versions.release({ kid: made.kid })
    return made
  }
  /** Somebody else published it. */
  const others = async (kid: string) => {
    const { kid: created_by_kid } = await s.once('another publisher', async () => ({
      kid: (await deps.db.selectFrom('user_account').select('kid').where('type', '=', 1).executeTakeFirstOrThrow()).kid,
    }))
    await deps.db.updateTable('os_version').set({ created_by_kid }).where('kid', '=', kid).execute()
    return kid
  }
  return { uid, name, versions, draft, version, upload, settled, withUpload, withPackage, released, others, forAll }
}

/** A push of a version that is out to a device that is not there. */
export async function osPush(s: Stage): Promise<{ kid: string; push_task_kid: string }> {
  const { uid, released } = await osStage(s)
  const { kid } = await released()
  const terminal_kid = await s.absentDevice()
  const build = { uid: uid.code, os_version: '1.0.0', version_code: 1, ver: 1 }
  await s.deps.db.updateTable('terminal').set(build).where('kid', '=', terminal_kid).execute()
  const payload = { os_version_kid: kid }
  const { kid: push_task_kid } = await s.root.pushTask.insert({ type: 'os', payload, terminal_kids: [terminal_kid] })
  return { kid, push_task_kid }
}

/** The server does not hold the active key meanwhile. */
export async function withoutKey<T>({ deps }: Stage, run: () => Promise<T>): Promise<T> {
  const active = () => deps.db.updateTable('os_key').where('is_active', '=', true)
  const { private_key_sealed } = await deps.db
    .selectFrom('os_key')
    .select('private_key_sealed')
    .where('is_active', '=', true)
    .executeTakeFirstOrThrow()
  await active().set({ private_key_sealed: null }).execute()
  return run().finally(() => active().set({ private_key_sealed }).execute())
}

async function refusals(s: Stage): Promise<Refusals> {
  const { operator, deps } = s
  const { name, versions, draft, version, upload, settled, withUpload, withPackage, released, others, forAll } =
    await osStage(s)
  const of = async (kid: Promise<string>) => ({ kid: await kid })
  const taken = {
    os_uid_unknown: () => draft({ uid_kid: unknownKid }),
    os_version_taken: async () => {
      const first = draft()
      await versions.insert(first)
      return { ...first, version_code: 7 }
    },
    os_code_ver_taken: async () => {
      const first = draft()
      await versions.insert(first)
      return { ...first, os_version: '8.00.1' }
    },
  }
  const added = async (more: object = {}, kid?: string) => ({
    os_version_kid: kid ?? (await version()),
    ...('upload_kid' in more || 'url' in more ? {} : { upload_kid: await upload() }),
    ...more,
  })
  const activeKey = async () => {
    await released()
    return (await versions.list_key({})).find(({ is_active }) => is_active)!.public_key
  }
  const anyKey = () =>
    generateKeyPairSync('ed25519').publicKey.export({ format: 'der', type: 'spki' }).toString('base64')
  const withOffline = async <T>(run: () => Promise<T>): Promise<T> => {
    await activeKey()
    return withoutKey(s, run)
  }
  const signingRefusals = <C extends Signed>(call: C, make: () => Promise<object>): Refusals => ({
    [`${call.path} os_signature_needed`]: async () => {
      const input = await make()
      return withOffline(() => operator.try_(call, input))
    },
    [`${call.path} os_signature_wrong`]: async () => {
      const input = { ...(await make()), signature: 'A'.repeat(86) + '==' }
      return withOffline(() => operator.try_(call, input))
    },
  })
  /** It has all the packages that a version may have. */
  const fill = async (os_version_kid: string) => {
    const row = {
      os_version_kid,
      file_name: name,
      state: 'failed' as const,
      created_by_kid: newKid(),
      created_by: 'x',
    }
    await deps.db
      .insertInto('os_package')
      .values(
        Array.from({ length: osLimits.packages }, (_, ver) => ({
          ...row,
          kid: newKid(),
          from_build: JSON.stringify({ os_version: '1.0.0', version_code: 1, ver }),
          created_at: deps.clock.now(),
        })),
      )
      .execute()
  }
  /** From an older version with a full package to one that is made after it. */
  const differences = async (more: object = {}, kid?: string) => {
    const older = 'from_kids' in more ? '' : (await withPackage()).kid
    return { os_version_kid: kid ?? (await withPackage()).kid, from_kids: [older], ...more }
  }
  const toCustomer = { account_kid: s.customer_kid, terminal_group_kids: null }
  const audience = async (more: object = {}) => ({ kid: await version(), ...forAll, ...more })
  return {
    ...refusalsOf(calls.insert, operator, taken),
    ...refusalsOf(calls.update, operator, {
      ...Object.fromEntries(
        Object.entries(taken).map(([key, make]) => [key, async () => ({ ...(await make()), kid: await version() })]),
      ),
      os_not_own: async () => ({ kid: await others(await version()), description: 'x' }),
      os_version_fixed: async () => ({ kid: (await withPackage()).kid, ver: 999 }),
    }),
    ...refusalsOf(calls.delete, operator, {
      os_not_own: () => of(version().then(others)),
      os_state_wrong: async () => ({ kid: (await released()).kid }),
      os_being_pushed: async () => {
        const { kid } = await osPush(s)
        await versions.take_offline({ kid, cancels_tasks: false })
        return { kid }
      },
    }),
    ...refusalsOf(calls.insert_package, operator, {
      os_not_own: async () => added({}, await others(await version())),
      os_state_wrong: async () => added({}, (await released()).kid),
      os_package_taken: async () => added({}, (await withPackage()).kid),
      os_packages_limit: async () => {
        const os_version_kid = await version()
        await fill(os_version_kid)
        return added({}, os_version_kid)
      },
      os_from_same: async () => {
        const kid = await version()
        return added({ from_kid: kid }, kid)
      },
      os_from_newer: async () => {
        const kid = await version()
        return added({ from_kid: await version() }, kid)
      },
      os_from_unknown: () => added({ from_kid: unknownKid }),
      os_file_name_wrong: async () => added({ upload_kid: await uploadFile(operator, 'other.zip', Buffer.from('x')) }),
      os_address_refused: () => added({ url: 'http://10.0.0.1/a.zip', file_name: name }),
      upload_not_finished: async () => added({ upload_kid: await createUpload(operator, name, 1000) }),
      file_transfer_failed: async () => added({ upload_kid: await lostUpload(s, name, operator) }),
    }),
    ...refusalsOf(calls.make_differences, operator, {
      os_not_own: async () => differences({}, await others((await withPackage()).kid)),
      os_package_taken: async () => {
        const of_both = await differences({ from_kids: [(await withUpload()).kid] }, (await withUpload()).kid)
        await versions.make_differences(of_both)
        return of_both
      },
      os_packages_limit: async () => {
        const { kid } = await withPackage()
        await fill(kid)
        return differences({}, kid)
      },
      os_from_same: async () => {
        const { kid } = await withPackage()
        return differences({ from_kids: [kid] }, kid)
      },
      os_from_newer: async () => {
        const { kid } = await withPackage()
        return differences({ from_kids: [(await withPackage()).kid] }, kid)
      },
      os_from_unknown: () => differences({ from_kids: [unknownKid] }),
      os_full_missing: async () => differences({ from_kids: [await version()] }),
    }),
    ...refusalsOf(calls.retry_package, operator, {
      os_not_own: async () => {
        const { kid, package_kid } = await withUpload(Buffer.from('x'))
        await others(kid)
        return { kid: package_kid }
      },
      os_package_not_failed: async () => ({ kid: (await withPackage()).package_kid }),
    }),
    ...refusalsOf(calls.delete_package, operator, {
      os_not_own: async () => {
        const { kid, package_kid } = await withPackage()
        await others(kid)
        return { kid: package_kid }
      },
      os_state_wrong: async () => ({ kid: (await released()).package_kid }),
    }),
    ...refusalsOf(calls.save_audience, operator, {
      os_not_own: async () => audience({ kid: await others(await version()) }),
      os_audience_wrong: () => audience({ is_for_all: false }),
      os_account_unknown: () =>
        audience({ is_for_all: false, accounts: [{ account_kid: unknownKid, terminal_group_kids: null }] }),
      os_state_wrong: async () =>
        audience({
          kid: (await released()).kid,
          mode: 'pre_released',
          is_for_all: false,
          accounts: [toCustomer],
        }),
      os_release_needed: async () => {
        const { kid } = await released()
        await versions.save_audience({ kid, mode: 'launched', is_for_all: false, accounts: [toCustomer] })
        return audience({ kid })
      },
    }),
    ...refusalsOf(calls.discard_step, operator, {
      os_not_own: async () => ({ kid: await others(await version()), step: 'upload' }),
      os_state_wrong: async () => ({ kid: (await released()).kid, step: 'upload' }),
    }),
    ...refusalsOf(calls.release, operator, {
      os_not_own: () => of(version().then(others)),
      os_state_wrong: async () => ({ kid: (await released()).kid }),
      os_audience_missing: () => of(version()),
      os_audience_wrong: async () => ({
        kid: (await released()).kid,
        audience: { ...forAll, is_for_all: false },
      }),
      os_account_unknown: async () => ({
        kid: (await released()).kid,
        audience: { ...forAll, is_for_all: false, accounts: [{ ...toCustomer, account_kid: unknownKid }] },
      }),
      os_without_package: async () => {
        const draft_ = await audience()
        await versions.save_audience(draft_)
        return { kid: draft_.kid }
      },
      os_package_not_ready: async () => {
        const { kid } = await withUpload(Buffer.from('x'))
        await versions.save_audience({ kid, ...forAll })
        return { kid }
      },
    }),
    ...refusalsOf(calls.to_sign, operator, {
      os_without_package: () => of(version()),
      os_package_not_ready: async () => ({ kid: (await withUpload(Buffer.from('x'))).kid }),
    }),
    ...refusalsOf(calls.offer_packages, operator, {
      os_not_own: async () => ({ kid: await others((await released()).kid) }),
      os_state_wrong: async () => ({ kid: (await withPackage()).kid }),
      os_nothing_added: async () => ({ kid: (await released()).kid }),
    }),
    ...signingRefusals(calls.release, async () => {
      const { kid } = await withPackage()
      await versions.save_audience({ kid, ...forAll })
      return { kid }
    }),
    ...signingRefusals(calls.offer_packages, async () => {
      const older = await version()
      const { kid } = await released()
      await versions.insert_package({ os_version_kid: kid, from_kid: older, upload_kid: await upload() })
      await settled(kid)
      return { kid }
    }),
    ...signingRefusals(calls.register_key, async () => ({ public_key: anyKey() })),
    [`${calls.rotate_key.path} os_key_offline`]: () =>
      withOffline(() => operator.try_(calls.rotate_key, { is_old_revoked: false })),
    ...refusalsOf(calls.register_key, operator, {
      os_key_wrong: () => ({ public_key: 'x'.repeat(60) }),
      os_key_taken: async () => ({ public_key: await activeKey() }),
    }),
    ...refusalsOf(calls.key_statement, operator, {
      os_key_wrong: () => ({ public_key: 'x'.repeat(60) }),
      os_key_taken: async () => ({ public_key: await activeKey() }),
    }),
    ...refusalsOf(calls.take_offline, operator, {
      os_not_own: async () => ({ kid: await others((await released()).kid), cancels_tasks: false }),
      os_state_wrong: async () => ({ kid: await version(), cancels_tasks: false }),
    }),
  }
}
