import { useTranslation } from 'react-i18next'
import { FormSection } from '../../shared/accounts/FormSection.tsx'
import { GroupsPicker } from './GroupsPicker.tsx'
import { Field } from '../../ui/form/form.tsx'

/** Which devices the person is limited to. */
export function DevicesSection() {
  const { t } = useTranslation('user-account')
  return (
    <FormSection title={t('section.devices')} hint={t('section.devices_hint')}>
      <Field name="group_kids" className="is-wide" label={t('groups_label')}>
        <GroupsPicker />
      </Field>
    </FormSection>
  )
}
