import type { Kind } from './kind.ts'

export const message: Kind<'message'> = {
  store: async (_actor, payload) => ({ payload, summary: payload.title }),
}
