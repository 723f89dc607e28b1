import { useTranslation } from 'react-i18next'

/** What is said of a change that was made: where it waits for a second person, that. */
export function useSaid(done: string) {
  const { t } = useTranslation('configure')
  return (answer: { waits_for_approval?: boolean }) => (answer.waits_for_approval ? t('waits_for_approval') : done)
}
