import { dirname, join, normalize } from 'node:path'
import { describe, expect, test } from 'vitest'
import { isTest, read, sources } from './files.ts'
import { allPlaces, foldersOf, placesOf } from './where.ts'

/** Who may import whom: the first folder that contains a file decides. Its own folder is always allowed. */
const rooms: [folder: string, mayImport: string[]][] = [
  ['packages/contract/tools', ['packages/contract']],
  // The order of OS versions, which devices go by as well.
  ['packages/contract', ['packages/device-link']],
  ['packages/device-link', []],
  ['apps/server', ['packages/contract', 'packages/device-link']],
  ['apps/agent', ['packages/device-link']],
  ['apps/console', ['packages/contract']],
  [
    'apps/terminal',
    ['apps/agent', 'packages/device-link', 'apps/console/precompress.ts', 'apps/console/page-build.ts'],
  ],
  ['testbed', ['apps/server', 'apps/agent', 'packages/contract', 'packages/device-link']],
  // What the console says stands in its catalogues.
  ['e2e', ['testbed', 'packages/contract', 'apps/console/src/i18n']],
  ['bench', ['tools', 'testbed', 'apps/server', 'apps/agent', 'packages/contract', 'packages/device-link']],
  // A release holds the server and the agent's package.
  ['tools', ['packages/contract', 'packages/device-link', 'apps/server', 'apps/agent']],
]
const workspaces: Record<string, string> = {
  '@mdm/contract': 'packages/contract/src/index.ts',
  '@mdm/device-link': 'packages/device-link/src/index.ts',
  '@mdm/server': 'apps/server/src',
  '@mdm/agent': 'apps/agent/src',
  '@mdm/testbed': 'testbed/src',
}
/** The packages that both ends share bring no code of others into the browser or a device. */
const npmAllowed: Record<string, RegExp> = {
  'packages/contract/src': /^zod$/,
  'packages/device-link/src': /^zod$/,
}

const importPattern =
  /^(?:import\s+['"]([^'"]+)['"]|(?:import|export)\b(\s+type\b)?[^'"]*?\bfrom\s+['"]([^'"]+)['"])|\bimport\(\s*['"]([^'"]+)['"]/gm
const imports = sources.flatMap((file) =>
  [...read(file).matchAll(importPattern)].map(([, bare, type, from, lazy]) => ({
    file,
    name: (bare ?? from ?? lazy)!,
    /** Needed before the file itself can run: neither types alone, which are erased, nor what is loaded later. */
    is_value: !type && lazy === undefined,
    is_type: Boolean(type),
  })),
)

/** Where an import leads, from the root; undefined for npm packages. */
function target(file: string, name: string): string | undefined {
  if (name.startsWith('.')) return normalize(join(dirname(file), name))
  const workspace = Object.keys(workspaces).find((w) => name === w || name.startsWith(`${w}/`))
  return (
    workspace &&
    (name === workspace ? workspaces[workspace]! : `${workspaces[workspace]}/${name.slice(workspace.length + 1)}`)
  )
}

/** Groups of server modules, the lowest first. */
const districts = ['store', 'people', 'fleet', 'push', 'catalogue', 'configuration', 'devices', 'watch']

/** The module of the server that a file is of. */
function moduleOf(path: string | undefined): { district: string; key: string; rest: string } | undefined {
  const [, district, name, rest] = /^apps\/server\/src\/modules\/([^/]+)\/([^/]+)\/(.*)$/.exec(path ?? '') ?? []
  return district && name && rest ? { district, key: `${district}/${name}`, rest } : undefined
}

/** Cycles of a graph, each as the path that closes it. */
function cyclesOf(edges: ReadonlyMap<string, ReadonlySet<string>>): string[] {
  const cycles: string[] = []
  const done = new Set<string>()
  const visit = (node: string, path: string[]): void => {
    if (path.includes(node)) return void cycles.push([...path.slice(path.indexOf(node)), node].join(' -> '))
    if (done.has(node)) return
    for (const next of edges.get(node) ?? []) visit(next, [...path, node])
    done.add(node)
  }
  for (const node of edges.keys()) visit(node, [])
  return cycles
}

/** Whether a file re-exports and does nothing else. */
const isFace = (path: string): boolean =>
  read(path)
    .replaceAll(/export (type )?\{[^}]*\} from '[^']+'\n/g, '')
    .trim() === ''

/** The rooms of the console, the lowest first, and which of them each may enter besides its own. */
const consoleRooms: Record<string, string[]> = {
  lib: [],
  i18n: ['core', 'lib'],
  core: ['i18n', 'lib'],
  ui: ['core', 'i18n', 'lib'],
  map: ['ui', 'core', 'i18n', 'lib'],
  shared: ['map', 'ui', 'core', 'i18n', 'lib'],
  shell: ['shared', 'ui', 'core', 'i18n', 'lib'],
  features: ['shared', 'map', 'ui', 'core', 'i18n', 'lib'],
  app: ['features', 'shell', 'shared', 'map', 'ui', 'core', 'i18n', 'lib'],
}

describe('who may import whom', () => {
  test('every import stays within the rooms its file may enter', () => {
    const strays = imports.flatMap(({ file, name }) => {
      const room = rooms.find(([folder]) => file.startsWith(`${folder}/`))
      const to = target(file, name)
      if (!room || to === undefined) return []
      const is_allowed = [room[0], ...room[1]].some((folder) => to === folder || to.startsWith(`${folder}/`))
      return is_allowed
        ? []
        : [`${file} imports ${name}; ${room[0]} may import only ${room[1].join(', ') || 'npm packages'}`]
    })
    expect(strays).toEqual([])
  })

  test('contract and device link stand on zod alone', () => {
    const strays = imports.filter(({ file, name }) => {
      const allowed = Object.entries(npmAllowed).find(([folder]) => file.startsWith(folder) && !isTest(file))?.[1]
      return allowed && target(file, name) === undefined && !allowed.test(name)
    })
    expect(strays).toEqual([])
  })

  test('on the server, what calls stand on does not know them: no db, link or lib imports http', () => {
    const below = /^apps\/server\/src\/(db|link|lib)\//
    const strays = imports.filter(
      ({ file, name }) => below.test(file) && !isTest(file) && target(file, name)?.startsWith('apps/server/src/http/'),
    )
    expect(strays).toEqual([])
  })

  test('what tests share is for tests', () => {
    const strays = imports.filter(
      ({ file, name }) =>
        target(file, name)?.includes('/src/testing/') && !isTest(file) && !/^(testbed|e2e|bench|tools)\//.test(file),
    )
    expect(strays).toEqual([])
  })

  test('a server module is reached only through its face, index.ts, which re-exports and does nothing else', () => {
    const strays = imports.flatMap(({ file, name }) => {
      const own = moduleOf(file)
      const to = moduleOf(target(file, name))
      if (!own || isTest(file) || !to || to.key === own.key || to.rest === 'index.ts') return []
      return [`${file} imports ${name}: use modules/${to.key}/index.ts`]
    })
    expect(strays).toEqual([])
    const faces = sources.filter((path) => moduleOf(path)?.rest === 'index.ts')
    expect(faces.length).toBeGreaterThan(20)
    expect(faces.filter((path) => !isFace(path))).toEqual([])
  })

  test('a process that is started for one file of a stranger loads nothing of the server itself', () => {
    const start = 'apps/server/src/workers/file-reader.ts'
    const reached = new Map<string, string>([[start, '']])
    for (const file of reached.keys())
      for (const each of imports) {
        const to = each.file === file && !each.is_type ? target(file, each.name) : undefined
        if (to?.startsWith('apps/server/src/') && !reached.has(to)) reached.set(to, file)
      }
    expect(reached.has('apps/server/src/lib/sheet-read.ts')).toBe(true)
    const strays = [...reached].filter(([file]) =>
      /^apps\/server\/src\/(db|http|jobs|link|files)\/|\/service\.ts$/.test(file),
    )
    expect(strays.map(([file, by]) => `${by} brings ${file}`)).toEqual([])
  })

  test('server modules form no cycle, nor do their districts', () => {
    for (const part of ['key', 'district'] as const) {
      const edges = new Map<string, Set<string>>()
      for (const { file, name } of imports) {
        const own = moduleOf(file)?.[part]
        const other = moduleOf(target(file, name))?.[part]
        if (own && other && own !== other && !isTest(file)) edges.set(own, (edges.get(own) ?? new Set()).add(other))
      }
      expect(edges.size).toBeGreaterThan(4)
      expect(cyclesOf(edges)).toEqual([])
    }
  })

  test('a district of server modules enters only those below it', () => {
    const strays = imports.flatMap(({ file, name }) => {
      const own = moduleOf(file)?.district
      const to = moduleOf(target(file, name))?.district
      const is_below = own && to && districts.indexOf(to) <= districts.indexOf(own)
      return !own || !to || isTest(file) || is_below ? [] : [`${file} imports ${name}: ${to} stands above ${own}`]
    })
    expect(strays).toEqual([])
    expect([...new Set(sources.flatMap((path) => moduleOf(path)?.district ?? []))].toSorted()).toEqual(
      [...districts].toSorted(),
    )
  })

  test('the rooms of the server need each other in one direction', () => {
    const room = (path: string | undefined) => /^apps\/server\/src\/([^/]+)\//.exec(path ?? '')?.[1]
    const edges = new Map<string, Set<string>>()
    for (const { file, name, is_value } of imports) {
      const [own, other] = [room(file), room(target(file, name))]
      if (!is_value || !own || !other || own === other || own === 'testing' || isTest(file)) continue
      edges.set(own, (edges.get(own) ?? new Set()).add(other))
    }
    expect(edges.size).toBeGreaterThan(5)
    expect(cyclesOf(edges)).toEqual([])
  })

  test('a console feature is entered only through its face, public.ts, which re-exports and does nothing else', () => {
    const featureOf = (path: string | undefined) => /^apps\/console\/src\/features\/([^/]+)\/(.*)$/.exec(path ?? '')
    const strays = imports.flatMap(({ file, name }) => {
      const [, own] = featureOf(file) ?? []
      const [, other, rest] = featureOf(target(file, name)) ?? []
      return own && other && own !== other && rest !== 'public.ts' ? [`${file} imports ${name}`] : []
    })
    expect(strays).toEqual([])
    const faces = sources.filter((path) => featureOf(path)?.[2] === 'public.ts')
    expect(faces.length).toBeGreaterThan(3)
    expect(faces.filter((path) => !isFace(path))).toEqual([])
  })
  test('features of the console form no circle', () => {
    const feature = (path: string | undefined) => /^apps\/console\/src\/features\/([^/]+)\//.exec(path ?? '')?.[1]
    const edges = new Map<string, Set<string>>()
    for (const { file, name } of imports) {
      const [own, other] = [feature(file), feature(target(file, name))]
      if (own && other && own !== other) edges.set(own, (edges.get(own) ?? new Set()).add(other))
    }
    expect(edges.size).toBeGreaterThan(5)
    expect(cyclesOf(edges)).toEqual([])
  })
  test('a room of the console enters only those below it', () => {
    const strays = imports.flatMap(({ file, name }) => {
      const own = /^apps\/console\/src\/([^/]+)\//.exec(file)?.[1]
      const [, other, rest] = target(file, name)?.match(/^apps\/console\/src\/([^/]+)\/(.*)$/) ?? []
      if (!own || !other || own === other || consoleRooms[own]?.includes(other)) return []
      // The catalogues stand beside what they are of; their types come together in one place.
      if (file.endsWith('/i18n/resources.ts') && rest?.endsWith('texts/en.ts')) return []
      return [`${file} imports ${name}: ${own}/ may import only ${consoleRooms[own]?.join(', ') || 'npm packages'}`]
    })
    expect(strays).toEqual([])
  })

  // Whichever of a cycle is loaded first finds the other half empty. What imports types alone is no part of one.
  test('no file needs, through others, itself', () => {
    const edges = new Map<string, Set<string>>()
    for (const { file, name, is_value } of imports) {
      const to = target(file, name)
      if (!is_value || to === undefined) continue
      edges.set(file, (edges.get(file) ?? new Set()).add(to))
    }
    expect(cyclesOf(edges)).toEqual([])
  })
})

describe('where a feature stands', () => {
  const places = allPlaces()

  test('is found for every group of calls: the file that declares it, and the module that answers it', () => {
    const isThere = (path: string) => sources.some((one) => one === path || one.startsWith(`${path}/`))
    expect(places.length).toBeGreaterThan(60)
    expect(places.filter(({ contract, module }) => !isThere(contract) || !isThere(module))).toEqual([])
  })
  test('is said by any of its names', () => {
    expect(placesOf('terminal_scrap').map(({ module }) => module)).toEqual(['apps/server/src/modules/devices/terminal'])
    expect(placesOf('push-task')[0]?.console).toContain('apps/console/src/features/push-task')
    expect(placesOf('no such thing')).toEqual([])
    expect(foldersOf('brakes')).toEqual(['apps/server/src/modules/people/brakes'])
  })
})
