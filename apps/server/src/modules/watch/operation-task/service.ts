import { errorMessage, operationTaskActs } from '@mdm/contract'
import type {
  Contract,
  ErrorName,
  FileReply,
  In,
  Language,
  OperationTaskAct,
  OperationTaskDetail,
  OperationTaskKind,
  OperationTaskRow,
} from '@mdm/contract'
import { sql } from 'kysely'
import type { Actor } from '../../../actor.ts'
import { containing, readPage } from '../../../db/paging.ts'
import type { Deps } from '../../../deps.ts'
import { accountCanBeEntered } from '../../../http/session-row.ts'
import { operationRows } from '../../../lib/operation-source.ts'
import type { OperationRow, OperationSource } from '../../../lib/operation-source.ts'
import { Refusal, refuse } from '../../../refusal.ts'
import { sources } from './sources.ts'

type Input = In<Contract['opsOperationTask']['calls']['paging']>
type Task = OperationRow & { kind: OperationTaskKind; account_name: string | null; can_enter: boolean }

/** All tasks of some kinds, with the customer that each is for. What is asked for reaches the tables below it. */
function tasksOf(deps: Deps, kinds: readonly OperationTaskKind[]) {
  const all = sql.join(
    kinds.map((kind) => operationRows(sources[kind], deps)),
    sql` UNION ALL `,
  )
  return deps.db
    .selectFrom(sql<OperationRow & { kind: OperationTaskKind }>`(${all})`.as('t'))
    .leftJoin('account as a', (join) => join.onRef('a.kid', '=', 't.account_kid').on('a.type', 'in', [1, 2]))
}

const everyKind = Object.keys(sources) as OperationTaskKind[]

export async function paging(deps: Deps, input: Input) {
  const { kinds, states, text, account_text, person, from, to } = input
  const asked = kinds?.length ? [...new Set(kinds)] : everyKind
  const page = await readPage({
    query: tasksOf(deps, asked)
      .$if(Boolean(states?.length), (q) => q.where('t.state', 'in', states!))
      .$if(Boolean(text), (q) => q.where(sql`lower(t.name)`, 'like', containing(text!)))
      .$if(Boolean(account_text), (q) => q.where(sql`lower(a.name)`, 'like', containing(account_text!)))
      .$if(Boolean(person), (q) => q.where(sql`lower(t.created_by)`, 'like', containing(person!)))
      .$if(from !== undefined, (q) => q.where('t.created_at', '>=', new Date(from!)))
      .$if(to !== undefined, (q) => q.where('t.created_at', '<=', new Date(to!))),
    hydrate: (kids) => tasksNamed(deps, asked, kids),
    input,
    columns: { created_at: { ref: sql`t.created_at`, order: 'desc' } },
    key: sql`t.kid`,
  })
  return { ...page, items: page.items.map(shown) }
}

const tasksNamed = (deps: Deps, kinds: readonly OperationTaskKind[], kids: readonly string[]): Promise<Task[]> =>
  tasksOf(deps, kinds)
    .selectAll('t')
    .select(['a.kid as account_kid', 'a.name as account_name'])
    .select(sql<boolean>`a.kid IS NOT NULL AND ${accountCanBeEntered('a', deps.clock.now())}`.as('can_enter'))
    .where('t.kid', '=', sql<string>`any(${[...kids]}::uuid[])`)
    .execute()

async function taskOf(deps: Deps, kid: string): Promise<Task> {
  const [found] = await tasksNamed(deps, everyKind, [kid])
  return found ?? refuse('not_found')
}

export async function get(deps: Deps, kid: string, language: Language): Promise<OperationTaskDetail> {
  const task = await taskOf(deps, kid)
  const { fault, size, result_until } = task
  const { inWords }: OperationSource = sources[task.kind]
  return {
    ...shown(task),
    fault: fault && (inWords?.(fault, language) ?? errorMessage(fault.name, language, fault.details)),
    size,
    result_until: result_until?.toISOString() ?? null,
  }
}

function shown(task: Task): OperationTaskRow {
  const { fault: _, size: _size, result_until: _until, created_at, finished_at, ...row } = task
  const source: OperationSource = sources[task.kind]
  const has_support = operationTaskActs.filter((act) => source[act] !== undefined)
  return {
    ...row,
    created_at: created_at.toISOString(),
    finished_at: finished_at?.toISOString() ?? null,
    has_support,
    can: has_support.filter((act) => source[act]!.in.includes(task.state)),
  }
}

export type Done<T> = { table: OperationSource['table']; name: string; done: T }
type Results = { cancel: unknown; retry: unknown; result: FileReply; download: { url: string } }

/** Has the module that does the job do something with it. @throws what the module refuses, and as below */
export async function act<A extends OperationTaskAct>(
  actor: Actor,
  what: A,
  kid: string,
  language: Language,
): Promise<Done<Results[A]>> {
  const task = await taskOf(actor.deps, kid)
  const source: OperationSource = sources[task.kind]
  const { table } = source
  const does = source[what]
  if (!does) return refuse('operation_task_unsupported')
  if (!does.in.includes(task.state)) return refuse('operation_task_state_wrong')
  try {
    return { table, name: task.name, done: (await does.run(actor, task, language)) as Results[A] }
  } catch (error) {
    // It went on while it was looked at.
    if (error instanceof Refusal && has_moved.has(error.refusal)) return refuse('operation_task_state_wrong')
    throw error
  }
}

const has_moved: ReadonlySet<ErrorName> = new Set([
  'batch_not_running',
  'export_not_running',
  'os_build_not_done',
  'os_build_not_failed',
  'os_build_over',
  'os_package_not_failed',
  'os_state_wrong',
  'scrap_not_waiting',
] satisfies ErrorName[])
