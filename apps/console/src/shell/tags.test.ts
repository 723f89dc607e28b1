import { expect, test } from 'vitest'
import { visited } from './tags.ts'
import type { Tag } from './tags.ts'

const tag = (path: string, more: Partial<Tag> = {}): Tag => ({ path, search: '', page: 'homeIndex', ...more })
const [home, add, list] = [tag('/home'), tag('/app-add'), tag('/app-list')]
const paths = (tags: readonly Tag[]) => tags.map(({ path }) => path)

test('a new place is a new tag at the end, the oldest goes; a known one keeps its place and its name', () => {
  expect(paths(visited([home, add], list))).toEqual(['/home', '/app-add', '/app-list'])
  const many = Array.from({ length: 12 }, (_, n) => tag(`/page-${n}`))
  expect(paths(visited(many, home))).toEqual([...paths(many.slice(1)), '/home'])
  const device = tag('/device/info', { record: 'k', name: 'Till 1' })
  expect(visited([device, home], tag('/device/apps', { record: 'k' }))).toEqual([
    tag('/device/apps', { record: 'k', name: 'Till 1' }),
    home,
  ])
})

test('a form that is left gives its tag to the page that it is left for', () => {
  expect(paths(visited([home, add], list, add))).toEqual(['/home', '/app-list'])
  expect(paths(visited([home, list, add], list, add))).toEqual(['/home', '/app-list'])
  // Its own steps are one tag; what was closed meanwhile is not made anew.
  expect(paths(visited([home, add], { ...add, search: '?step=2' }, add))).toEqual(['/home', '/app-add'])
  expect(paths(visited([home], list, add))).toEqual(['/home', '/app-list'])
})
