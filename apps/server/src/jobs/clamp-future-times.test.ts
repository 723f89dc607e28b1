import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { testDeps } from '../testing/deps.ts'
import type { TestDeps } from '../testing/deps.ts'
import { putRightHere } from './clamp-future-times.ts'

/** Columns that say when something is due or over, which need not be put right after a clock was wrong, and why. */
const exceptions: Record<string, string> = {
  'account.expire_time': 'chosen by people',
  'account_notice.expire_time': 'a copy of what an account was told of',
  'activation.ends_at': 'chosen by people',
  'activation.starts_at': 'tells when, nothing waits for it',
  'alert_rule.silenced_until': 'chosen by people',
  'api_token.expires_at': 'chosen by people',
  'job.run_at': 'the runner takes one that is too far ahead for come',
  'push_schedule.next_at': 'by its own times: putSchedulesRight',
  'push_task.open_until': 'chosen by people',
  'push_task.start_at': 'chosen by people',
  'push_task_step.opened_at': 'tells when, nothing waits for it',
  'push_task_terminal.open_until': "the push's, chosen by people",
  'remote_session.ends_at': 'renewals have no end; whoever looks sees it and ends it',
  'terminal_policy.ends_at': 'chosen by people',
  'terminal_policy.starts_at': 'chosen by people',
}
const is_waited_for = String.raw`^((run|next|due|send|start|starts|end|ends|settle|deadline|retry|wake|renew|expire|expires)_at|not_before|not_after|expire_time|.+_until|.+_(due|expires|retry|wake)_at)$`

let deps: TestDeps
beforeAll(async () => {
  deps = await testDeps({})
})
afterAll(() => deps.close())

const columnsOf = async (pattern: string) => {
  const { rows } = await sql<{ name: string }>`
    SELECT c.table_name || '.' || c.column_name AS name FROM information_schema.columns c
    JOIN pg_class k ON k.relname = c.table_name AND NOT k.relispartition AND k.relkind IN ('r', 'p')
    WHERE c.table_schema = 'public' AND c.data_type LIKE 'timestamp%' AND c.column_name ~ ${pattern} ORDER BY 1
  `.execute(deps.db)
  return rows.map(({ name }) => name)
}

it('every time that something waits for is put right after a clock was wrong, or says why not', async () => {
  const put_right = new Set(putRightHere.map(({ table, column }) => `${table}.${column}`))
  const waited_for = await columnsOf(is_waited_for)
  expect(waited_for).toContain('push_task_terminal.send_at')
  expect(waited_for.filter((name) => !put_right.has(name) && !(name in exceptions))).toEqual([])
  expect(Object.keys(exceptions).filter((name) => put_right.has(name))).toEqual([])
})

it('what is put right, and what need not be, is there', async () => {
  const all = await columnsOf('.')
  const named = [...putRightHere.map(({ table, column }) => `${table}.${column}`), ...Object.keys(exceptions)]
  expect(named.filter((name) => !all.includes(name))).toEqual([])
})
