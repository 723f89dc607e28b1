import { implement } from '../../../http/context.ts'
import * as editing from './edit.ts'
import * as menus from './service.ts'

export const menuTreeCalls = implement('menuTree', {
  list: ({ p_id }, ctx) => menus.list(ctx, p_id),
})

export const opsMenuTreeCalls = implement('opsMenuTree', {
  list: (_input, ctx) => editing.listAll(ctx.deps),
  get: ({ kid }, ctx) => editing.get(ctx.deps, kid),
  exists: async (input, ctx) => ({ exists: await editing.isTaken(ctx.deps, input) }),
  async insert(input, ctx) {
    const made = await editing.insert(ctx.deps, input)
    ctx.track('menu_tree', made.kid, 'created', { name: input.code })
    return made
  },
  async update(input, ctx) {
    await editing.update(ctx.deps, input)
    ctx.track('menu_tree', input.kid, 'changed', { name: input.code })
    return {}
  },
  async move(input, ctx) {
    const { code } = await editing.move(ctx.deps, input)
    ctx.track('menu_tree', input.kid, 'moved', { name: code, to: input.target_parent_kid })
    return {}
  },
  async delete({ kid }, ctx) {
    const { code } = await editing.remove(ctx.deps, kid)
    ctx.track('menu_tree', kid, 'deleted', { name: code })
    return {}
  },
})
