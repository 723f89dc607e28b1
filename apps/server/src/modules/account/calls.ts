import { implement } from '../../http/context.ts'
import { endSessions, linkIdentity } from '../login/service.ts'
import { ownOrBelow, quotaOf } from '../quota/service.ts'
import { preferences, savePreference, savePreferences } from './preferences.ts'
import * as account from './service.ts'
import { endSession, listSessions } from './sessions.ts'
import { beginTotp, disableTotp, enableTotp } from './two-factor.ts'

export const accountCalls = implement('account', {
  info: (_input, ctx) => account.info(ctx.deps.db, ctx.session.user_kid),
  async save_preferences(input, ctx) {
    await savePreferences(ctx.deps, ctx.session.user_kid, input)
    ctx.track('user_account', ctx.session.user_kid, 'preferences_saved', {
      fields: Object.keys(input) as (keyof typeof input)[],
    })
    return {}
  },
  async check_inventory({ parent_kid, src_kid, num }, ctx) {
    const { db } = ctx.deps
    const parent = parent_kid && (await ownOrBelow(db, ctx.account_kid, parent_kid))
    const source = src_kid && (await ownOrBelow(db, ctx.account_kid, src_kid))
    const quota = parent ? await quotaOf(db, parent, source) : await quotaOf(db, source ?? ctx.account_kid)
    return { ...quota, is_enough: quota.remaining >= num }
  },
  async update_info(input, ctx) {
    await account.updateInfo(ctx.deps, ctx.session.user_kid, input)
    ctx.track('user_account', ctx.session.user_kid, 'own_details_changed')
    return {}
  },
  async change_password(input, ctx) {
    await account.changePassword(ctx.deps, ctx.session, input, ctx.request.address)
    ctx.track('user_account', ctx.session.user_kid, 'own_password_changed')
    return {}
  },
  list_session: (_input, ctx) => listSessions(ctx.deps, ctx.session),
  async end_session({ kid }, ctx) {
    await endSession(ctx.deps, ctx.session.user_kid, kid)
    ctx.track('session', kid, 'ended')
    return {}
  },
  async end_other_sessions(_input, ctx) {
    const ended = await endSessions(ctx.deps, ctx.session.user_kid, ctx.session.kid)
    ctx.track('user_account', ctx.session.user_kid, 'sessions_ended', { count: ended })
    return { ended }
  },
  totp_begin: (_input, ctx) => beginTotp(ctx.deps, ctx.session),
  async totp_enable({ totp_code }, ctx) {
    const enabled = await enableTotp(ctx.deps, ctx.session, totp_code, ctx.request.address)
    ctx.track('user_account', ctx.session.user_kid, 'totp_on')
    return enabled
  },
  async totp_disable(_input, ctx) {
    await disableTotp(ctx.deps, ctx.session.user_kid)
    ctx.track('user_account', ctx.session.user_kid, 'totp_off')
    return {}
  },
  async oidc_link({ link_token }, ctx) {
    await linkIdentity(ctx.deps, ctx.session.user_kid, link_token, ctx.request.oidc_cookie)
    ctx.track('user_account', ctx.session.user_kid, 'identity_linked')
    return {}
  },
  async oidc_unlink(_input, ctx) {
    await account.unlinkOidc(ctx.deps, ctx.session.user_kid)
    ctx.track('user_account', ctx.session.user_kid, 'identity_unlinked')
    return {}
  },
  preferences: (_input, ctx) => preferences(ctx.deps, ctx.session.user_kid),
  async save_preference({ key, value }, ctx) {
    await savePreference(ctx.deps, ctx.session.user_kid, key, value)
    return {}
  },
})
