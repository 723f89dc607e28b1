import type { Actor } from '../../../actor.ts'
import { wholeAccount } from '../../../actor.ts'
import { implement } from '../../../http/context.ts'
import type { Ctx, Handlers } from '../../../http/context.ts'
import * as configs from './configs.ts'
import * as templates from './templates.ts'

type AnyCtx = Omit<Ctx, 'fail'>

const templateCalls = (whose: (ctx: AnyCtx) => Actor): Handlers<'istageTemplate'> & Handlers<'opsIstageTemplate'> => ({
  paging: (input, ctx) => templates.paging(whose(ctx), input),
  get: ({ kid }, ctx) => templates.get(whose(ctx), kid),
  async import({ private_content }, ctx) {
    const row = await templates.importFile(whose(ctx), Buffer.from(private_content, 'base64'))
    ctx.track('istage_template', row.kid, 'version_imported', { name: row.name, version: row.version })
    return row
  },
  async delete({ kid }, ctx) {
    const { name } = await templates.remove(whose(ctx), kid)
    ctx.track('istage_template', kid, 'deleted', { name })
    return {}
  },
})

export const istageTemplateCalls = implement(
  'istageTemplate',
  templateCalls((ctx) => ctx),
)
/** The provider's templates, whomever the caller has entered. */
export const opsIstageTemplateCalls = implement(
  'opsIstageTemplate',
  templateCalls((ctx) => wholeAccount(ctx, ctx.session.own_account_kid)),
)

export const istageConfigCalls = implement('istageConfig', {
  paging: (input, ctx) => configs.paging(ctx, input),
  get: ({ kid }, ctx) => configs.get(ctx, kid),
  async insert(input, ctx) {
    const row = await configs.insert(ctx, input)
    ctx.track('istage_config', row.kid, 'created', { name: row.name })
    return row
  },
  async update(input, ctx) {
    const row = await configs.update(ctx, input)
    ctx.track('istage_config', row.kid, 'changed', { name: row.name })
    return row
  },
  async copy(input, ctx) {
    const row = await configs.copy(ctx, input)
    ctx.track('istage_config', row.kid, 'created', { name: row.name })
    return row
  },
  async delete({ kid }, ctx) {
    const { name } = await configs.remove(ctx, kid)
    ctx.track('istage_config', kid, 'deleted', { name })
    return {}
  },
  async export({ kid }, ctx) {
    const { name, ...file } = await configs.exportFile(ctx, kid)
    ctx.track('istage_config', kid, 'downloaded', { name })
    return file
  },
})
