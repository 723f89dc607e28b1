import { implement } from '../../http/context.ts'
import * as menus from './service.ts'

export const menuTreeCalls = implement('menuTree', {
  list: ({ p_id }, ctx) => menus.list(ctx.deps.db, ctx.session, p_id),
})
