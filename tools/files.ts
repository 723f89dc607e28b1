import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './terminal.mjs'

/** Paths, from the root, of the TypeScript that git tracks or would track. */
export const sources: string[] = execFileSync(
  'git',
  ['ls-files', '--cached', '--others', '--exclude-standard', '*.ts', '*.tsx', '*.mjs'],
  {
    cwd: root,
    encoding: 'utf8',
  },
)
  .split('\n')
  .filter((path) => path !== '' && existsSync(join(root, path)))

export const read = (path: string): string => readFileSync(join(root, path), 'utf8')
export const isTest = (path: string): boolean => /\.test\.tsx?$|\.e2e\.ts$|\/testing\//.test(path)
