import { implement } from '../../../http/context.ts'
import * as activations from './index.ts'

export const opsActivationCalls = implement('opsActivation', {
  paging: (input, ctx) => activations.paging(ctx.deps, input),
  get: ({ kid }, ctx) => activations.get(ctx.deps, kid),
  async code_file({ kid }, ctx) {
    const { name, code } = await activations.get(ctx.deps, kid)
    return { name: `${name}.activation.txt`, body: lines(code) }
  },
  public_key: async (_input, ctx) => ({ key: (await activations.signingKey(ctx.deps)).public_key }),
  async insert(input, ctx) {
    const made = await activations.insert(ctx, input)
    const { name, max_accounts: accounts, max_devices: devices } = input
    ctx.track('activation', made.kid, 'activation_issued', { name, accounts, devices })
    return made
  },
  async renew(input, ctx) {
    const { kid, name } = await activations.renew(ctx.deps, input)
    ctx.track('activation', kid, 'activation_renewed', { name })
    return { kid }
  },
  async eliminate({ kid }, ctx) {
    const { name } = await activations.eliminate(ctx.deps, kid)
    ctx.track('activation', kid, 'activation_eliminated', { name })
    return {}
  },
  async confirm(input, ctx) {
    const { kid, name, state } = await activations.confirm(ctx.deps, input)
    ctx.track('activation', kid, 'activation_reported', { name, state: [state] })
    return { state }
  },
  this_server: (_input, ctx) => activations.thisServer(ctx.deps),
  async activate({ code_token }, ctx) {
    const { kid } = await activations.activate(ctx.deps, code_token)
    ctx.track('activation', kid, 'server_activated')
    await activations.tellProvider(ctx.deps)
    return activations.thisServer(ctx.deps)
  },
})

export const activationCalls = implement('activation', {
  report: (input, ctx) => activations.report(ctx.deps, input),
})

async function* lines(code: string): AsyncIterable<Uint8Array> {
  yield Buffer.from(`${code}\n`)
}
