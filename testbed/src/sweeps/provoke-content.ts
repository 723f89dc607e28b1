import { constants, contract } from '@mdm/contract'
import { createUpload } from '../upload.ts'
import { until } from '../until.ts'
import { by, nowhere, ways } from './provoke.ts'
import type { Provocations, Stage } from './provoke.ts'

const fileCloud = contract.fileCloud.calls
const clientCode = contract.opsClientCode.calls
const menuTree = contract.opsMenuTree.calls

/** Files and their space, codes, menus, webhooks, exports. */
export const contentProvocations = (s: Stage): Provocations => ({
  ...files(s),
  ...spaces(s),
  ...clientCodes(s),
  ...menus(s),
  ...webhooks(s, 'webhook'),
  ...webhooks(s, 'opsWebhook'),
  ...ways(contract.listExport.calls.insert, s.root, {
    export_not_possible: () => ({
      path: 'terminal/get',
      input: {},
      format: 'csv',
      name: 'none',
      zone_id: 'UTC',
      columns: [{ key: 'sn', title: 'SN' }],
    }),
  }),
})

function files(s: Stage): Provocations {
  const { root, operator, upload, deps } = s
  return {
    ...ways(fileCloud.insert, root, {
      file_name_invalid: async () => ({ upload_kid: await upload('a'), name: 'a/b.txt' }),
      upload_not_finished: async () => ({
        upload_kid: await createUpload(root, 'half.bin', 1000),
        name: 'half.bin',
      }),
      duplicate_name: async () => {
        await root.fileCloud.insert({ upload_kid: await upload('b'), name: 'same.txt' })
        return { upload_kid: await upload('c'), name: 'Same.TXT' }
      },
      file_transfer_failed: async () => {
        const upload_kid = await upload('d')
        const { object } = await until('the upload to be hashed', () =>
          deps.db
            .selectFrom('upload')
            .select('object')
            .where('kid', '=', upload_kid)
            .where('finished_at', 'is not', null)
            .executeTakeFirst(),
        )
        await deps.objects.delete(object!)
        return { upload_kid, name: 'lost.txt' }
      },
      storage_exceeded: async () => {
        const who = s.w.customers[1]!
        const upload_kid = await upload('more than there is place for', who)
        const account_kid_param = s.w.seed.customers[1]!.account_kid
        const { kid, used } = await operator.opsFileDisk.get({ account_kid_param })
        await operator.opsFileDisk.update_space({ kid, account_kid_param, disk_space: used })
        return by(who, { upload_kid, name: 'exceeding.txt' })
      },
    }),
    ...ways(fileCloud.delete, root, {
      delete_failed: async () => {
        const file = await root.fileCloud.insert({ upload_kid: await upload('e'), name: 'in use.txt' })
        await root.pushTask.insert({
          type: 'file',
          payload: { file_kids: [file.kid], path: '/data' },
          terminal_kids: [await s.absentDevice()],
        })
        return { kid: file.kid }
      },
    }),
  }
}

function spaces({ w, deps, operator }: Stage): Provocations {
  const account_kid_param = w.seed.customers[2]!.account_kid
  /** Nothing can be put into the app center yet: that something is there is written as the database would. */
  const used = async (read: (input: { account_kid_param: string }) => Promise<{ kid: string }>) => {
    const { kid } = await read({ account_kid_param })
    await deps.db.updateTable('disk_space').set({ used_bytes: 10 }).where('kid', '=', kid).execute()
    return { kid, account_kid_param, disk_space: 9 }
  }
  return {
    ...ways(contract.opsFileDisk.calls.update_space, operator, {
      storage_below_use: () => used(operator.opsFileDisk.get),
    }),
    ...ways(contract.opsAppCenter.calls.update_space, operator, {
      storage_below_use: () => used(operator.opsAppCenter.get),
    }),
  }
}

function clientCodes({ operator }: Stage): Provocations {
  const made = async (code: string, name: string) => (await operator.opsClientCode.insert({ code, name })).kid
  return {
    ...ways(clientCode.insert, operator, {
      duplicate_code: async () => {
        await made('AAAA1', 'First')
        return { code: 'aaaa1', name: 'Second' }
      },
      duplicate_name: async () => {
        await made('AAAA2', 'Held name')
        return { code: 'AAAA3', name: 'held NAME' }
      },
    }),
    ...ways(clientCode.update, operator, {
      duplicate_code: async () => {
        await made('AAAA4', 'Fourth')
        return { kid: await made('AAAA5', 'Fifth'), code: 'AAAA4', name: 'Fifth' }
      },
      duplicate_name: async () => {
        await made('AAAA6', 'Sixth')
        return { kid: await made('AAAA7', 'Seventh'), code: 'AAAA7', name: 'Sixth' }
      },
    }),
  }
}

function menus({ operator, roleCode }: Stage): Provocations {
  const name = { en: 'Sweep', vi: 'Sweep', 'zh-cn': 'Sweep' }
  const draft = (type: 'group' | 'page' | 'operation' = 'page') => ({
    code: roleCode(),
    name,
    type,
    end_type: 1 as const,
  })
  const made = async (type?: 'group' | 'page', p_id?: string) => {
    const entry = { ...draft(type), ...(p_id ? { p_id } : {}) }
    return { kid: (await operator.opsMenuTree.insert(entry)).kid, ...entry }
  }
  const operation = async (p_id: string) => (await operator.opsMenuTree.insert({ ...draft('operation'), p_id })).kid
  const anOperation = async () => operation((await made()).kid)
  const aParent = async () => {
    const page = await made()
    await operation(page.kid)
    return page
  }
  return {
    ...ways(menuTree.insert, operator, {
      duplicate_code: () => ({ ...draft(), code: 'deviceList' }),
      menu_under_operation: async () => ({ ...draft('operation'), p_id: await anOperation() }),
      menu_does_not_fit: () => draft('operation'),
      menu_parent_unknown: () => ({ ...draft(), p_id: nowhere }),
    }),
    ...ways(menuTree.update, operator, {
      duplicate_code: async () => ({ ...(await made()), code: 'deviceList' }),
      menu_under_operation: async () => ({ ...(await made()), p_id: await anOperation() }),
      menu_does_not_fit: async () => ({ ...(await made()), p_id: (await made()).kid }),
      menu_parent_unknown: async () => ({ ...(await made()), p_id: nowhere }),
      menu_into_itself: async () => {
        const group = await made('group')
        return { ...group, p_id: (await made('page', group.kid)).kid }
      },
      menu_is_delivered: async () => {
        const delivered = (await operator.opsMenuTree.list({})).find((entry) => entry.code === 'deviceList')!
        return { ...delivered, p_id: delivered.p_id ?? 'ROOT', code: roleCode() }
      },
      menu_has_children: async () => ({ ...(await aParent()), type: 'group' }),
    }),
    ...ways(menuTree.move, operator, {
      menu_under_operation: async () => ({ kid: (await made()).kid, target_parent_kid: await anOperation() }),
      menu_does_not_fit: async () => ({ kid: (await made()).kid, target_parent_kid: (await made()).kid }),
      menu_parent_unknown: async () => ({ kid: (await made()).kid, target_parent_kid: nowhere }),
      menu_into_itself: async () => {
        const { kid } = await made()
        return { kid, target_parent_kid: kid }
      },
    }),
    ...ways(menuTree.delete, operator, { menu_has_children: async () => ({ kid: (await aParent()).kid }) }),
  }
}

/** Of a customer, or of the provider. */
function webhooks({ root, operator, unique }: Stage, group: 'webhook' | 'opsWebhook'): Provocations {
  const who = group === 'webhook' ? root : operator
  const { insert, update } = contract[group].calls
  const draft = (name = unique('Hook')) => ({
    name,
    url: 'https://192.0.2.1/',
    events: ['operation_log' as const],
    is_enabled: false,
  })
  /** So many webhooks and no others. */
  const only = async (...names: string[]) => {
    for (const { kid } of await who[group].list({})) await who[group].delete({ kid })
    const made = []
    for (const name of names) made.push((await who[group].insert(draft(name))).kid)
    return made.at(-1)!
  }
  const inside = 'http://127.0.0.1/'
  return {
    ...ways(insert, who, {
      duplicate_name: async () => {
        await only('Held')
        return draft('HELD')
      },
      webhook_address_refused: () => ({ ...draft(), url: inside }),
      webhook_limit: async () => {
        await only(...Array.from({ length: constants.webhooks_max }, () => unique('Hook')))
        return draft()
      },
    }),
    ...ways(update, who, {
      duplicate_name: async () => ({ ...draft('first'), kid: await only('First', 'Second') }),
      webhook_address_refused: async () => ({ ...draft(), kid: await only('Only'), url: inside }),
    }),
  }
}
