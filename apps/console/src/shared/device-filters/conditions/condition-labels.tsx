import { useTranslation } from 'react-i18next'
import { whereFieldNames, whereOperatorNames, whereSentence } from '@mdm/contract'
import type { WhereField, WhereGroup, WhereOperator } from '@mdm/contract'
import { useSessionStore } from '../../../core/session-store.ts'
import { useZone } from '../../../core/session.tsx'
import { useTextOf } from '../../../i18n/use-text-of.ts'
import { useCustomFields } from '../device-fields.tsx'
import { useGroups } from '../../groups/GroupPicker.tsx'
import { flat } from '../../groups/group-tree.ts'
import type { FieldKey } from './where-draft.ts'
import { kidOfField, kindOf } from './where-draft.ts'

/** Conditions in words: what a chip and a list of dynamic groups say. */
export function useConditionLabels() {
  const { t } = useTranslation('device-filters')
  const textOf = useTextOf()
  const language = useSessionStore((s) => s.language)
  const fields = useCustomFields()
  const { tree } = useGroups()
  const zone = useZone()

  const field = (key: FieldKey): string => {
    const kid = kidOfField(key)
    if (kid !== undefined) return fields.find((each) => each.kid === kid)?.name ?? t('gone')
    return textOf(whereFieldNames[key as WhereField])
  }
  const op = (key: FieldKey, name: string): string => {
    const is_date = name === 'within' && kindOf(key, fields) === 'date'
    return textOf(whereOperatorNames[is_date ? 'within_date' : (name as WhereOperator)])
  }
  const sentence = (where: WhereGroup): string =>
    whereSentence(where, {
      language,
      zone,
      names: Object.fromEntries([...fields, ...flat(tree)].map(({ kid, name }) => [kid, name])),
      dates: fields.filter(({ kind }) => kind === 'date').map(({ kid }) => kid),
    })
  return { field, op, sentence, fields }
}
