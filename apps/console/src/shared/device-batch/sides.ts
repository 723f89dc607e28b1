import type { BatchColumn, BatchJob, Policy, PolicySource } from '@mdm/contract'
import { api, download, send, sendForFile } from '../../core/api.ts'
import type { AnyCall } from '../../core/api.ts'
import { link } from '../../core/links.ts'
import { ownGroups } from '../groups/GroupPicker.tsx'
import type { GroupSource } from '../groups/GroupPicker.tsx'

/** A row as a sheet has it, with what is wrong with it. */
export type PreviewRow = { row: number; faults?: { result: number; message: string }[] | undefined } & {
  [C in BatchColumn]?: string | undefined
}
export type Preview = {
  rows: PreviewRow[]
  good: number
  bad: number
  unknown_columns: string[]
  /** The sheet that was read, and others of its file that were not. */
  sheet: string | null
  other_sheets: string[]
  /** Groups that rows name, that are not there and that the person may create. */
  missing_groups?: string[]
  /** Devices that there is room for, where that is limited. */
  room?: number
}

/** A sheet that was uploaded, or rows of it that were mended since. */
type PreviewSource = { upload_kid: string } | { rows: readonly PreviewRow[] }
export type StartTarget = { group: string; creates_groups: boolean }

/** Whom sheets are read for: the words, the columns and the calls. What a drawer of sheets needs to know. */
export type BulkSide = {
  /** Of all sides in the console, this one. */
  id: string
  /** Which words of the catalogue. */
  texts: 'register' | 'import'
  columns: readonly BatchColumn[]
  /** Where devices go into a group that is chosen: out of these. */
  groups?: GroupSource
  /** Where the latest jobs are listed. */
  jobs: { call: AnyCall; input: object }
  /** Other wire groups whose reads a job changes. */
  also: readonly string[]
  progress: (schedule_version: string) => Promise<BatchJob>
  cancel: (schedule_version: string) => Promise<unknown>
  result: (schedule_version: string, only_failed: boolean) => Promise<void>
  template: () => Promise<void>
  preview: (from: PreviewSource) => Promise<Preview>
  start: (rows: readonly PreviewRow[], schedule_version: string, to: StartTarget) => Promise<Response>
  /** Where is read what came of each row. */
  rows: { call: AnyCall; input: object }
  /** The page of the devices of a sheet. */
  devices?: (job: BatchJob) => string
  /** The provider's sheet of devices that wait, for whom may have it. */
  announced?: (of: { work_order?: string; sns?: string[] }) => Promise<void>
}

/** Faults are for people; the rest of a row is what is sent. */
const sent = ({ faults: _, ...row }: PreviewRow) => row
const sentSource = (from: PreviewSource) => ('rows' in from ? { rows: from.rows.map(sent) } : from)
const device_columns = ['sn', 'work_order', 'verification_code', 'name', 'group_path'] as const

export const ownDevices: BulkSide = {
  id: 'terminal',
  texts: 'register',
  columns: device_columns,
  groups: ownGroups,
  jobs: { call: api.terminalBatch.list_batch_registered, input: {} },
  also: [],
  progress: (schedule_version) => send(api.terminalBatch.get_batch_registered_schedule, { schedule_version }),
  cancel: (schedule_version) => send(api.terminalBatch.cancel_batch_registered, { schedule_version }),
  result: (schedule_version, only_failed) =>
    download(api.terminalBatch.batch_result, { schedule_version, only_failed }),
  template: () => download(api.terminalBatch.batch_template, {}),
  preview: (from) => send(api.terminalBatch.preview_batch, sentSource(from)),
  start: (rows, schedule_version, { group: terminalGroupKid, creates_groups }) =>
    sendForFile(api.terminalBatch.batch_registered, {
      terminalDtos: rows.map(sent),
      terminalGroupKid,
      schedule_version,
      creates_groups,
    }),
  rows: { call: api.terminalBatch.paging_batch_row, input: {} },
  devices: ({ kid }) => link.deviceList.to({ terminal_batch_kid: kid }),
}

/** By an operator, for a customer. */
export function devicesOf(account_kid: string): BulkSide {
  const { opsTerminalBatch: calls } = api
  return {
    id: `customer-${account_kid}`,
    texts: 'register',
    columns: device_columns,
    groups: { call: calls.list_group, input: { account_kid_param: account_kid } },
    jobs: { call: calls.list_batch_registered, input: { account_kid_param: account_kid } },
    also: ['ops/account', 'ops/terminal', 'ops/home'],
    progress: (schedule_version) => send(calls.get_account_batch_registered_schedule, { schedule_version }),
    cancel: (schedule_version) => send(calls.cancel_batch_registered, { schedule_version }),
    result: (schedule_version, only_failed) => download(calls.batch_result, { schedule_version, only_failed }),
    template: () => download(calls.batch_template, {}),
    preview: (from) => send(calls.preview_batch, { ...sentSource(from), account_kid_param: account_kid }),
    rows: { call: calls.paging_batch_row, input: {} },
    start: (rows, schedule_version, { group: terminalGroupKid }) =>
      sendForFile(calls.account_batch_registered, {
        accountRegisteredTerminalDtos: rows.map((row) => ({ ...sent(row), account_kid })),
        terminalGroupKid,
        schedule_version,
      }),
    announced: (of) => download(calls.announced_sheet, { account_kid_param: account_kid, ...of }),
  }
}

/** Devices that are put on a policy. */
export function importsOf({ kid: policy_kid }: Policy, source: PolicySource): BulkSide {
  const { opsPolicy: calls } = api
  const start = source === 'mes' ? calls.import_mes : calls.import_sheet
  return {
    id: `policy-${policy_kid}-${source}`,
    texts: 'import',
    columns: source === 'mes' ? ['sn', 'work_order', 'production_date'] : ['sn', 'work_order'],
    jobs: { call: calls.list_import, input: { policy_kid } },
    also: [],
    progress: (schedule_version) => send(calls.get_import_schedule, { policy_kid, schedule_version }),
    cancel: (schedule_version) => send(calls.cancel_import, { policy_kid, schedule_version }),
    result: (schedule_version, only_failed) =>
      download(calls.import_result, { policy_kid, schedule_version, only_failed }),
    template: () => download(calls.import_template, { source }),
    preview: (from) => send(calls.preview_import, { ...sentSource(from), policy_kid, source }),
    rows: { call: calls.paging_import_row, input: { policy_kid } },
    start: (rows, schedule_version) =>
      sendForFile<AnyCall>(start, { importTerminalDtos: rows.map(sent), policyKid: policy_kid, schedule_version }),
  }
}
