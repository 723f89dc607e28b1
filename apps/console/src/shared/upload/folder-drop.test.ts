import { expect, test } from 'vitest'
import { byFolder, filesBelow, filesChosen, sorted } from './folder-drop.ts'

type Tree = { [name: string]: Tree | string }
/** Entries as a browser gives them for a drop; a folder hands out two at a time. */
const entryOf = (name: string, tree: Tree | string): FileSystemEntry =>
  (typeof tree === 'string'
    ? { isFile: true, isDirectory: false, name, file: (done: (file: File) => void) => done(new File([tree], name)) }
    : {
        isFile: false,
        isDirectory: true,
        name,
        createReader: () => {
          const left = Object.entries(tree).map(([each, below]) => entryOf(each, below))
          return { readEntries: (done: (part: FileSystemEntry[]) => void) => done(left.splice(0, 2)) }
        },
      }) as unknown as FileSystemEntry

test('a folder that is dropped keeps its structure, empty folders and all', async () => {
  const { found, empty } = await filesBelow([
    entryOf('Maps', { 'a.png': 'a', 'b.png': 'b', 'c.png': 'c', Asia: { 'vn.png': 'v', Empty: {} } }),
    entryOf('loose.txt', 'x'),
  ])
  expect(found.map(({ file, folders }) => [...folders, file.name].join('/'))).toEqual([
    'Maps/a.png',
    'Maps/b.png',
    'Maps/c.png',
    'Maps/Asia/vn.png',
    'loose.txt',
  ])
  expect(empty).toEqual([['Maps', 'Asia', 'Empty']])
  expect([...byFolder(found)].map(([path, files]) => [path, files.length])).toEqual([
    ['Maps', 3],
    ['Maps/Asia', 1],
    ['', 1],
  ])
})

test('a dropped file whose name cannot be kept is told apart', () => {
  const file = (path: string) =>
    Object.defineProperty(new File([''], path.split('/').at(-1)!), 'webkitRelativePath', { value: path })
  const { valid, invalid } = sorted(filesChosen([file('A/ok.txt'), file('A/end.'), file('B?/x.txt')]))
  expect(valid.map(({ file: { name } }) => name)).toEqual(['ok.txt'])
  expect(invalid.map(({ folders, file: { name } }) => [...folders, name].join('/'))).toEqual(['A/end.', 'B?/x.txt'])
})
