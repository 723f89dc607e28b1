import { useTranslation } from 'react-i18next'
import { whereFields, whereNodes } from '@mdm/contract'
import type { WhereCondition, WhereField, WhereGroup, WhereNode } from '@mdm/contract'
import { listText } from '../../../i18n/list-text.ts'
import { useNetworkLabel } from '../../device/DeviceParts.tsx'
import { useCustomFields } from '../device-fields.tsx'
import { useGroups } from '../../groups/GroupPicker.tsx'
import { flat } from '../../groups/group-tree.ts'
import { dateParts } from '../../../ui/value/format.ts'
import { useZone } from '../../../core/session.tsx'
import type { texts as english } from '../texts/en.ts'
import type { FieldKey } from './where-draft.ts'
import { kidOfField, kindOf, keyOfField } from './where-draft.ts'

type OpKey = keyof typeof english.op

/** Conditions in words: what a chip and a list of dynamic groups say. */
export function useConditionLabels() {
  const { t } = useTranslation(['device-filters', 'device', 'common'])
  const fields = useCustomFields()
  const { tree } = useGroups()
  const network = useNetworkLabel()
  const zone = useZone()

  const field = (key: FieldKey): string => {
    const kid = kidOfField(key)
    if (kid !== undefined) return fields.find((each) => each.kid === kid)?.name ?? t('gone')
    return t(`field.${key as WhereField}`)
  }
  const op = (key: FieldKey, name: string): string =>
    t(`op.${(name === 'within' && kindOf(key, fields) === 'date' ? 'within_date' : name) as OpKey}`)
  const group = (kid: string) =>
    kid === 'NO_GROUP' ? t('device:group.none') : (flat(tree).find((node) => node.kid === kid)?.name ?? kid)

  const one = (key: FieldKey, value: unknown): string => {
    if (typeof value === 'boolean') return t(value ? 'common:yes' : 'common:no')
    if (key === 'terminal_group_kid') return group(String(value))
    if (key === 'network_type') return network(String(value))
    const is_instant = whereFields[key as WhereField] === 'time'
    return is_instant ? dateParts(String(value), zone).join(' ') : String(value)
  }
  const value = (key: FieldKey, { op: name, value: told }: Pick<WhereCondition, 'op' | 'value'>): string => {
    if (told === undefined) return ''
    if (Array.isArray(told)) return listText(told.map((each) => one(key, each)))
    if (typeof told === 'object' && 'package' in told) return t('app_version', { version: '', ...told }).trim()
    if (typeof told === 'object') return t('between', told)
    if (name === 'older_than' || name === 'within') return t('days', { count: Number(told) })
    return one(key, told)
  }
  const condition = (each: WhereCondition): string => {
    const key = each.field === 'custom_field' ? keyOfField(each.custom_field_kid!) : each.field
    return t('condition', { field: field(key), op: op(key, each.op), value: value(key, each) }).trim()
  }
  const node = (each: WhereNode): string =>
    'field' in each ? condition(each) : t('in_brackets', { text: sentence(each) })
  const sentence = (where: WhereGroup): string =>
    whereNodes(where)
      .map(node)
      .join(t('all' in where ? 'and' : 'or'))
  return { field, op, sentence, fields }
}
