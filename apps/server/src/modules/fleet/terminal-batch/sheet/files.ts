import { batch_limits, constants, errors, text } from '@mdm/contract'
import type { BatchRowState, ErrorName, FileReply, Language } from '@mdm/contract'
import { setTimeout as wait } from 'node:timers/promises'
import type { Kysely, Selectable } from 'kysely'
import type { Tables } from '../../../../db/schema/tables.ts'
import type { Deps } from '../../../../deps.ts'
import { sheetStream } from '../../../../workers/sheet.ts'
import type { Cell } from '../../../../workers/sheet.ts'
import { refuse } from '../../../../refusal.ts'
import { announcedDevices } from '../../enrolment/index.ts'
import type { Week } from '../../enrolment/index.ts'
import { faultText, stateOf } from '../row-state.ts'
import type { Job } from '../batch-jobs.ts'
import { layouts } from './layouts.ts'
import type { Fields, SheetKind } from './layouts.ts'
import { modelTitle, resultTitles, templateTitles } from './titles.ts'
import { weekStamp } from '../week.ts'

const page = 1_000
/** How often a result that is being made looks for more rows. */
const look_ms = 200
const words = {
  ok: text('Registered', 'Đã đăng ký', '已注册'),
  imported: text('Imported', 'Đã nhập', '已导入'),
  already: text('Already registered', 'Đã có từ trước', '已存在'),
  already_imported: text('Already on the policy', 'Đã có trong chính sách', '已在策略中'),
  refused: text('Refused', 'Bị từ chối', '已拒绝'),
  left: text('Not processed', 'Chưa xử lý', '未处理'),
  devices: text('Devices', 'Thiết bị', '设备'),
  template: text('Device template', 'Mẫu thiết bị', '设备模板'),
  announced: text('Announced devices', 'Thiết bị chờ đăng ký', '待注册设备'),
  result: text('Registration result', 'Kết quả đăng ký', '注册结果'),
  import_result: text('Import result', 'Kết quả nhập', '导入结果'),
  import_template: text('Policy import template', 'Mẫu nhập chính sách', '策略导入模板'),
}

type Wanted = { language: Language; only_failed?: boolean }

/** A message for every row. Of a job that still runs the file grows with it, at most for as long as a batch may take. */
export function resultFile(deps: Deps, job: Job, { language, only_failed = false }: Wanted): FileReply {
  const columns = layouts[job.kind].columns
  const titles = [...templateTitles(columns, language), ...Object.values(resultTitles).map((title) => title[language])]
  const rows = resultRows(deps.scope(job.account_kid), job, { language, only_failed })
  const name = words[job.kind === 'terminal_registered' ? 'result' : 'import_result'][language]
  return {
    name: `${name} ${job.schedule_version}.xlsx`,
    body: sheetStream({ format: 'xlsx', name, titles, rows }),
  }
}

async function* resultRows(
  scope: Kysely<Tables>,
  job: Job,
  { language, only_failed }: Required<Wanted>,
): AsyncGenerator<Cell[][]> {
  const until = performance.now() + constants.batch_timeout_ms
  for (let given = 0; ;) {
    const { state, done, total } = await scope
      .selectFrom('batch_job')
      .select(['state', 'done', 'total'])
      .where('kid', '=', job.kid)
      .executeTakeFirstOrThrow()
    const ready = state === 'running' ? done : total
    while (given < ready) {
      const rows = await scope
        .selectFrom('batch_row')
        .selectAll()
        .where('batch_job_kid', '=', job.kid)
        .where('n', '>=', given)
        .where('n', '<', Math.min(ready, given + page))
        .orderBy('n')
        .execute()
      // A job that failed may not have all of its rows.
      if (rows.length === 0) return
      given += rows.length
      yield rows
        .filter((row) => !only_failed || row.outcome !== 'ok')
        .map((row) => cellsOf(row, stateOf(row, { done }), job.kind, language))
    }
    if (state !== 'running') return
    // A file that ends early must not look whole.
    if (performance.now() > until) throw new Error('the batch takes longer than its reply may')
    await wait(look_ms)
  }
}

type Row = Fields & Pick<Selectable<Tables['batch_row']>, 'sheet_row' | 'outcome' | 'details'>

function cellsOf(row: Row, state: BatchRowState, kind: SheetKind, language: Language): Cell[] {
  const own = [...layouts[kind].columns.map((column) => row[column]), row.sheet_row]
  const is_registration = kind === 'terminal_registered'
  if (state === 'waiting') return [...own, words.left[language], null, null]
  if (state === 'ok') return [...own, words[is_registration ? 'ok' : 'imported'][language], 1, null]
  const word = state === 'refused' ? 'refused' : is_registration ? 'already' : 'already_imported'
  return [...own, words[word][language], errors[row.outcome as ErrorName].result, faultText(row, language)]
}

/** An empty sheet whose columns are text, so that nothing that is typed becomes a number or a date. */
export async function templateFile(kind: SheetKind, language: Language): Promise<FileReply> {
  const titles = templateTitles(layouts[kind].columns, language)
  const name = words[kind === 'terminal_registered' ? 'template' : 'import_template'][language]
  const rows = preparedRows(titles.length)
  return {
    name: `${name}.xlsx`,
    body: sheetStream({ format: 'xlsx', name: words.devices[language], titles, rows, text_width: 26 }),
  }
}

async function* preparedRows(columns: number): AsyncGenerator<Cell[][]> {
  const prepared_rows = 1_000
  yield Array.from({ length: prepared_rows }, () => Array.from({ length: columns }, () => null))
}

type Announced = Week & { sns: readonly string[] | undefined; work_order: string | undefined; language: Language }

/**
 * The provider's sheet: devices that wait to be registered into the account, ready to be uploaded within this week. Those
 * that were named and do not wait stand there without a code.
 */
export async function announcedFile(deps: Deps, { language, ...asked }: Announced): Promise<FileReply> {
  const { week } = asked
  const titles = [...templateTitles(layouts.terminal_registered.columns, language), modelTitle[language]]
  const rows = announcedRows(deps, asked)
  const first = await rows.next()
  if (first.done) return refuse('device_unknown')
  return {
    name: `${words.announced[language]} ${week}.xlsx`,
    body: sheetStream({
      format: 'xlsx',
      name: week,
      titles: [weekStamp(week), ...titles.slice(1).map(() => '')],
      rows: (async function* () {
        yield [titles, ...first.value]
        yield* rows
      })(),
    }),
  }
}

async function* announcedRows(deps: Deps, { sns, work_order, ...to }: Omit<Announced, 'language'>) {
  const order = work_order ?? to.week
  const missing = new Set(sns)
  const wanted = sns ? { sns } : { work_order: order }
  let count = 0
  for await (const { sn, code, model } of announcedDevices(deps, to, wanted)) {
    // More would be refused when the sheet comes back.
    if ((count += 1) > batch_limits.rows) return
    missing.delete(sn)
    yield [[sn, order, code, null, null, model]] satisfies Cell[][]
  }
  if (count > 0) yield [...missing].map((sn): Cell[] => [sn, order, null, null, null, null])
}
