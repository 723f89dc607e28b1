import { contract, fileLimits } from '@mdm/contract'
import { sql } from 'kysely'
import type { Caller } from '../../caller.ts'
import { createUpload, uploadFile } from '../../upload.ts'
import type { Feature, Things } from '../feature.ts'
import { by, refusalsOf, unknownKid } from '../refusals.ts'
import type { Refusals } from '../refusals.ts'
import { lostUpload } from '../shared/uploads.ts'
import type { Stage } from '../stage.ts'

declare module '../feature.ts' {
  interface Things {
    file_kid: string
    file_folder_kid: string
    /** Uploaded, and not taken by anything. */
    upload_kid: string
  }
}

type Group = 'fileCloud' | 'opsPlatformFile'

/** Files of customers, and those of the provider. */
export const fileCloud: Feature = {
  async make({ call, device, customer }) {
    const name = `sweep-${customer}-${device.sn}.txt`
    const file = await call.fileCloud.insert({ upload_kid: await uploadFile(call, name, Buffer.from('sweep')), name })
    const folder = await call.fileCloud.insert_folder({ name: `Sweep ${customer} ${device.sn}` })
    return {
      file_kid: file.kid,
      file_folder_kid: folder.kid,
      upload_kid: await uploadFile(call, `unclaimed-${name}`, Buffer.from('unclaimed')),
    }
  },
  inputs: (t) => ({ ...inputs('file_cloud', t), ...inputs('ops/platform_file', t) }),
  refusals: async (s) => ({
    ...(await refusals(s, 'fileCloud', s.root)),
    ...(await refusals(s, 'opsPlatformFile', s.operator)),
  }),
  tables: ['file_cloud', 'upload'],
  not_found: ['file_folder_unknown'],
}

function inputs(
  group: string,
  { file_kid: kid, file_folder_kid: folder_kid, upload_kid }: Things,
): Record<string, Record<string, unknown>> {
  const all: Record<string, Record<string, unknown>> = {
    paging: { folder_kid },
    get: { kid },
    list_folder: {},
    get_space: {},
    list_upload: {},
    insert: { upload_kid, name: `Taken ${Math.random()}.txt`, folder_kid },
    insert_folder: { name: `New ${Math.random()}`, folder_kid },
    make_path: { names: [`New ${Math.random()}`, 'Within'], folder_kid },
    update: { kid, name: `Renamed ${Math.random()}.txt` },
    move: { kids: [kid], folder_kid },
    copy: { kids: [kid], folder_kid },
    delete: { kid },
    batch_delete: { kids: [kid] },
  }
  return Object.fromEntries(Object.entries(all).map(([key, input]) => [`${group}/${key}`, input]))
}

async function refusals(s: Stage, group: Group, who: Caller): Promise<Refusals> {
  const calls = contract[group].calls
  const files = who[group]
  const account_kid = group === 'fileCloud' ? s.customer_kid : s.provider_kid
  const room = () =>
    s.deps.db
      .updateTable('disk_space')
      .set({ max_bytes: 2 ** 40 })
      .where('area', '=', 'file_disk')
      // Sub-accounts draw on their customer's: as a share it would be kept for them.
      .where('max_bytes', 'is not', null)
      .execute()
  const upload = async (name: string, by_whom: Caller = who) => {
    // What was full for one case is not for the next.
    await room()
    return s.upload(name, by_whom)
  }
  const file = async (folder_kid: string | null = null, name = `${s.unique('file')}.txt`) =>
    files.insert({ upload_kid: await upload(name), name, folder_kid })
  const folder = async () => {
    await emptied()
    return files.insert_folder({ name: s.unique('Folder') })
  }
  /** As deep as folders may be; the innermost. */
  const deepest = async () => {
    await emptied()
    return files.make_path({ names: Array.from({ length: fileLimits.depth }, () => s.unique('Deep')) })
  }
  /** Rows that are quicker made at once: as many folders as an account may have, or the files of a large one. */
  const filled = async (count: number, parent_kid: string | null) => {
    await sql`INSERT INTO file_cloud (kid, account_kid, parent_kid, name, is_folder, object, size, md5, sha256, content_type, created_by_kid, created_by, created_at)
      SELECT gen_random_uuid(), ${account_kid}::uuid, ${parent_kid}::uuid, 'filler ' || n, ${parent_kid === null},
        ${parent_kid === null ? null : 'filler'}, 0, '', '', '', gen_random_uuid(), '', now() FROM generate_series(1, ${count}::int) n`.execute(
      s.deps.db,
    )
  }
  const emptied = () => s.deps.db.deleteFrom('file_cloud').where('name', 'like', 'filler %').execute()
  /** Refused while the account has all the folders that it may have, which are gone for what comes after. */
  const full = (make: () => Promise<object>) => async () => {
    const input = await make()
    await emptied()
    await filled(fileLimits.folders, null)
    return input
  }
  /** Somebody whose account, in which nothing is refused but for this, has room for no byte more. */
  const withoutRoom = async (make: (caller: Caller) => Promise<object>) => {
    const other = group === 'fileCloud' ? s.w.customers[1]! : who
    const input = await make(other)
    await s.deps.db
      .updateTable('disk_space')
      .set((eb) => ({ max_bytes: eb.ref('used_bytes') }))
      .where('account_kid', '=', group === 'fileCloud' ? s.w.seed.customers[1]!.account_kid : account_kid)
      .where('area', '=', 'file_disk')
      .execute()
    return by(other, input)
  }
  const invalid = { file_name_invalid: async () => ({ name: 'a/b' }) }
  const within = {
    file_folder_unknown: async () => ({ folder_kid: unknownKid }),
    file_folder_depth: async () => ({ folder_kid: (await deepest()).kid }),
  }
  const also = <K extends string>(of: Record<K, () => Promise<object>>, more: () => Promise<object> | object) =>
    Object.fromEntries(
      Object.entries<() => Promise<object>>(of).map(([name, make]) => [
        name,
        async () => (await emptied(), { ...(await more()), ...(await make()) }),
      ]),
    ) as Record<K, () => Promise<object>>
  return {
    ...refusalsOf(calls.insert, who, {
      file_name_invalid: async () => ({ upload_kid: await upload('a'), name: 'a/b.txt' }),
      upload_not_finished: async () => {
        await room()
        return { upload_kid: await createUpload(who, 'half.bin', 10), name: 'half.bin' }
      },
      duplicate_name: async () => {
        const { name } = await file()
        return { upload_kid: await upload('c'), name: name.toUpperCase() }
      },
      file_folder_unknown: async () => ({
        upload_kid: await upload('d'),
        name: s.unique('x'),
        folder_kid: unknownKid,
      }),
      file_transfer_failed: async () => ({ upload_kid: await lostUpload(s, 'lost.txt', who), name: 'lost.txt' }),
      storage_exceeded: () =>
        withoutRoom(async (other) => {
          return { upload_kid: await upload('more than there is place for', other), name: s.unique('exceeding') }
        }),
    }),
    ...refusalsOf(calls.insert_folder, who, {
      ...also({ ...invalid, ...within }, () => ({ name: s.unique('Folder') })),
      duplicate_name: async () => {
        return { name: (await file()).name }
      },
      file_folder_limit: full(async () => ({ name: s.unique('Folder') })),
    }),
    ...refusalsOf(calls.make_path, who, {
      ...also({ file_name_invalid: async () => ({ names: ['a/b'] }), ...within }, () => ({ names: [s.unique('x')] })),
      duplicate_name: async () => {
        return { names: [(await file()).name] }
      },
      file_folder_limit: full(async () => ({ names: [s.unique('Folder')] })),
    }),
    ...refusalsOf(calls.update, who, {
      ...also(invalid, async () => ({ kid: (await folder()).kid })),
      duplicate_name: async () => {
        return { kid: (await file()).kid, name: (await file()).name }
      },
    }),
    ...refusalsOf(calls.move, who, {
      ...also(within, async () => ({ kids: [(await folder()).kid] })),
      duplicate_name: async () => {
        const { name, kid } = await file()
        const { kid: folder_kid } = await folder()
        await file(folder_kid, name)
        return { kids: [kid], folder_kid }
      },
      file_folder_within_itself: async () => {
        const { kid } = await folder()
        return { kids: [kid], folder_kid: kid }
      },
    }),
    ...refusalsOf(calls.copy, who, {
      ...also(within, async () => ({ kids: [(await folder()).kid] })),
      file_folder_within_itself: async () => {
        const { kid } = await folder()
        return { kids: [kid], folder_kid: kid }
      },
      file_folder_limit: full(async () => ({ kids: [(await folder()).kid] })),
      file_copy_limit: async () => {
        await emptied()
        const { kid } = await folder()
        await filled(fileLimits.copied, kid)
        return { kids: [kid] }
      },
      storage_exceeded: () =>
        withoutRoom(async (other) => {
          await emptied()
          const name = `${s.unique('file')}.txt`
          const made = await other[group].insert({ upload_kid: await upload('a copy', other), name })
          return { kids: [made.kid] }
        }),
    }),
    ...refusalsOf(calls.delete, who, {
      delete_failed: async () => {
        const { kid } = await file()
        await s.root.pushTask.insert({
          type: 'file',
          payload: { file_kids: [kid], path: '/data' },
          terminal_kids: [await s.absentDevice()],
        })
        return { kid }
      },
    }),
  }
}
