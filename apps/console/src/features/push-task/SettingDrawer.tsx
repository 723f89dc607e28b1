import { Form, InputNumber, Switch } from 'antd'
import { useTranslation } from 'react-i18next'
import { constants } from '@mdm/contract'
import { api, useCall, useWrite } from '../../core/api.ts'
import { Field, FormDrawer } from '../../ui/form/form.tsx'
import { zodRules } from '../../ui/form/zod-rules.ts'

type Values = { is_asked: boolean; approval_from: number | null }
const suggested = 100

/** From how many devices on a second person approves. */
export function SettingDrawer({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation(['push-task', 'common'])
  const query = useCall(api.pushTask.get_setting, {}, { fresh: true })
  const save = useWrite(api.pushTask.save_setting, { done: t('setting.saved') })
  if (!query.data) return null
  const { approval_from } = query.data
  return (
    <FormDrawer<Values>
      title={t('setting.title')}
      submit={t('setting.submit')}
      initial={{ is_asked: approval_from !== null, approval_from: approval_from ?? suggested }}
      loading={save.isPending}
      submitError={save.error}
      onSubmit={({ is_asked, approval_from: from }) => save.mutateAsync({ approval_from: is_asked ? from : null })}
      onDone={onClose}
      onClose={onClose}
    >
      <Field
        name="is_asked"
        label={t('setting.is_asked')}
        extra={t('setting.is_asked_hint', { hours: constants.approval_held_hours })}
        valuePropName="checked"
      >
        <Switch />
      </Field>
      <Form.Item noStyle shouldUpdate={(before: Values, after: Values) => before.is_asked !== after.is_asked}>
        {({ getFieldValue }) =>
          getFieldValue('is_asked') && (
            <Field
              name="approval_from"
              label={t('setting.from')}
              extra={t('setting.from_hint')}
              rules={[
                { required: true, message: t('common:invalid.required') },
                ...zodRules(api.pushTask.save_setting.input, 'approval_from'),
              ]}
            >
              <InputNumber min={1} max={1_000_000} precision={0} className="push-from" />
            </Field>
          )
        }
      </Form.Item>
    </FormDrawer>
  )
}
