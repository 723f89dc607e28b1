import { implement } from '../../http/context.ts'
import { answerPuzzle, createPuzzle } from './puzzle.ts'
import * as login from './service.ts'

export const loginCalls = implement('login', {
  puzzle: (_input, ctx) => createPuzzle(ctx.deps, ctx.request.address),
  check_puzzle: ({ puzzle_kid, ...answer }, ctx) => answerPuzzle(ctx.deps, puzzle_kid, answer),
  login: (input, ctx) => login.signIn(ctx.deps, input, ctx.request),
  async logout(_input, ctx) {
    await login.signOut(ctx.deps, ctx.session)
    return {}
  },
  session: (_input, ctx) => login.sessionAnswer(ctx.deps, ctx.session),
})
