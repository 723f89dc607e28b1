import { implement } from '../../http/context.ts'
import * as tokens from './service.ts'

export const apiTokenCalls = implement('apiToken', {
  list: (_input, ctx) => tokens.list(ctx.deps, ctx.session.user_kid),
  async insert(input, ctx) {
    const made = await tokens.insert(ctx.deps, ctx.session, input)
    ctx.track('api_token', made.kid, 'created', { name: input.name })
    return made
  },
  async delete({ kid }, ctx) {
    const name = await tokens.revoke(ctx.deps, ctx.session.user_kid, kid)
    ctx.track('api_token', kid, 'revoked', { name })
    return {}
  },
})
