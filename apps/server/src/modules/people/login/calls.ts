import { implement } from '../../../http/context.ts'
import { oidcPath } from './oidc.ts'
import { confirmPassword } from './own-password.ts'
import { answerPuzzle, createPuzzle } from './puzzle/puzzle.ts'
import * as login from './service.ts'
import { exchange, secondStep, signIn } from './sign-in.ts'

export const loginCalls = implement('login', {
  puzzle: (_input, ctx) => createPuzzle(ctx.deps, ctx.request),
  check_puzzle: ({ puzzle_kid, ...answer }, ctx) => answerPuzzle(ctx.deps, puzzle_kid, answer, ctx.request),
  login: (input, ctx) => signIn(ctx.deps, input, ctx.request),
  totp: (input, ctx) => secondStep(ctx.deps, input, ctx.request),
  async options(_input, ctx) {
    const { oidc } = ctx.deps.config
    return { oidc: oidc ? { name: oidc.name, url: oidcPath } : null }
  },
  exchange: (input, ctx) => exchange(ctx.deps, input, ctx.request),
  confirm_password: ({ password }, ctx) => confirmPassword(ctx, password),
  async logout(_input, ctx) {
    await login.signOut(ctx)
    return {}
  },
  session: (_input, ctx) => login.sessionAnswer(ctx),
})
