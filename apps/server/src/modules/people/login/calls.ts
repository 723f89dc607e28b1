import { implement } from '../../../http/context.ts'
import { oidcPath } from './oidc.ts'
import { forgotPassword } from './forgotten.ts'
import { confirmPassword } from './own-password.ts'
import { answerPuzzle, createPuzzle } from './puzzle/puzzle.ts'
import * as login from './service.ts'
import { confirmByPasskey, passkeyChallenge, passkeyHost } from './passkeys.ts'
import { beginWithPasskey, exchange, readLink, secondStep, setPassword, signIn, signInWithPasskey } from './sign-in.ts'

export const loginCalls = implement('login', {
  puzzle: (_input, ctx) => createPuzzle(ctx.deps, ctx.request),
  check_puzzle: ({ puzzle_kid, ...answer }, ctx) => answerPuzzle(ctx.deps, puzzle_kid, answer, ctx.request),
  login: (input, ctx) => signIn(ctx.deps, input, ctx.request),
  async forgot_password(input, ctx) {
    await forgotPassword(ctx.deps, input, ctx.request)
    return {}
  },
  read_link: (input, ctx) => readLink(ctx.deps, input, ctx.request),
  set_password: (input, ctx) => setPassword(ctx.deps, input, ctx.request),
  totp: (input, ctx) => secondStep(ctx.deps, input, ctx.request),
  async options(_input, ctx) {
    const { oidc, smtp } = ctx.deps.config
    return {
      oidc: oidc ? { name: oidc.name, url: oidcPath } : null,
      passkeys: passkeyHost(ctx.deps),
      forgot_password: smtp !== null,
    }
  },
  exchange: (input, ctx) => exchange(ctx.deps, input, ctx.request),
  passkey_begin: (_input, ctx) => beginWithPasskey(ctx.deps, ctx.request),
  passkey: (input, ctx) => signInWithPasskey(ctx.deps, input, ctx.request),
  confirm_passkey_begin: (_input, ctx) => passkeyChallenge(ctx.deps, ctx.session.user_kid),
  confirm_passkey: ({ answer }, ctx) => confirmByPasskey(ctx, answer),
  confirm_password: ({ password }, ctx) => confirmPassword(ctx, password),
  async logout(_input, ctx) {
    await login.signOut(ctx)
    return {}
  },
  session: (_input, ctx) => login.sessionAnswer(ctx),
})
