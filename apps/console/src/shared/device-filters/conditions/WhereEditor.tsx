import { CloseOutlined, PlusOutlined } from '@ant-design/icons'
import { Button, Form, Segmented, Select } from 'antd'
import { useTranslation } from 'react-i18next'
import { whereFields, whereLimits } from '@mdm/contract'
import type { WhereField } from '@mdm/contract'
import { api, useCall } from '../../../core/api.ts'
import { useCount } from '../../../ui/value/format.ts'
import { WhereValue } from './WhereValue.tsx'
import {
  conditionsIn,
  isComplete,
  isGroup,
  keyOfField,
  kindOf,
  newCondition,
  newGroup,
  operatorsOf,
  replaced,
  whereOf,
  withField,
  withOperator,
} from './where-draft.ts'
import type { DraftCondition, DraftGroup, DraftNode } from './where-draft.ts'
import { useConditionLabels } from './condition-labels.tsx'

type Props = { value?: DraftGroup; onChange?: (draft: DraftGroup) => void }

/** The control of a form's field: conditions, joined by AND and OR, in brackets. */
export function WhereEditor({ value, onChange }: Props) {
  const { t } = useTranslation('device-filters')
  if (!value) return null
  const change = (id: number, by: DraftNode | null) =>
    onChange?.(id === value.id && by ? (by as DraftGroup) : replaced(value, id, by))
  const is_full = conditionsIn(value).length >= whereLimits.conditions
  return (
    <div className="where">
      <Group group={value} level={1} is_full={is_full} change={change} />
      {is_full && <p className="dim">{t('build.full', { max: whereLimits.conditions })}</p>}
      <Matches draft={value} />
    </div>
  )
}

/** How many devices that would be, as soon as there is something to ask. */
function Matches({ draft }: { draft: DraftGroup }) {
  const { t } = useTranslation('device-filters')
  const { fields } = useConditionLabels()
  const count = useCount()
  const where = whereOf(draft, fields)
  const query = useCall(
    api.terminal.paging,
    { page_size: 1, ...(where && { where }) },
    { enabled: where !== undefined, keepPrevious: true },
  )
  const { data } = query
  return (
    <p className="where-matches" role="status">
      {where && data && t('build.matches', { total: `${count(data.total)}${data.total_is_exact ? '' : '+'}` })}
    </p>
  )
}

type Change = (id: number, by: DraftNode | null) => void
type GroupProps = { group: DraftGroup; level: number; is_full: boolean; change: Change }
function Group({ group, level, is_full, change }: GroupProps) {
  const { t } = useTranslation('device-filters')
  const add = (node: DraftNode) => change(group.id, { ...group, nodes: [...group.nodes, node] })
  return (
    <fieldset className="where-group" data-level={level}>
      <legend className="visually-hidden">{t(`build.${group.joint}`)}</legend>
      <div className="where-head">
        <Segmented<DraftGroup['joint']>
          size="small"
          aria-label={t('build.joint')}
          value={group.joint}
          options={(['all', 'any'] as const).map((joint) => ({ value: joint, label: t(`build.${joint}`) }))}
          onChange={(joint) => change(group.id, { ...group, joint })}
        />
        {level > 1 && (
          <Button
            type="text"
            size="small"
            icon={<CloseOutlined aria-hidden />}
            aria-label={t('build.remove_group')}
            title={t('build.remove_group')}
            onClick={() => change(group.id, null)}
          />
        )}
      </div>
      {group.nodes.map((node) =>
        isGroup(node) ? (
          <Group key={node.id} group={node} level={level + 1} is_full={is_full} change={change} />
        ) : (
          <Condition key={node.id} condition={node} change={change} />
        ),
      )}
      <div className="where-add">
        <Button size="small" icon={<PlusOutlined aria-hidden />} disabled={is_full} onClick={() => add(newCondition())}>
          {t('build.add')}
        </Button>
        {level < whereLimits.levels && (
          <Button
            size="small"
            type="text"
            icon={<PlusOutlined aria-hidden />}
            disabled={is_full}
            onClick={() => add(newGroup(group.joint === 'all' ? 'any' : 'all'))}
          >
            {t('build.add_group')}
          </Button>
        )}
      </div>
    </fieldset>
  )
}

function Condition({ condition, change }: { condition: DraftCondition; change: Change }) {
  const { t } = useTranslation('device-filters')
  const labels = useConditionLabels()
  const { fields } = labels
  // Nothing is wrong before somebody said that it is done.
  const is_marked = Form.Item.useStatus().errors.length > 0 && !isComplete(condition, fields)
  const kind = kindOf(condition.field, fields)
  const set = (to: DraftCondition) => change(condition.id, to)
  const own = fields.map(({ kid, name }) => ({ value: keyOfField(kid), label: name }))
  const built_in = (Object.keys(whereFields) as WhereField[]).map((key) => ({ value: key, label: labels.field(key) }))
  const gone = kind ? [] : [{ value: condition.field, label: labels.field(condition.field) }]
  return (
    <div className="where-condition">
      <Select<DraftCondition['field']>
        size="small"
        aria-label={t('build.choose_field')}
        showSearch={{ optionFilterProp: 'label' }}
        popupMatchSelectWidth={false}
        status={is_marked && !kind ? 'error' : undefined}
        value={condition.field}
        options={[
          ...built_in,
          ...gone,
          ...(own.length > 0 ? [{ label: t('build.own_fields'), title: 'own', options: own }] : []),
        ]}
        onChange={(field) => set(withField(condition, field, fields))}
      />
      <Select<string>
        size="small"
        aria-label={t('build.choose_op')}
        popupMatchSelectWidth={false}
        value={condition.op}
        options={(kind ? operatorsOf(kind) : [condition.op]).map((op) => ({
          value: op,
          label: labels.op(condition.field, op),
        }))}
        onChange={(op) => set(withOperator(condition, op, fields))}
      />
      <span className="where-value">
        {kind && (
          <WhereValue
            condition={condition}
            kind={kind}
            is_marked={is_marked}
            onChange={(value) => set({ ...condition, value })}
          />
        )}
      </span>
      <Button
        type="text"
        size="small"
        icon={<CloseOutlined aria-hidden />}
        aria-label={t('build.remove')}
        title={t('build.remove')}
        onClick={() => change(condition.id, null)}
      />
      {is_marked && <span className="where-missing">{t(kind ? 'build.missing' : 'gone')}</span>}
    </div>
  )
}
