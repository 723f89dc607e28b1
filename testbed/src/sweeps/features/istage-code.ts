import { randomBytes } from 'node:crypto'
import { contract, stagingCodeLimits } from '@mdm/contract'
import type { IstageContent } from '@mdm/contract'
import { fileValue } from '@mdm/contract/istage/index.ts'
import { stagingLimits } from '@mdm/device-link'
import type { Caller } from '../../caller.ts'
import { uploadFile } from '../../upload.ts'
import type { Feature } from '../feature.ts'
import { by, refusalsOf } from '../refusals.ts'
import type { Refusals } from '../refusals.ts'
import { sheetRefusals } from '../shared/sheets.ts'
import type { Stage } from '../stage.ts'

const { calls } = contract.istageCode
const hours = 1
let last = 0

/** A template with a text and a file. */
function template(): { private_content: string } {
  const file = {
    templatejson: 1,
    type: 'scanner',
    kind: 'standard',
    version: `4.${(last += 1)}.0`,
    name: 'Codes',
    modules: [
      {
        key: 'scanner',
        title: 'Scanner',
        max_objects: 10,
        fields: [
          { key: 'prefix', title: 'Prefix', kind: 'text', max_length: 60 },
          { key: 'table', title: 'Table', kind: 'file' },
        ],
      },
    ],
  }
  return { private_content: Buffer.from(JSON.stringify(file)).toString('base64') }
}
const large = (bytes: number): string => fileValue('table.bin', randomBytes(bytes).toString('base64'))

/** Codes of configurations of iStage. */
export const istageCode: Feature = {
  inputs: (t) => ({
    'istage_code/get': { kid: t.istage_config_kid },
    'istage_code/make': { kid: t.istage_config_kid, hours },
    'istage_code/file': { kid: t.istage_config_kid, hours },
    'istage_code/rows': { kid: t.istage_config_kid, hours, upload_kid: t.upload_kid },
    'istage_code/paging_scan': { kid: t.istage_config_kid },
  }),
  refusals,
  tables: ['staging_key'],
}

async function refusals(s: Stage): Promise<Refusals> {
  const { root } = s
  const maker = async (who: Caller) => {
    const { kid: template_kid } = await who.istageTemplate.import(template())
    return async (prefix: string, more: object = {}, status: 'completed' | 'incomplete' = 'completed') => {
      const private_content = { scanner: [{ prefix, ...more }] } as IstageContent
      return (await who.istageConfig.insert({ name: s.unique('Codes'), template_kid, private_content, status })).kid
    }
  }
  const made = await maker(root)
  const plain = await made(s.unique('plain'))
  const varied = await made('${SN} ${Work order} ${Verification code}')
  const revoked = async () => {
    const { kid } = await root.terminalQrcode.qrcode_forever_registered({})
    await root.terminalQrcode.revoke({ kid })
    return { qrcode_kid: kid }
  }
  const incomplete = async () => ({ hours, kid: await made(s.unique('later'), {}, 'incomplete') })
  const full = async () => {
    const { account_kid } = s.w.seed.customers[2]!
    const who = s.w.customers[2]!
    const kid = await (await maker(who))(s.unique('full'))
    await s.deps.db.updateTable('account').set({ terminal_max: 0 }).where('kid', '=', account_kid).execute()
    return by(who, { kid, hours, enrol: {} })
  }
  const shared = {
    istage_incomplete: incomplete,
    staging_variables: () => ({ kid: varied, hours }),
    qrcode_invalid: async () => ({ kid: plain, hours, enrol: await revoked() }),
    account_device_limit: full,
  }
  const sheet = async (row: string) => {
    await s.dropUploads()
    return uploadFile(root, 'sheet', Buffer.from(`SN,Work order,Verification code\n${row}\n`))
  }
  const { sheet_of_another_week: _, ...sheets } = sheetRefusals(
    s,
    root,
    { kid: varied, hours },
    {
      header: 'SN,Work order,Verification code',
      row: 'A,B,C',
      rows_max: stagingCodeLimits.rows,
      bytes_max: stagingCodeLimits.sheet_bytes,
    },
  )
  return {
    ...refusalsOf(calls.make, root, {
      ...shared,
      staging_too_large: async () => ({
        hours,
        kid: await made(s.unique('large'), { table: large(stagingLimits.codes * stagingLimits.code_bytes) }),
      }),
    }),
    ...refusalsOf(calls.file, root, shared),
    ...refusalsOf(calls.rows, root, {
      ...sheets,
      istage_incomplete: async () => ({ ...(await incomplete()), upload_kid: await sheet('A,B,C') }),
      staging_no_variables: async () => ({ kid: plain, hours, upload_kid: await sheet('A,B,C') }),
      staging_row_wrong: async () => ({ kid: varied, hours, upload_kid: await sheet(`${'A'.repeat(70)},B,C`) }),
      staging_row_too_large: async () => ({
        hours,
        kid: await made('${SN} ${Work order}', { table: large(stagingLimits.label_bytes) }),
        upload_kid: await sheet('A,B,C'),
      }),
      qrcode_invalid: async () => ({ kid: varied, hours, enrol: await revoked(), upload_kid: await sheet('A,B,C') }),
    }),
  }
}
