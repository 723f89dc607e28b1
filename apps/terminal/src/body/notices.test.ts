import { jumpingClock } from '@mdm/agent/testing/clock.ts'
import { beforeEach, expect, test } from 'vitest'
import { documentsIn } from '../store/documents.ts'
import { memoryDatabase } from '../testing/memory-database.ts'
import { openView } from '../view.ts'
import { openNotices } from './notices.ts'

const signal = new AbortController().signal
let late: string[] = []
let ids = 0
beforeEach(() => {
  late = []
  ids = 0
})

async function notices(database = memoryDatabase()) {
  const [view, clock] = [openView(), jumpingClock()]
  const opened = await openNotices({
    store: documentsIn(database),
    view,
    clock,
    randomId: () => `m${(ids += 1)}`,
    on_read_late: ({ title }) => void late.push(title),
  })
  return { ...opened, view, clock, database }
}
const shown = (n: Awaited<ReturnType<typeof notices>>) => expect.poll(() => n.view.now.messages.length).toBe(1)

test('a message is done when it was acknowledged', async () => {
  const n = await notices()
  const done = n.show({ title: 'Shift', text: 'ends' }, signal)
  await shown(n)
  await n.acknowledge('m1')
  expect(await done).toBe('Acknowledged')
  expect(late).toEqual([])
})

test('one that nobody reads is done as shown, and reading it later is told once', async () => {
  const n = await notices()
  const done = n.show({ title: 'Shift', text: 'ends' }, signal)
  await shown(n)
  n.clock.jump(60_000)
  expect(await done).toMatch(/^Shown/)
  await n.acknowledge('m1')
  await n.acknowledge('m1')
  expect(late).toEqual(['Shift'])
})

test('a message that was not read is there after a reload', async () => {
  const n = await notices()
  void n.show({ title: 'Shift', text: 'ends' }, signal)
  await shown(n)
  const again = await notices(n.database)
  expect(again.view.now.messages).toMatchObject([{ title: 'Shift', is_read: false }])
})

test('a question goes when it is answered, and when nobody asks any more', async () => {
  const n = await notices()
  const first = n.ask('Now?', false, signal)
  n.view.now.questions[0]!.answer('yes')
  expect(await first).toBe('yes')
  const asking = new AbortController()
  const second = n.ask('Now?', true, asking.signal)
  asking.abort(new Error('canceled'))
  await expect(second).rejects.toThrow('canceled')
  expect(n.view.now.questions).toEqual([])
})
