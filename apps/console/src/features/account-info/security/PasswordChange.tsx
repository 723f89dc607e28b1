import { CheckOutlined, MinusOutlined } from '@ant-design/icons'
import { Button, Form, Input } from 'antd'
import type { FormRule } from 'antd'
import { useTranslation } from 'react-i18next'
import { api, useWrite } from '../../../core/api.ts'
import { isPassword, passwordParts } from '../../../lib/password.ts'
import { sha1 } from '../../../lib/sha1.ts'
import { useDialog } from '../../../ui/dialog/use-dialog.ts'
import { Field, FormDrawer } from '../../../ui/form/form.tsx'
import type { Info } from '../AccountInfoPage.tsx'
import { Part } from '../Part.tsx'

export function PasswordChange({ info }: { info: Info }) {
  const { t } = useTranslation('account-info')
  const dialog = useDialog({ password: 'signed_in' }, [])
  return (
    <Part
      title={t('password.title')}
      hint={t('password.hint')}
      actions={<Button onClick={() => dialog.open('password')}>{t('password.change')}</Button>}
    >
      {dialog.is('password') && <ChangeDrawer username={info.username} onClose={dialog.close} />}
    </Part>
  )
}

type Values = { old_password: string; new_password: string; again: string }

function ChangeDrawer({ username, onClose }: { username: string; onClose: () => void }) {
  const { t } = useTranslation('account-info')
  const [form] = Form.useForm<Values>()
  const typed = Form.useWatch('new_password', form) ?? ''
  const change = useWrite(api.account.change_password, { done: t('password.changed') })
  const refused = (message: string, when: (text: string) => boolean): FormRule => ({
    validator: (_rule, text: string | undefined) =>
      text && when(text) ? Promise.reject(new Error(message)) : Promise.resolve(),
  })
  const required = { required: true, message: t('password.required') }
  return (
    <FormDrawer<Values>
      form={form}
      title={t('password.change')}
      submit={t('password.change')}
      initial={{}}
      loading={change.isPending}
      submitError={change.error}
      onSubmit={({ old_password, new_password }) =>
        change.mutateAsync({ old_password: sha1(old_password), new_password: sha1(new_password) })
      }
      onDone={onClose}
      onClose={onClose}
    >
      {/* Tells password managers whose password is changed. */}
      <input type="text" autoComplete="username" value={username} readOnly hidden />
      <Field name="old_password" label={t('password.old')} rules={[required]}>
        <Input.Password autoFocus autoComplete="current-password" maxLength={64} />
      </Field>
      <Field
        name="new_password"
        label={t('password.new')}
        dependencies={['old_password']}
        extra={<Strength text={typed} />}
        rules={[
          required,
          refused(t('password.rule'), (text) => !isPassword(text)),
          refused(t('password.is_name'), (text) => text === username),
          refused(t('password.is_old'), (text) => text === form.getFieldValue('old_password')),
        ]}
      >
        <Input.Password autoComplete="new-password" maxLength={18} />
      </Field>
      <Field
        name="again"
        label={t('password.again')}
        dependencies={['new_password']}
        rules={[required, refused(t('password.differs'), (text) => text !== form.getFieldValue('new_password'))]}
      >
        <Input.Password autoComplete="new-password" maxLength={18} />
      </Field>
    </FormDrawer>
  )
}

/** What the rule asks for, ticked off while typing. */
function Strength({ text }: { text: string }) {
  const { t } = useTranslation('account-info')
  return (
    <ul className="password-parts" aria-label={t('password.rule')}>
      {(Object.keys(passwordParts) as (keyof typeof passwordParts)[]).map((part) => {
        const is_met = passwordParts[part](text)
        return (
          <li key={part} data-met={is_met}>
            {is_met ? <CheckOutlined aria-label={t('password.met')} /> : <MinusOutlined aria-hidden />}
            {t(`password.part.${part}`)}
          </li>
        )
      })}
    </ul>
  )
}
