import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { link } from '../../core/links.ts'
import { GroupPicker } from '../../shared/groups/GroupPicker.tsx'
import './config.css'

/** Opens the configuration of a group. */
export function LevelChoice() {
  const { t } = useTranslation('configure/edit')
  const navigate = useNavigate()
  return (
    <span className="config-level-choice">
      <GroupPicker
        placeholder={t('configure_group')}
        onChange={(kid) => void navigate(link.configureLevel.to({ kid }))}
      />
    </span>
  )
}
