import { implement } from '../../../http/context.ts'
import { addPasskey, beginPasskey, endSessions, linkIdentity, listPasskeys, removePasskey } from '../login/index.ts'
import { quotaFor } from '../quota/index.ts'
import { preferences, savePreference, savePreferences } from './preferences.ts'
import * as account from './service.ts'
import { endSession, listSessions } from './sessions.ts'
import { beginTotp, disableOwnTotp, enableTotp } from './two-factor.ts'

export const accountCalls = implement('account', {
  info: (_input, ctx) => account.info(ctx),
  async save_preferences(input, ctx) {
    await savePreferences(ctx, input)
    ctx.track('user_account', ctx.session.user_kid, 'preferences_saved', {
      fields: Object.keys(input) as (keyof typeof input)[],
    })
    return {}
  },
  async check_inventory({ num, ...of }, ctx) {
    const quota = await quotaFor(ctx, of)
    return { ...quota, is_enough: quota.remaining >= num }
  },
  async update_info(input, ctx) {
    await account.updateInfo(ctx, input)
    ctx.track('user_account', ctx.session.user_kid, 'own_details_changed')
    return {}
  },
  async change_password(input, ctx) {
    await account.changePassword(ctx, input)
    ctx.track('user_account', ctx.session.user_kid, 'own_password_changed')
    return {}
  },
  list_session: (_input, ctx) => listSessions(ctx),
  async end_session({ kid }, ctx) {
    await endSession(ctx, kid)
    ctx.track('session', kid, 'ended')
    return {}
  },
  async end_other_sessions(_input, ctx) {
    const ended = await endSessions(ctx.deps, ctx.session.user_kid, ctx.session.kid)
    ctx.track('user_account', ctx.session.user_kid, 'sessions_ended', { count: ended })
    return { ended }
  },
  totp_begin: (_input, ctx) => beginTotp(ctx),
  async totp_enable({ totp_code }, ctx) {
    const enabled = await enableTotp(ctx, totp_code)
    ctx.track('user_account', ctx.session.user_kid, 'totp_on')
    return enabled
  },
  async totp_disable(_input, ctx) {
    await disableOwnTotp(ctx)
    ctx.track('user_account', ctx.session.user_kid, 'totp_off')
    return {}
  },
  list_passkey: (_input, ctx) => listPasskeys(ctx),
  passkey_begin: (_input, ctx) => beginPasskey(ctx),
  async passkey_add(input, ctx) {
    const added = await addPasskey(ctx, input)
    ctx.track('user_account', ctx.session.user_kid, 'passkey_added', { name: input.name })
    return added
  },
  async passkey_remove({ kid }, ctx) {
    const name = await removePasskey(ctx, kid)
    ctx.track('user_account', ctx.session.user_kid, 'passkey_removed', { name })
    return {}
  },
  async oidc_link({ link_token }, ctx) {
    await linkIdentity(ctx, link_token)
    ctx.track('user_account', ctx.session.user_kid, 'identity_linked')
    return {}
  },
  async oidc_unlink(_input, ctx) {
    await account.unlinkOidc(ctx)
    ctx.track('user_account', ctx.session.user_kid, 'identity_unlinked')
    return {}
  },
  preferences: (_input, ctx) => preferences(ctx),
  async save_preference({ key, value }, ctx) {
    await savePreference(ctx, key, value)
    return {}
  },
})
