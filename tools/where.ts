// Prints where a feature stands, by any of its names: `npm run -s where terminal_scrap`, `npm run -s where devices`.
import { pathToFileURL } from 'node:url'
import { contract } from '@mdm/contract'
import { browserFilesOf } from './browser-files.mjs'
import { isTest, read, sources } from './files.ts'

export type Place = {
  /** Name of the group on the wire, as in `push_task/paging`. */
  group: string
  contract: string
  module: string
  /** Folders of the console that make calls of the group, those with most of them first. */
  console: string[]
  browser: string[]
}

const calls_folder = 'packages/contract/src/calls/'
const console_file = /^apps\/console\/src\/((?:features|shared)\/[^/]+|[^/]+)/

/** Every group of the contract with the files that declare, answer, call and walk it: read from the sources, kept nowhere. */
export function allPlaces(): Place[] {
  const index = read('packages/contract/src/calls.ts')
  const handlers = read('apps/server/src/handlers.ts')
  const screens = sources.filter((path) => console_file.test(path) && !isTest(path)).map((path) => [path, read(path)])
  const fileOf = (text: string, name: string, from: RegExp): string =>
    [...text.matchAll(/import \{([^}]*)\} from '([^']+)'/g)]
      .find(([, names, path]) => from.test(path!) && names!.split(/[\s,]+/).includes(name))?.[2]
      ?.replace(/^\.\//, '') ?? ''
  return Object.entries(contract).map(([key, { calls }]) => {
    const group = Object.values(calls)[0]!.group
    const file = fileOf(index, key, /\/calls\//)
    const handler = new RegExp(`^  ${key}: (\\w+)`, 'm').exec(handlers)?.[1] ?? key
    const module = fileOf(handlers, handler, /\/modules\//).replace(/\/[^/]*$/, '')
    const times = new Map<string, number>()
    for (const [path, text] of screens) {
      const made = text!.match(new RegExp(`\\bapi\\.${key}\\b`, 'g'))?.length ?? 0
      const folder = console_file.exec(path!)![1]!
      if (made > 0) times.set(folder, (times.get(folder) ?? 0) + made)
    }
    const folders = [...times].toSorted(([, one], [, other]) => other - one).map(([folder]) => folder)
    return {
      group,
      contract: `${calls_folder}${file.replace(/^calls\//, '')}`,
      module: `apps/server/src/${module}`,
      console: folders.map((folder) => `apps/console/src/${folder}`),
      browser: browserFilesOf([`apps/server/src/${module}/calls.ts`]),
    }
  })
}

/** Places one of whose names is, or contains, what is asked for. */
export function placesOf(name: string): Place[] {
  const asked = name.replaceAll('-', '_')
  const all = allPlaces().map((place) => ({
    place,
    names: [place.group, place.contract, place.module, ...place.console, ...place.browser].map((one) =>
      one.replace(/^.*\/|\.(e2e\.)?ts$/g, '').replaceAll('-', '_'),
    ),
  }))
  const exact = all.filter(({ names }) => names.includes(asked))
  return (exact.length > 0 ? exact : all.filter(({ names }) => names.some((one) => one.includes(asked)))).map(
    ({ place }) => place,
  )
}

/** Folders of that name whose code makes and answers no calls of its own: they stand below others. */
export const foldersOf = (name: string): string[] =>
  [
    ...new Set(
      sources.flatMap(
        (path) =>
          /^(apps\/server\/src\/modules\/[^/]+\/[^/]+|apps\/console\/src\/(?:features|shared)\/[^/]+)\//.exec(
            path,
          )?.[1] ?? [],
      ),
    ),
  ].filter((folder) => folder.replace(/^.*\//, '').includes(name.replaceAll('_', '-')))

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const name = process.argv[2]
  const found = name === undefined ? allPlaces() : placesOf(name)
  for (const { group, contract: declared, module, console: folders, browser } of found)
    console.log([group, ...[declared, `${module}/`, ...folders, ...browser].map((one) => `  ${one}`)].join('\n'))
  const folders = found.length > 0 || name === undefined ? [] : foldersOf(name)
  for (const folder of folders) console.log(folder)
  if (found.length + folders.length === 0) console.error(`Nothing is called ${name}.`)
  process.exit(found.length + folders.length > 0 ? 0 : 1)
}
