import { implement } from '../../../http/context.ts'
import * as tokens from './service.ts'

export const apiTokenCalls = implement('apiToken', {
  list: (_input, ctx) => tokens.list(ctx),
  async insert(input, ctx) {
    const made = await tokens.insert(ctx, input)
    ctx.track('api_token', made.kid, 'created', { name: input.name })
    return made
  },
  async delete({ kid }, ctx) {
    const name = await tokens.revoke(ctx, kid)
    ctx.track('api_token', kid, 'revoked', { name })
    return {}
  },
})
