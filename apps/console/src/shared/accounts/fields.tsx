import { Form, Input, Radio } from 'antd'
import type { FormRule } from 'antd'
import { useTranslation } from 'react-i18next'
import { api, send, useCall } from '../../core/api.ts'
import type { AnyCall } from '../../core/api.ts'
import { isPassword } from '../../lib/password.ts'
import { sha1 } from '../../lib/sha1.ts'
import { Field } from '../../ui/form/form.tsx'

export type SignInValues = {
  username: string
  entry?: 'invite' | 'password'
  password?: string
  password_again?: string
}
export type ContactValues = { phone: string | null; email: string | null; wechat: string | null; remark: string }

/** Names, addresses and numbers are one person's: asked of the server while the form is filled in. */
export type Exists = { call: AnyCall; src_kid?: string }
type Unique = 'username' | 'email' | 'phone'

function useFree(field: Unique, { call, src_kid }: Exists): FormRule {
  const { t } = useTranslation('accounts')
  return {
    validator: async (_rule, value: unknown) => {
      if (typeof value !== 'string' || value.trim() === '') return
      const question = { [field]: value.trim(), ...(src_kid && { src_kid }) }
      // What cannot be asked now is said when the form is sent.
      const found = await send(call, question as never).catch(() => undefined)
      if ((found as { taken: Unique[] } | undefined)?.taken.includes(field)) throw new Error(t(`taken.${field}`))
    },
  }
}

/** Blank keeps the old password of someone who has one, and invites who has none. */
export const passwordOf = ({ entry, password }: Pick<SignInValues, 'entry' | 'password'>): string | null =>
  password && entry !== 'invite' ? sha1(password) : null

type AccountValues = SignInValues & {
  organization_name?: string | null | undefined
  wechat?: string | null | undefined
}
/** What calls about an account take of its form, name and password of the login aside. An empty line would be kept as one. */
export const accountDraft = <V extends AccountValues>({
  username: _name,
  entry: _entry,
  password: _first,
  password_again: _second,
  organization_name,
  wechat,
  ...values
}: V) => ({ ...values, organization_name: organization_name || null, wechat: wechat || null })

/** Login name, which stays for life, and the password: the person's own by an invitation, or one that is given here, twice. */
export function SignInFields({ exists, is_new }: { exists: Exists; is_new: boolean }) {
  const { t } = useTranslation('accounts')
  const free = useFree('username', exists)
  const pattern: FormRule = { pattern: /^\s*[A-Za-z0-9._@-]{4,32}\s*$/, message: t('username_rule') }
  const entry = Form.useWatch<SignInValues['entry']>('entry') ?? 'invite'
  const email = Form.useWatch<string | undefined>('email')
  const can_mail = useCall(api.login.options, {}).data?.forgot_password ?? false
  const required: FormRule[] = is_new ? [{ required: true, message: t('password_needed') }] : []
  const strength: FormRule = {
    validator: (_rule, value: string | undefined) =>
      !value || isPassword(value)
        ? Promise.resolve()
        : Promise.reject(new Error(t(is_new ? 'password_weak' : 'password_rule'))),
  }
  const same: FormRule = ({ getFieldValue }) => ({
    validator: (_rule, value: string | undefined) =>
      (value ?? '') === (getFieldValue('password') ?? '')
        ? Promise.resolve()
        : Promise.reject(new Error(t('password_same'))),
  })
  return (
    <>
      <Field
        name="username"
        className="is-wide"
        label={t('username')}
        extra={is_new ? t('username_hint') : t('username_stays')}
        rules={is_new ? [{ required: true, message: t('username_needed') }, pattern, free] : []}
      >
        <Input autoComplete="off" spellCheck={false} readOnly={!is_new} maxLength={32} />
      </Field>
      {is_new && (
        <Field
          name="entry"
          className="is-wide"
          label={t('entry.label')}
          initialValue="invite"
          extra={
            entry === 'invite'
              ? t(can_mail && email ? 'entry.by_mail' : can_mail ? 'entry.no_address' : 'entry.no_mail')
              : undefined
          }
        >
          <Radio.Group
            options={[
              { value: 'invite', label: t('entry.invite') },
              { value: 'password', label: t('entry.password') },
            ]}
          />
        </Field>
      )}
      {(!is_new || entry === 'password') && (
        <>
          <Field
            name="password"
            label={t('password')}
            extra={is_new ? t('password_rule') : t('password_keep')}
            rules={[...required, strength]}
          >
            <Input.Password autoComplete="new-password" maxLength={18} />
          </Field>
          <Field
            name="password_again"
            label={t('password_again')}
            dependencies={['password']}
            rules={[...required, same]}
          >
            <Input.Password autoComplete="new-password" maxLength={18} />
          </Field>
        </>
      )}
    </>
  )
}

/** Reachable people: each field may stay empty. */
export function ContactFields({ exists }: { exists: Exists }) {
  const { t } = useTranslation('accounts')
  const schema = api.opsAccount.insert.input
  const email = useFree('email', exists)
  const phone = useFree('phone', exists)
  return (
    <>
      <Field name="phone" label={t('phone')} schema={schema} rules={[phone]}>
        <Input type="tel" autoComplete="off" />
      </Field>
      <Field name="email" label={t('email')} schema={schema} rules={[email]}>
        <Input type="email" autoComplete="off" />
      </Field>
      <Field name="wechat" label={t('wechat')} schema={schema}>
        <Input autoComplete="off" />
      </Field>
      <Field name="remark" className="is-wide" label={t('remark')} schema={schema}>
        <Input autoComplete="off" />
      </Field>
    </>
  )
}
