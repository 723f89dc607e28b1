import { languages } from '@mdm/contract'
import { expect, test } from 'vitest'
import { modulesOf } from './actions.ts'

test.each(languages)(
  'every module with a write is there once, with a name for each of its actions (%s)',
  (language) => {
    const modules = modulesOf(language)
    expect(new Set(modules.map(({ value }) => value)).size).toBe(modules.length)
    expect(modules.map(({ value }) => value)).toContain('push_task')
    expect(modules.map(({ value }) => value)).not.toContain('operation_log')
    const files = modules.find(({ value }) => value === 'file_cloud')
    expect(files?.actions.map(({ value }) => value)).toEqual([
      'insert',
      'insert_folder',
      'make_path',
      'update',
      'move',
      'copy',
      'delete',
      'batch_delete',
    ])
    for (const { label, actions } of modules)
      for (const name of [label, ...actions.map((a) => a.label)]) expect(name).toBeTruthy()
  },
)
