import { batch_limits, contract } from '@mdm/contract'
import type { Caller } from '../caller.ts'
import { until } from '../until.ts'
import { createUpload, uploadFile } from '../upload.ts'
import { by, nowhere, ways } from './provoke.ts'
import type { Provocations, Stage } from './provoke.ts'

const own = contract.terminalBatch.calls
const ops = contract.opsTerminalBatch.calls
const row = { sn: 'NOBODY', work_order: 'WO', verification_code: 'AAAAAA' }

/** Devices from sheets, for the account itself and by operators. */
export function batchProvocations(s: Stage): Provocations {
  const { root, operator, customer_kid, provider_kid } = s
  const busy = s.w.customers[1]!
  const busy_kid = s.w.seed.customers[1]!.account_kid
  const asked = (more: object = {}) => ({ terminalDtos: [row], schedule_version: version(s), ...more })
  const askedFor = (account_kid: string, more: object = {}) => ({
    accountRegisteredTerminalDtos: [{ ...row, account_kid }],
    schedule_version: version(s),
    ...more,
  })
  return {
    ...ways(own.batch_registered, root, {
      group_unknown: () => asked({ terminalGroupKid: nowhere }),
      batch_running: async () => {
        await job(s, { account_kid: busy_kid, state: 'running' })
        return by(busy, asked())
      },
      batch_version_used: async () => asked(await job(s, { account_kid: customer_kid })),
    }),
    ...ways(own.cancel_batch_registered, root, {
      batch_not_running: () => job(s, { account_kid: customer_kid }),
    }),
    ...ways(own.preview_batch, root, previews(s, root, {})),
    ...ways(ops.account_batch_registered, operator, {
      group_unknown: () => askedFor(customer_kid, { terminalGroupKid: nowhere }),
      batch_running: async () => {
        await job(s, { account_kid: busy_kid, state: 'running' })
        return askedFor(busy_kid)
      },
      batch_version_used: async () =>
        askedFor(customer_kid, await job(s, { account_kid: customer_kid, owner_kid: provider_kid })),
    }),
    ...ways(ops.cancel_batch_registered, operator, {
      batch_not_running: () => job(s, { account_kid: customer_kid, owner_kid: provider_kid }),
    }),
    ...ways(ops.announced_sheet, operator, {
      device_unknown: () => ({ account_kid_param: customer_kid, sns: ['NOBODY'] }),
    }),
    ...ways(ops.preview_batch, operator, previews(s, operator, { account_kid_param: customer_kid })),
  }
}

const version = (s: Stage) => s.unique('batch').replace(' ', '-')

async function job(
  s: Stage,
  { account_kid, owner_kid = account_kid, state = 'done' }: { account_kid: string; owner_kid?: string; state?: 'done' | 'running' }, // prettier-ignore
): Promise<{ schedule_version: string }> {
  const now = s.deps.clock.now()
  const schedule_version = version(s)
  await s.deps.db
    .insertInto('batch_job')
    .values({
      kid: nowhere.replace(/.{4}$/, String(1000 + Number(schedule_version.split('-')[1]))),
      account_kid,
      owner_kid,
      kind: 'terminal_registered',
      schedule_version,
      state,
      total: 1,
      created_by_kid: account_kid,
      created_by: 'Sweep',
      created_at: now,
      touched_at: now,
    })
    // One that runs is enough.
    .onConflict((oc) => oc.doNothing())
    .execute()
  return { schedule_version }
}

/** Sheets that nothing can be read from. */
export function previews(s: Stage, who: Caller, more: object) {
  const sheet = async (content: string | Buffer) => ({
    upload_kid: await uploadFile(who, 'sheet', Buffer.from(content)),
    ...more,
  })
  const header = 'SN,Work order,Verification code\n'
  return {
    upload_not_finished: async () => ({ upload_kid: await createUpload(who, 'half.csv', 1000), ...more }),
    file_transfer_failed: async () => {
      const input = await sheet('lost')
      const { object } = await until('the upload to be hashed', () =>
        s.deps.db
          .selectFrom('upload')
          .select('object')
          .where('kid', '=', input.upload_kid)
          .where('finished_at', 'is not', null)
          .executeTakeFirst(),
      )
      await s.deps.objects.delete(object!)
      return input
    },
    file_too_large: () => sheet(Buffer.alloc(batch_limits.sheet_bytes + 1, 'a')),
    sheet_not_supported: () => sheet(Buffer.from('d0cf11e0a1b11ae1', 'hex')),
    sheet_damaged: () => sheet('PK\x03\x04'),
    // An archive whose end says that it has 60,000 entries.
    sheet_beyond_limits: () => sheet(Buffer.from(`504b0506${'00000000'}${'60ea60ea'}${'00'.repeat(10)}`, 'hex')),
    sheet_too_many_rows: () => sheet(header + 'A,B,C\n'.repeat(batch_limits.rows + 1)),
    sheet_too_many_columns: () => sheet(','.repeat(5_000)),
    sheet_columns_missing: () => sheet('SN\nA\n'),
    sheet_empty: () => sheet(header),
    sheet_of_another_week: () => sheet(`MDM-WEEK 2020-W01\n${header}A,B,C\n`),
  }
}
