import { access, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { constants, pushTaskTypes } from '@mdm/contract'
import { expect, it } from 'vitest'
import { namedActs, rulesOf } from './acts.ts'
import type { Act } from './acts.ts'

const root = join(import.meta.dirname, '../../../../../..')
const named = (cell: string) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name]) => name!)

/** The rows of the table of acts. */
async function table(): Promise<string[][]> {
  const page = await readFile(join(root, 'docs/brakes.md'), 'utf8')
  const lines = page.split('\n').filter((line) => line.startsWith('| `'))
  return lines.map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  )
}

function shown(act: Act): string[] {
  const { is_destructive, is_delayed, per_hour, unapproved } = rulesOf(act)
  const many = `from ${constants.password_from_devices}`
  return [
    is_destructive ? many : 'no',
    per_hour?.toLocaleString('en') ?? 'any',
    unapproved ?? 'no',
    is_delayed ? `${many} a minute later` : 'at once',
  ]
}

it('the page on brakes says of each act what the code does, and which tests show it', async () => {
  const rows = await table()
  const said = rows.flatMap(([acts, , ...cells]) => named(acts!).map((act) => [act, cells.slice(0, 4)]))
  const done = [...pushTaskTypes, ...namedActs].map((act) => [act, shown(act)])
  expect(said.toSorted()).toEqual(done.toSorted())
  expect(constants.scrap_delay_seconds).toBe(60)
  for (const test of rows.flatMap((cells) => named(cells.at(-1)!)))
    await access(join(import.meta.dirname, '../..', test))
})
