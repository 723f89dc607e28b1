import { informationLists } from '@mdm/contract'
import type { InformationKey } from '@mdm/contract'
import { implement } from '../../../http/context.ts'
import type { Handlers } from '../../../http/context.ts'
import * as files from './files.ts'
import * as information from './service.ts'

/** The handlers of one list: the same for all, whose schemas differ. */
function callsOf(key: InformationKey): Handlers<'opsClientCode'> {
  const { name: list } = informationLists[key]
  return implement('opsClientCode', {
    paging: (input, ctx) => information.paging(ctx, list, input),
    get: (input, ctx) => information.get(ctx, list, input.kid),
    async exists({ code, name, src_kid }, ctx) {
      const found = await information.taken(ctx, list, {
        codes: code === undefined ? [] : [code],
        names: name === undefined ? [] : [name],
        src_kid,
      })
      return { exists: found.codes.size + found.names.size > 0 }
    },
    async insert(input, ctx) {
      const row = await information.insert(ctx, list, input)
      ctx.track(list, row.kid, 'created', { name: row.code })
      return row
    },
    async update(input, ctx) {
      const row = await information.update(ctx, list, input)
      ctx.track(list, row.kid, 'changed_to', { name: row.code })
      return row
    },
    async delete({ kid }, ctx) {
      const row = await information.remove(ctx, list, kid)
      ctx.track(list, kid, 'deleted', { name: row.code })
      return {}
    },
    template: async (_, ctx) => files.templateFile(list, ctx.request.language),
    preview_import: ({ upload_kid }, ctx) => files.preview(ctx, list, upload_kid),
    async import({ rows }, ctx) {
      const { imported, left_out } = await information.importRows(ctx, list, rows)
      if (imported[0]) ctx.track(list, imported[0].kid, 'rows_imported', { count: imported.length })
      return { imported: imported.length, left_out: left_out.map(({ code }) => code) }
    },
  })
}

export const solutionCalls = callsOf('solution')
export const hardwareCalls = callsOf('hardware')
export const romMemoryCalls = callsOf('romMemory')
export const ramMemoryCalls = callsOf('ramMemory')
export const screenCalls = callsOf('screen')
export const extendedCalls = callsOf('extended')
export const languageCalls = callsOf('language')
export const clientCodeCalls = callsOf('clientCode')
